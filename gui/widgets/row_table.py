"""A table whose rows are picked whole: what all such tables have in common."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget


class RowTable(QTableView):
    """Shows rows of text; columns can be moved, and the tab key leaves the table."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setAccessibleName(f"Columns of the {name.lower()}")
        header.setSectionsMovable(True)
        header.setHighlightSections(False)

    def set_lines_a_row(self, lines: float) -> None:
        """How high a row is, in lines of text."""
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(round(self.fontMetrics().height() * lines))

    def selected_places(self) -> list[int]:
        """Where the rows that are picked are shown, from top to bottom."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def pick(self, place: int) -> None:
        """Go to a row, and to it alone; Qt's own way would heed keys that are held."""
        index = self.model().index(place, 0)
        flags = QItemSelectionModel.SelectionFlag
        chosen = self.selectionModel()
        chosen.setCurrentIndex(index, flags.NoUpdate)
        chosen.select(index, flags.ClearAndSelect | flags.Rows)
        self.scrollTo(index)
