"""The current schedule beside the one that is pointed at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.present.front import COLUMNS, Front, differences, row_of, shares
from gui.theme.tones import Theme
from gui.widgets.elided_label import ElidedLabel

ROWS = ("Current", "Pointed at", "Difference", "")
_HINT = "nothing yet: point at one to compare it, click it to adopt it"
_LETTERS = 11


class Comparison(QWidget):
    """A row for each schedule, and what the one has more or less than the other."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Comparison with the current schedule")
        self._titles = [QLabel(text) for text in COLUMNS]
        self._names = [QLabel(text) for text in ROWS]
        self.cells = [[QLabel() for _ in COLUMNS] for _ in ROWS]
        self.hint = ElidedLabel("How to compare")
        self.hint.show_text(_HINT)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        grid.setHorizontalSpacing(self.fontMetrics().averageCharWidth())
        for column, title in enumerate(self._titles, start=1):
            grid.addWidget(title, 0, column, Qt.AlignmentFlag.AlignRight)
            grid.setColumnMinimumWidth(column, self.fontMetrics().averageCharWidth() * _LETTERS)
        grid.setColumnStretch(len(COLUMNS) + 1, 1)
        grid.addWidget(self.hint, 2, 1, 1, len(COLUMNS) + 1)
        for row, (name, cells) in enumerate(zip(self._names, self.cells, strict=True), start=1):
            grid.addWidget(name, row, 0)
            for column, cell in enumerate(cells, start=1):
                grid.addWidget(cell, row, column, Qt.AlignmentFlag.AlignRight)

    def show_front(self, front: Front, pointed: int | None) -> None:
        """Compare; without another schedule, only the current one is told."""
        self._fill(0, row_of(front, front.taken))
        is_alone = pointed is None or pointed == front.taken
        self.hint.setVisible(is_alone)
        if pointed is None or is_alone:
            for row in (1, 2, 3):
                self._fill(row, ("",) * len(COLUMNS))
            return
        self._fill(1, row_of(front, pointed))
        self._fill(2, differences(front, pointed))
        self._fill(3, shares(front, pointed))

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for label in (*self._titles, *self._names, self.hint):
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.faint_text))
            label.setPalette(palette)

    def _fill(self, row: int, texts: Sequence[str]) -> None:
        for cell, text in zip(self.cells[row], texts, strict=True):
            cell.setText(text)
