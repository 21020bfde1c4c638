"""A window that is closed goes, with all that it has made."""

from __future__ import annotations

import gc
import weakref

from PySide6.QtWidgets import QApplication

from tests.gui.running import SMALL_MODEL, opening


def test_nothing_of_a_closed_window_stays(qtbot, qapp):
    def opened_and_closed():
        with opening(qtbot, qapp) as start:
            app = start(SMALL_MODEL)
            return weakref.ref(app), weakref.ref(app.store), weakref.ref(app.window)

    opened_and_closed()
    gc.collect()
    widgets = set(QApplication.allWidgets())
    gone = opened_and_closed()
    # What this test has called still holds the arguments of its last call.
    gc.collect()
    assert [left() for left in gone] == [None] * len(gone)
    assert set(QApplication.allWidgets()) <= widgets
