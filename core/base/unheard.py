"""Processes that Ctrl+C does not reach: whoever started them ends them."""

from __future__ import annotations

import signal
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess


def start_unheard(process: BaseProcess) -> None:
    """Start a process that Ctrl+C does not reach, also before it can say so itself."""
    if not hasattr(signal, "pthread_sigmask"):
        process.start()
        return
    # The first start of all would let this thread hear signals again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
