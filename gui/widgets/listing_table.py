"""A table of rows that core has made, as it would print them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QWidget

from gui.widgets.row_model import LEFT, RIGHT, Index, Role, RowModel
from gui.widgets.row_table import RowTable

_LINES_A_ROW = 1.5


class ListingModel(RowModel[tuple[object, ...]]):
    """Headers and rows; numbers know how they are written."""

    def set_listing(self, headers: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> None:
        """Show other rows below other headers."""
        self.beginResetModel()
        self.titles, self.rows = headers, rows
        self.endResetModel()

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        cell = self.rows[index.row()][index.column()]
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return "" if cell is None else str(cell)
        if role == Role.TextAlignmentRole:
            return RIGHT if isinstance(cell, int | float) else LEFT
        return None


class ListingTable(RowTable):
    """Shows the rows; one whole row is picked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.listing = ListingModel(())
        self.setModel(self.listing)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.set_lines_a_row(_LINES_A_ROW)
        self.horizontalHeader().setStretchLastSection(True)

    def show_listing(self, headers: tuple[str, ...], rows: tuple[tuple[object, ...], ...]) -> None:
        """Show other rows, in columns as wide as the longest texts need."""
        self.listing.set_listing(headers, rows)
        self.fit_columns()


class WrappedTable(ListingTable):
    """Shows rows of sentences, each as high as it needs: nothing of them is cut."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.setItemDelegate(QStyledItemDelegate(self))
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def fit_columns(self) -> None:
        """They share the width."""
