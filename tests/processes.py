"""Signals to single processes."""

from __future__ import annotations

import os
import signal


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """End that process; 0, the number of one that is gone, would mean all of the test run."""
    assert pid > 0
    os.kill(pid, number)
