"""What commands say on a terminal beside their results."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from core.report.progress_line import ProgressLine


def warn(lines: Iterable[str]) -> None:
    """Say on standard error what does not stop a command."""
    for line in lines:
        print(f"reefpoint: warning: {line}", file=sys.stderr)


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Progress on standard error, which is left as it was."""
    line = ProgressLine(_write_status, time.monotonic, is_terminal=sys.stderr.isatty())
    try:
        yield line
    finally:
        line.clear()


def _write_status(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
