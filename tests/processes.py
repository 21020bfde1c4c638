"""Processes that tests start, and signals to them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """End that process; 0, the number of one that is gone, would mean all of the test run."""
    assert pid > 0
    os.kill(pid, number)


@contextmanager
def interrupts(*, are_heard: bool) -> Iterator[None]:
    """Children that are started meanwhile hear interrupts, or ignore them as those of a shell's
    background do: they inherit it, and whoever runs the tests may ignore them itself."""
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler if are_heard else signal.SIG_IGN
    )
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
