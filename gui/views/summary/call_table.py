"""The calls of a compiled model: a line picks in every view what it runs."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QResizeEvent

from gui.document.answer import Answer
from gui.document.selection import Selection
from gui.present.calls import NO_CALLS, calls_of
from gui.widgets.listing_table import ListingTable

_NAMES = "call"
_LEAST_LETTERS = 24
_MOST_LINES = 9
"""That are in sight at once: what is below them on the page has to be found as well."""


class CallTable(ListingTable):
    """As high as its lines, as far as these are few."""

    picked = Signal(object)
    """A `Selection`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._shown = NO_CALLS
        self.horizontalHeader().setStretchLastSection(False)
        self.clicked.connect(self._pick)
        self.activated.connect(self._pick)

    def show_answer(self, answer: Answer) -> bool:
        """Show the calls of an answer; False where there is nothing to be shown."""
        found = calls_of(answer)
        if found != self._shown:
            self._shown = found
            self.show_listing(found.headers, found.rows)
            self._fit_names()
            self._fit_height()
        return bool(found.rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names of kernels are long and lose their middle first: what is handed over counts too."""
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        if _NAMES not in self._shown.headers:
            return
        column = self._shown.headers.index(_NAMES)
        texts = (str(row[column] or "") for row in self._shown.rows)
        whole = self.needed_px((_NAMES, *texts))
        others = sum(self.columnWidth(at) for at in range(len(self._shown.headers)) if at != column)
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        self.setColumnWidth(column, min(whole, max(self.viewport().width() - others, least)))

    def _fit_height(self) -> None:
        lines = min(len(self._shown.rows), _MOST_LINES)
        rows = lines * self.verticalHeader().defaultSectionSize()
        bar = self.horizontalScrollBar().sizeHint().height()
        frame = 2 * self.frameWidth()
        self.setFixedHeight(rows + self.horizontalHeader().sizeHint().height() + bar + frame)

    def _pick(self, index: QModelIndex) -> None:
        found: Selection = self._shown.selections[index.row()]
        self.picked.emit(found)
