"""What keeps one test of the window from meeting what another one left behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

__all__ = ["garbage_is_collected_between_tests", "no_key_stays_held"]

NO_KEY = Qt.KeyboardModifier.NoModifier


@pytest.fixture(autouse=True)
def garbage_is_collected_between_tests() -> Iterator[None]:
    """Collect in this thread alone, as the app does.

    Python collects in whichever thread allocates. PySide looks through its table of connections
    for each receiver that dies, without the interpreter's lock: where one dies in a second thread
    meanwhile, the table breaks, and the next `disconnect` never returns. What is there before a
    test is set aside, so that all that it leaves can be looked through, by the next one again, as
    this one holds some until it is over; a window sets nothing aside: it goes when it is closed.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)
        patch.setattr(gc, "unfreeze", lambda: None)
        yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def no_key_stays_held() -> Iterator[None]:
    """Let go of Shift and the like: Qt keeps those of the last event that a test made."""
    yield
    if QApplication.instance() and QApplication.keyboardModifiers() is not NO_KEY:
        QTest.mouseClick(QWidget(), Qt.MouseButton.LeftButton, NO_KEY)
