"""The window stays alive while the compiler works, answers come soon, and memory does not grow."""

from __future__ import annotations

import gc
import statistics
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer

from core.base.frozen import replace
from gui.document.changes import Part
from gui.state.store import Store
from tests.gui.answers import document_of

PATIENCE_MS = 60_000
MISSED_MS = 50.0
SOON_S = 0.4


def limited(document, limit_bytes):
    return replace(document, settings=replace(document.settings, limit_bytes=limit_bytes))


class Heartbeat:
    """A timer of the GUI thread, and the longest that it was late."""

    def __init__(self, parent):
        self._timer = QTimer(parent)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(10)
        self._timer.timeout.connect(self._beat)
        self._last = time.perf_counter()
        self.longest_ms = 0.0
        self.beats = 0
        self._timer.start()

    def _beat(self):
        now = time.perf_counter()
        self.longest_ms = max(self.longest_ms, (now - self._last) * 1e3)
        self._last = now
        self.beats += 1


def resident_bytes(pid):
    fields = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in fields if line.startswith("VmRSS"))


def beaten(start_runner, qtbot, accelerator):
    """The heartbeat of the GUI thread while a network compiles."""
    store = Store(document_of("tf2_mobilenet_v2", accelerator=accelerator))
    runner = start_runner(store)
    beat = Heartbeat(runner)
    qtbot.waitUntil(lambda: store.is_current, timeout=PATIENCE_MS)
    runner.shutdown()
    return beat


def test_the_gui_thread_goes_on_while_a_network_compiles(start_runner, qtbot):
    assert beaten(start_runner, qtbot, "ethos-u65-256").beats > 20


@pytest.mark.slow
def test_the_gui_thread_never_stands_still_while_a_network_compiles(start_runner, qtbot):
    # The machine may have other things to do; what is the GUI's own fault happens every time.
    longest_ms = []
    for accelerator in ("ethos-u65-256", "ethos-u65-512", "ethos-u55-256"):
        longest_ms.append(beaten(start_runner, qtbot, accelerator).longest_ms)
        if longest_ms[-1] <= MISSED_MS:
            break
    assert min(longest_ms) <= MISSED_MS, longest_ms


@pytest.mark.slow
def test_an_answer_comes_soon_after_the_slider_is_let_go(start_runner, qtbot):
    document = document_of("tf2_mobilenet_v2", accelerator="ethos-u65-256")
    store = Store(document)
    start_runner(store)
    qtbot.waitUntil(lambda: store.is_current, timeout=PATIENCE_MS)
    medians = []
    for first in (200, 203, 206):
        seconds = []
        for step in range(20):
            begin = time.perf_counter()
            with qtbot.waitSignal(
                store.changed,
                timeout=PATIENCE_MS,
                check_params_cb=lambda change: change.has(Part.ANSWER),
            ):
                store.edit(limited(document, (first + 17 * step) << 10), "limit")
            seconds.append(time.perf_counter() - begin)
        medians.append(statistics.median(seconds))
        if medians[-1] <= SOON_S:
            break
    assert min(medians) <= SOON_S, medians


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_does_not_grow_over_200_reruns(start_runner, qtbot):
    document = document_of("kws_dscnn", accelerator="ethos-u65-256")
    store = Store(document)
    runner = start_runner(store, delay_ms=0)
    qtbot.waitUntil(lambda: store.is_current, timeout=PATIENCE_MS)

    def rerun(times):
        for step in range(times):
            store.edit(limited(document, (8 + step % 50) << 10), "limit", merge_key="limit")
            qtbot.waitUntil(lambda: store.is_current, timeout=PATIENCE_MS)
        gc.collect()
        return resident_bytes("self"), resident_bytes(runner.worker_pid)

    before = rerun(60)
    after = rerun(200)
    growth = [new / old - 1 for old, new in zip(before, after, strict=True)]
    assert max(growth) <= 0.05, (before, after)
