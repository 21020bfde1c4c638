"""A table beside the map, whose rows can be picked with the mouse and by keys."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gui.present.memory_tables import Table
from gui.theme.tones import Theme
from gui.views.memory.table_model import RowsModel

_MOST_MARKED = 1000
_MOST_MEASURED = 64
"""So many rows say how wide columns are."""
_LINES_A_ROW = 1.5
_LEAST_LETTERS = 26
"""Names are at least so long, even if the table is wider than its view then."""


class RowsView(QTableView):
    """Shows a table, and tells which row the user has gone to."""

    picked = Signal(int)
    """The key of a row."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = RowsModel(self)
        self.setModel(self.rows)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().hide()
        height = round(self.fontMetrics().height() * _LINES_A_ROW)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(height)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_MOST_MEASURED)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self._is_telling = True
        self.selectionModel().currentRowChanged.connect(self._tell)
        self.clicked.connect(self._tell)

    def set_table(self, table: Table) -> None:
        """Show other rows."""
        self._is_telling = False
        is_new = self.rows.columnCount() != len(table.headers)
        self.rows.set_table(table)
        if is_new and table.headers:
            header = self.horizontalHeader()
            for column in range(1, len(table.headers)):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
            self._widen()
        self._is_telling = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give what other columns leave to the names."""
        super().resizeEvent(event)
        self._widen()

    def _widen(self) -> None:
        header = self.horizontalHeader()
        others = header.length() - header.sectionSize(0) if header.count() else 0
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        self.setColumnWidth(0, max(self.viewport().width() - others, least))

    def set_theme(self, theme: Theme) -> None:
        """Show other colours."""
        self.rows.set_theme(theme)

    def set_selected(self, keys: Iterable[int]) -> None:
        """Mark the rows of these keys, without telling."""
        self._is_telling = False
        chosen_keys = sorted(keys)[:_MOST_MARKED]
        found = sorted(row for key in chosen_keys if (row := self.rows.row_of(key)) is not None)
        chosen = QItemSelection()
        for row in found:
            chosen.select(self.rows.index(row, 0), self.rows.index(row, 0))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        if found:
            first = self.rows.index(found[0], 0)
            self.selectionModel().setCurrentIndex(first, flags.NoUpdate)
            self.scrollTo(first)
        self._is_telling = True

    def _tell(self) -> None:
        current = self.currentIndex()
        if self._is_telling and current.isValid():
            self.picked.emit(self.rows.key_at(current.row()))
