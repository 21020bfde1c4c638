"""Garbage is collected in the GUI thread, and Python's own ways come back afterwards."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QObject

from gui.jobs.garbage import GarbageCollector


class Knot:
    """Refers to itself."""

    def __init__(self):
        self.me = self


@pytest.fixture
def start(qapp):
    owner = QObject(qapp)
    collectors = []
    gc.enable()  # as it is where an app starts

    def begin(is_quiet=True):
        collector = GarbageCollector(lambda: is_quiet, owner, interval_ms=1)
        collector.start()
        collectors.append(collector)

    yield begin
    for collector in collectors:
        collector.stop()
    assert gc.isenabled()


def test_young_garbage_is_collected_by_the_timer(start, qtbot):
    start()
    assert not gc.isenabled()
    knot = weakref.ref(Knot())
    keep = [[index] for index in range(2 * gc.get_threshold()[0])]
    qtbot.waitUntil(lambda: knot() is None)
    assert keep


def test_everything_is_looked_through_only_when_nobody_waits(start, qtbot, monkeypatch):
    collected = []
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, gc.get_threshold()[2] + 1))
    monkeypatch.setattr(gc, "collect", lambda generation=2: collected.append(generation))
    start(is_quiet=False)
    qtbot.wait(20)
    assert collected == []
    start(is_quiet=True)
    qtbot.waitUntil(lambda: 2 in collected)
