"""Rows of a memory's table, sorted by any column."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from gui.present.memory_tables import NO_TABLE, Table
from gui.theme.tones import LIGHT, Theme

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class RowsModel(QAbstractTableModel):
    """Shows a `Table`; each row begins with the colour of its class."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = NO_TABLE
        self._keys: list[int] = []
        self._places: dict[int, int] = {}
        self._texts: dict[int, tuple[str, ...]] = {}
        """Rows that have been looked at."""
        self._theme: Theme = LIGHT
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
        """Show other colours."""
        self._theme = theme
        if self._keys:
            end = self.index(len(self._keys) - 1, 0)
            self.dataChanged.emit(self.index(0, 0), end, [Qt.ItemDataRole.DecorationRole])

    def key_at(self, row: int) -> int:
        """What a row stands for."""
        return self._keys[row]

    def row_of(self, key: int) -> int | None:
        """The row that stands for something."""
        if not self._places:
            self._places = {known: place for place, known in enumerate(self._keys)}
        return self._places.get(key)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._keys)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._table.headers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text, place, or colour of class."""
        key, column = self._keys[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._row(key)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            if column:
                return self._row(key)[column]
            return f"{self._table.name(key)}: {self._table.tone(key).value}"
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return QColor(self._theme.inks[self._table.tone(key)].colour)
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
        """A column's name."""
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
