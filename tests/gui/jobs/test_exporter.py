"""Exports on their way: told how far they are, cancelled, and given up when their process ends."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import pytest

from gui.jobs import errands as module
from gui.jobs.exporter import Exporter
from gui.jobs.messages import Exported, Failed, Stopped
from tests.gui.answers import document_of
from tests.gui.jobs import entries
from tests.processes import kill

PATIENCE_MS = 30_000


@pytest.fixture
def start(qapp):
    """`start(entry)`: an exporter that has something on its way, and what it says of it."""
    assert qapp
    made = []

    def begin(entry):
        exporter = Exporter(entry)
        made.append(exporter)
        told: list = []
        exporter.advanced.connect(lambda *news: told.append(news))
        exporter.ended.connect(told.append)
        exporter.start(document_of("kws_dscnn"), "an order")
        return exporter, told

    yield begin
    for exporter in made:
        exporter.shutdown()


def ended(told) -> bool:
    return bool(told) and not isinstance(told[-1], tuple)


def test_progress_is_told_and_then_the_end(start, qtbot):
    exporter, told = start(entries.exporting)
    qtbot.waitUntil(lambda: ended(told), timeout=PATIENCE_MS)
    assert told == [
        ("making", 1, 2),
        Exported(number=1, paths=("an order",), notes=("kws_dscnn.tflite",)),
    ]
    assert not exporter.is_busy


def test_the_process_stays_for_the_next_export(start, qtbot):
    exporter, told = start(entries.exporting)
    qtbot.waitUntil(lambda: ended(told), timeout=PATIENCE_MS)
    pid = exporter.worker_pid
    exporter.start(document_of("kws_dscnn"), "another")
    qtbot.waitUntil(lambda: told[-1] == Exported(number=2, paths=("another",), notes=told[1].notes))
    assert exporter.worker_pid == pid > 0


def test_a_cancelled_export_ends_when_the_process_hears_of_it(start, qtbot):
    exporter, told = start(entries.waiting)
    qtbot.waitUntil(lambda: told == [("waiting", 0, 1)], timeout=PATIENCE_MS)
    exporter.cancel()
    qtbot.waitUntil(lambda: told[-1] == Stopped(number=1), timeout=PATIENCE_MS)
    assert exporter.worker_pid


def test_a_process_that_does_not_listen_is_ended(start, qtbot, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_MS", 50)
    exporter, told = start(entries.deaf)
    qtbot.waitUntil(lambda: told == [("deaf", 0, 1)], timeout=PATIENCE_MS)
    exporter.cancel()
    qtbot.waitUntil(lambda: told[-1] == Stopped(number=1), timeout=PATIENCE_MS)
    assert not exporter.worker_pid
    assert not exporter.is_busy


def test_a_process_that_ends_is_told_and_the_next_export_starts_another(start, qtbot, tmp_path):
    exporter, told = start(partial(entries.ending_once, tmp_path))
    qtbot.waitUntil(lambda: ended(told), timeout=PATIENCE_MS)
    assert isinstance(told[-1], Failed)
    assert "nothing was written" in told[-1].message
    exporter.start(document_of("kws_dscnn"), "an order")
    qtbot.waitUntil(lambda: isinstance(told[-1], Exported), timeout=PATIENCE_MS)


def test_a_killed_process_is_told(start, qtbot):
    exporter, told = start(entries.waiting)
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE_MS)
    kill(exporter.worker_pid)
    qtbot.waitUntil(lambda: isinstance(told[-1], Failed), timeout=PATIENCE_MS)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
def test_a_process_that_died_idle_is_replaced_without_a_word(start, qtbot):
    exporter, told = start(entries.exporting)
    qtbot.waitUntil(lambda: ended(told), timeout=PATIENCE_MS)
    pid = exporter.worker_pid
    kill(pid)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    exporter.start(document_of("kws_dscnn"), "another")
    qtbot.waitUntil(lambda: ended(told[2:]), timeout=PATIENCE_MS)
    assert told[-1] == Exported(number=2, paths=("another",), notes=("kws_dscnn.tflite",))


def test_at_the_end_the_process_is_gone(start, qtbot):
    exporter, told = start(entries.waiting)
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE_MS)
    pid = exporter.worker_pid
    exporter.shutdown()
    assert not Path(f"/proc/{pid}").exists()
    exporter.shutdown()
