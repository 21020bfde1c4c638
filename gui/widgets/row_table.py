"""A table whose rows are picked whole: what all such tables have in common."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from gui.theme.scale import in_bold
from gui.widgets.fitted_cells import FittedCells

_PADDING_LETTERS = 3
_MOST_LETTERS = 48
_MOST_MEASURED = 200


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
        self.setItemDelegate(FittedCells(self))
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setAccessibleName(f"Columns of the {name.lower()}")
        header.setSectionsMovable(True)
        header.setHighlightSections(False)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Show a model, which goes when this does, with all whom its signals call."""
        super().setModel(model)
        if model is not None:
            model.setParent(self)

    def set_lines_a_row(self, lines: float) -> None:
        """How high a row is, in lines of text."""
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(round(self.fontMetrics().height() * lines))

    def needed_px(self, texts: Iterable[str]) -> int:
        """How wide a column of such texts is, bold or not; very long ones are cut."""
        metrics = QFontMetrics(in_bold(self.font()))
        widest = max(metrics.horizontalAdvance(text[:_MOST_LETTERS]) for text in texts)
        return widest + _PADDING_LETTERS * metrics.averageCharWidth()

    def fit_columns(self) -> None:
        """Make columns as wide as their titles and the texts of the first rows need."""
        model, across = self.model(), Qt.Orientation.Horizontal
        rows = range(min(model.rowCount(), _MOST_MEASURED))
        for column in range(model.columnCount()):
            texts = (str(model.index(row, column).data()) for row in rows)
            title = str(model.headerData(column, across))
            self.setColumnWidth(column, self.needed_px((title, *texts)))

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
