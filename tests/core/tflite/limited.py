"""Reads a crafted file in a process that may take no more memory than was promised.

`python -m tests.core.tflite.limited NAME COUNT`: ends with code 0 where the promise is kept.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from core.base.errors import InputError
from core.tflite.reader import read
from tests.core.tflite.crafted import DENSE, MEBIBYTE


def main(name: str, count: str) -> None:
    data = DENSE[name](int(count))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    promised = 4 * len(data) + 64 * MEBIBYTE
    limit = pages * resource.getpagesize() + promised
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        read(data)
    except InputError as error:
        sys.stdout.write(f"{error}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
