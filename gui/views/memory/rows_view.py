"""A table beside the map, whose rows can be picked with the mouse and by keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gui.present.memory.tables import NO_TABLE, Table
from gui.present.rects import Lit
from gui.theme.tones import LIGHT, Theme
from gui.widgets.fitted_cells import FittedCells

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex
_MOST_MARKED = 1000
_MOST_MEASURED = 64
"""So many rows say how wide columns are."""
_LINES_A_ROW = 1.5
_LEAST_LETTERS = 13
"""Names are at least so long, even if the table is wider than its view then."""


class RowsModel(QAbstractTableModel):
    """Shows a `Table`; each row begins with the colour of its class, or of a rule that found it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = NO_TABLE
        self._keys: list[int] = []
        self._places: dict[int, int] = {}
        self._texts: dict[int, tuple[str, ...]] = {}
        """Rows that have been looked at."""
        self._theme: Theme = LIGHT
        self._lit: Lit | None = None
        self._order: tuple[int, Qt.SortOrder] | None = None

    def set_table(self, table: Table) -> None:
        """Show other rows, in the order that was asked for last."""
        self.beginResetModel()
        if table.headers != self._table.headers:
            self._order = None
        self._table = table
        self._keys = list(table.keys)
        self._texts.clear()
        if self._order is not None:
            self._sort(*self._order)
        self._places.clear()
        self.endResetModel()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._keys:
            end = self.index(len(self._keys) - 1, 0)
            self.dataChanged.emit(self.index(0, 0), end, [Qt.ItemDataRole.DecorationRole])

    def set_lit(self, lit: Lit | None) -> None:
        """Let the rows fade that stand for nothing of this; nothing without that."""
        if lit == self._lit:
            return
        self._lit = lit
        if self._keys:
            end = self.index(len(self._keys) - 1, len(self._table.headers) - 1)
            roles = [Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.DecorationRole]
            self.dataChanged.emit(self.index(0, 0), end, roles)

    def key_at(self, row: int) -> int:
        """What a row stands for."""
        return self._keys[row]

    def row_of(self, key: int) -> int | None:
        """The row that stands for something."""
        if not self._places:
            self._places = {known: place for place, known in enumerate(self._keys)}
        return self._places.get(key)

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._keys)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._table.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, place, or colour of class."""
        key, column = self._keys[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._row(key)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            name = f": {self._table.tone(key).value}\n{self._table.name(key)}"
            return self._row(key)[column] + ("" if column else name)
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            found = None if self._lit is None else self._lit.tones.get(key)
            return QColor(self._theme.inks[found or self._table.tone(key)].colour)
        if role == Qt.ItemDataRole.ForegroundRole:
            is_faded = self._lit is not None and key not in self._lit.keys
            return QColor(self._theme.faint_text) if is_faded else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            is_number = not isinstance(self._table.values(key)[column], str)
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _row(self, key: int) -> tuple[str, ...]:
        known = self._texts.get(key)
        if known is None:
            known = self._texts[key] = self._table.texts(key)
        return known

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._table.headers[section]
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the rows in the order of a column; -1 is the order in which they were given."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [(self._keys[index.row()], index.column()) for index in before]
        self._order = (column, order)
        self._sort(column, order)
        after = [self.index(self.row_of(key) or 0, place) for key, place in keys]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        self._places.clear()
        if not 0 <= column < len(self._table.headers):
            self._keys = list(self._table.keys)
            return
        values = self._table.values
        is_reverse = order == Qt.SortOrder.DescendingOrder
        self._keys.sort(key=lambda key: values(key)[column], reverse=is_reverse)


class RowsView(QTableView):
    """Shows a table, and tells which row the user has gone to."""

    picked = Signal(int)
    """The key of a row."""
    activated_row = Signal()
    """The row that is picked was double-clicked."""

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
        self.setItemDelegate(FittedCells(self))
        self.verticalHeader().hide()
        height = round(self.fontMetrics().height() * _LINES_A_ROW)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(height)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_MOST_MEASURED)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.horizontalHeader().sortIndicatorChanged.connect(self.scrollToTop)
        self._is_telling = True
        self.selectionModel().currentRowChanged.connect(self._tell)
        self.clicked.connect(self._tell)
        self.doubleClicked.connect(lambda _: self.activated_row.emit())

    def set_table(self, table: Table) -> None:
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
        """Give names what is left by the columns that matter most."""
        super().resizeEvent(event)
        self._widen()

    def _widen(self) -> None:
        header = self.horizontalHeader()
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        room = self.viewport().width()
        for column in range(1, header.count()):
            if room - header.sectionSize(column) < least:
                break
            room -= header.sectionSize(column)
        self.setColumnWidth(0, max(room, least))

    def set_theme(self, theme: Theme) -> None:
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
        else:
            # What was gone to last would go on to look as if it were selected.
            self.selectionModel().clearCurrentIndex()
        self._is_telling = True

    def _tell(self) -> None:
        current = self.currentIndex()
        if self._is_telling and current.isValid():
            self.picked.emit(self.rows.key_at(current.row()))
