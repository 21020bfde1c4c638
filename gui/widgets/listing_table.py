"""A table of rows that core has made, as it would print them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_NOWHERE = QModelIndex()
_LINES_A_ROW = 1.5
_PADDING_LETTERS = 3
_MOST_LETTERS = 48
_MEASURED_ROWS = 200


class ListingModel(QAbstractTableModel):
    """Headers and rows; numbers know how they are written."""

    def __init__(self) -> None:
        super().__init__()
        self.headers: tuple[str, ...] = ()
        self.rows: tuple[tuple[object, ...], ...] = ()

    def set_listing(self, headers: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.headers, self.rows = headers, rows
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        is_title = orientation is Qt.Orientation.Horizontal and role == Role.DisplayRole
        return self.headers[section] if is_title else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        cell = self.rows[index.row()][index.column()]
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return "" if cell is None else str(cell)
        if role == Role.TextAlignmentRole:
            is_number = isinstance(cell, int | float)
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


class ListingTable(QTableView):
    """Shows the rows; whole rows are picked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.listing = ListingModel()
        self.setModel(self.listing)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setAccessibleName(f"Columns of {name}")
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(round(self.fontMetrics().height() * _LINES_A_ROW))

    def show_listing(self, headers: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> None:
        """Show other rows, in columns as wide as the longest texts need."""
        self.listing.set_listing(headers, rows)
        metrics = self.fontMetrics()
        padding = _PADDING_LETTERS * metrics.averageCharWidth()
        for place, title in enumerate(headers):
            cells = (row[place] for row in rows[:_MEASURED_ROWS])
            texts = ["" if cell is None else str(cell)[:_MOST_LETTERS] for cell in cells]
            longest = max((title, *texts), key=len)
            self.setColumnWidth(place, metrics.horizontalAdvance(longest) + padding)
