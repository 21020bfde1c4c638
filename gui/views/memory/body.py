"""The map beside its tables, which give way where there is no room for both."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_LEAST_LETTERS = 125
_MAP_SHARE = 0.66


class Body(QSplitter):
    """Shows the second widget where it is wide enough, or where the user asks for it."""

    side_shown = Signal(bool)

    def __init__(self, first: QWidget, side: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._side = side
        self._is_asked: bool | None = None
        self.addWidget(first)
        self.addWidget(side)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self.setChildrenCollapsible(False)

    def ask_for_side(self, is_asked: bool) -> None:  # noqa: FBT001 - a signal's
        """Show or hide the tables, whatever room there is."""
        self._is_asked = is_asked
        self._side.setVisible(is_asked)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """See whether there is room for both."""
        super().resizeEvent(event)
        if self._is_asked is None:
            is_wide = self.width() >= self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
            self._side.setVisible(is_wide)
            self.side_shown.emit(is_wide)
        self._share()

    def _share(self) -> None:
        if self._side.isVisibleTo(self):
            first = round(self.width() * _MAP_SHARE)
            self.setSizes([first, self.width() - first])
