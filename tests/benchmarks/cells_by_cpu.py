"""A sweep whose cells say how much CPU they took, instead of how long.

    python -m tests.benchmarks.cells_by_cpu sweep ...

Workers import this, so that it has nothing but what they need.
"""

from __future__ import annotations

import importlib
import pickle
import sys
import time
from collections.abc import Sequence
from types import SimpleNamespace
from unittest import mock

from core import cli
from core.sweep import work
from core.sweep.work import Found


def by_cpu(model: bytes, batch: bytes, clock: object) -> tuple[Found, ...]:
    """What a worker does; each cell has the seconds of CPU of its thread."""
    del clock
    return work.compute(model, pickle.loads(batch), time.thread_time)


def main(arguments: Sequence[str]) -> int:
    """The sweep that the command line asks for."""
    if "--dask" not in arguments:
        clocks = SimpleNamespace(
            perf_counter=time.thread_time, monotonic=time.monotonic, sleep=time.sleep
        )
        with mock.patch.object(importlib.import_module("core.cli.sweep"), "time", clocks):
            return cli.main(list(arguments))
    cluster = importlib.import_module("core.sweep.cluster")
    # By its own name, under which workers find it.
    here = importlib.import_module("tests.benchmarks.cells_by_cpu")
    with mock.patch.object(cluster, "unpacked", here.by_cpu):
        return cli.main(list(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
