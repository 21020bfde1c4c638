"""Processes that only compute are left alone by Ctrl+C from the moment they are started."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

from core.base.process import start_unheard


def test_ctrl_c_does_not_reach_a_process_that_is_starting() -> None:
    process = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(0.1,))
    start_unheard(process)
    assert process.pid is not None
    while process.is_alive():
        os.kill(process.pid, signal.SIGINT)
        time.sleep(0.002)
    assert process.exitcode == 0
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
