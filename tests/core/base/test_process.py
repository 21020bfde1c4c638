"""Processes that only compute: Ctrl+C leaves them alone, and they end without a last look."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from core.base.unheard import start_unheard

ROOT = Path(__file__).parents[3]
LAST_LOOK = """
import atexit, gc
from core.base.process import keep_memory
atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 1000))
keep_memory()
"""


def test_ctrl_c_does_not_reach_a_process_that_is_starting() -> None:
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(0.1,))
    start_unheard(process)
    assert process.pid is not None
    while process.is_alive():
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.002)
    assert process.exitcode == 0
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_is_left_at_the_end_is_not_looked_through_for_garbage() -> None:
    found = subprocess.run(
        [sys.executable, "-c", LAST_LOOK], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["False", "True"]
