"""A hand that works in the window with a mouse or with keys alone, and counts what that takes."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTableView, QWidget

from gui.shell.running import RunningApp

_PATIENCE_S = 5.0
_NONE = Qt.KeyboardModifier.NoModifier


class Effort(NamedTuple):
    """What a task took."""

    clicks: int
    keys: int
    seconds: float
    """Until the window showed what was asked for; a hand takes longer than this one."""


class Hand:
    """Nothing but clicks and keys reach the window through it."""

    def __init__(self, app: RunningApp) -> None:
        self._app = app
        self._clicks = self._keys = 0
        self._began = time.perf_counter()

    @property
    def effort(self) -> Effort:
        """What it took so far."""
        return Effort(self._clicks, self._keys, time.perf_counter() - self._began)

    def click(
        self,
        widget: QWidget,
        place: QPoint | None = None,
        button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    ) -> None:
        """Click somewhere, or in the middle of a part."""
        self._clicks += 1
        QTest.mouseClick(widget, button, pos=widget.rect().center() if place is None else place)
        # Between two strokes of a hand the window has many turns.
        QCoreApplication.processEvents()

    def click_row(self, table: QTableView, row: int) -> None:
        """Click a row of a table."""
        cell = table.visualRect(table.model().index(row, 0))
        self.click(table.viewport(), cell.center())

    def choose(self, *titles: str) -> None:
        """Go through the menu bar by clicks, down to a row with the last title."""
        bar = self._app.window.menuBar()
        action = _titled(bar.actions(), titles[0])
        self.click(bar, bar.actionGeometry(action).center())
        above: QWidget = bar
        for name, title in pairwise(titles):
            menu = above.findChild(QMenu, name)
            assert menu is not None
            # One inside another opens a moment later.
            end = time.perf_counter() + _PATIENCE_S
            while not menu.isVisible() and time.perf_counter() < end:
                QCoreApplication.processEvents()
            self.click_in(menu, _titled(menu.actions(), title))
            above = menu

    def click_in(self, menu: QMenu, action: QAction) -> None:
        """Click a row of a menu that is open."""
        self.click(menu, menu.actionGeometry(action).center())

    def press(
        self,
        key: Qt.Key,
        modifiers: Qt.KeyboardModifier = _NONE,
        widget: QWidget | None = None,
    ) -> None:
        """Press a key, where the focus is unless something else is said; with what is held
        meanwhile it is one."""
        self._keys += 1
        QTest.keyClick(widget or QApplication.focusWidget(), key, modifiers)
        QCoreApplication.processEvents()

    def type(self, text: str) -> None:
        """Type letter by letter."""
        for letter in text:
            self._keys += 1
            QTest.keyClicks(QApplication.focusWidget(), letter)


def _titled(actions: list[QAction], title: str) -> QAction:
    return next(each for each in actions if each.text().replace("&", "") == title)
