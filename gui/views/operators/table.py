"""The table widget of the operators: widths, hidden columns, sorting, and menus by key or mouse."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QMenu,
    QStyle,
    QStyleOptionViewItem,
    QWidget,
)

from gui.document.display import Display
from gui.document.kept import Kept
from gui.document.look import LookPart
from gui.present.operators.cells import header_text, shown_text
from gui.present.operators.columns import COLUMNS, DECIDED, POSITIONS, Column, Kind
from gui.theme.tones import Theme, Tone
from gui.views.operators.model import BAR_ROLE, Index, OperatorsModel
from gui.widgets.fitted_cells import FittedCells
from gui.widgets.look_parts import columns_part, scroll_part
from gui.widgets.row_table import RowTable

_INSET = 3.0
_LINES_A_ROW = 1.45
_SAMPLED_ROWS = 400
"""Widths are those of so many rows: all of them would take too long."""
_MEASURED_TEXTS = 8
"""Of the texts with most characters, one may be a bit wider than another."""
_LEAST_CHARACTERS = 3
_ALWAYS_SHOWN = ("index", "name")


class BarDelegate(FittedCells):
    """Draws the bar of a cell; what is above a limit fills it in another colour."""

    def __init__(self, theme: Theme, table: QWidget) -> None:
        super().__init__(table)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._track, self._bar = QColor(theme.grid), QColor(theme.inks[Tone.COMPUTE].colour)
        self._over = QColor(theme.inks[Tone.OVER].colour)
        self._selected = QColor(theme.accent_text)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell, and its bar below the text."""
        super().paint(painter, option, index)
        share = index.data(BAR_ROLE)
        if share is None:
            return
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        track = bar_track(option)
        if not is_selected:
            painter.fillRect(track, self._track)
        bar = QRectF(track)
        bar.setWidth(track.width() * min(max(share, 0.0), 1.0))
        inked = self._over if share > 1.0 else self._bar
        painter.fillRect(bar, self._selected if is_selected else inked)


def bar_track(option: QStyleOptionViewItem) -> QRectF:
    """Where a full bar lies in a cell."""
    cell = QRectF(option.rect)
    height = max(round(option.fontMetrics.height() / 7), 2)
    return QRectF(
        cell.left() + _INSET, cell.bottom() - height - 1, cell.width() - 2 * _INSET, height
    )


class OperatorsTable(RowTable):
    """Shows the model; clicks on its header sort it."""

    copied = Signal()
    """The user asked for a copy of what is selected."""
    choice_asked = Signal(str, QPoint)
    """A column whose values are to be listed, and where on the screen."""

    activated_row = Signal()
    """The row that is picked was double-clicked, or Enter pressed in it."""

    def __init__(self, model: OperatorsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("Operators", parent)
        self.operators = model
        self.setModel(model)
        self._bars = BarDelegate(theme, self)
        for position, column in enumerate(COLUMNS):
            if column.has_bar:
                self.setItemDelegateForColumn(position, self._bars)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._sort_clicked)
        self.doubleClicked.connect(self.ask_for_choice)
        self._choices: dict[str, bool] = {}
        self._sized_for: tuple[object, ...] = ()
        self._compared: Kept | None = None

    def ask_for_choice(self, index: QModelIndex) -> None:
        """Let the values of a cell be listed below it; where there are none, show the operator."""
        column = COLUMNS[index.column()].id
        if index.isValid() and column in DECIDED:
            corner = self.visualRect(index).bottomLeft()
            self.choice_asked.emit(column, self.viewport().mapToGlobal(corner))
        elif index.isValid():
            self.activated_row.emit()

    def set_theme(self, theme: Theme) -> None:
        self.operators.set_theme(theme)
        self._bars.set_theme(theme)
        self.viewport().update()

    def fit(self, display: Display, names: object) -> None:
        """Choose widths, unless those that the user may have changed are for the same names."""
        self._apply_choices()
        metrics = self.fontMetrics()
        self.set_lines_a_row(_LINES_A_ROW)
        key = (names, display.byte_unit, display.time_unit, metrics.height())
        if key == self._sized_for or self.operators.table is None:
            return
        self._sized_for = key
        for position, column in enumerate(COLUMNS):
            self.setColumnWidth(position, _width(self, column, display))

    def look_parts(self) -> Mapping[str, LookPart]:
        """What a user can set here."""
        return {
            "shown": LookPart(lambda: dict(self._choices), self._use_choices),
            "columns": columns_part(self.horizontalHeader()),
            "sorting": LookPart(lambda: self.operators.named_sorting, self._use_sorting),
            "scroll": scroll_part(self),
        }

    def _use_choices(self, choices: Mapping[str, Any]) -> None:
        self._choices = {name: bool(is_shown) for name, is_shown in choices.items()}
        self._apply_choices()

    def _use_sorting(self, sorting: Mapping[str, Any]) -> None:
        for name in POSITIONS.keys() & sorting.keys():
            self.sort_by(COLUMNS[POSITIONS[name]], is_descending=bool(sorting[name]))

    def shown_columns(self) -> list[Column]:
        """Columns from left to right, as the user has arranged them."""
        header = self.horizontalHeader()
        order = (header.logicalIndex(place) for place in range(len(COLUMNS)))
        return [COLUMNS[section] for section in order if not self.isColumnHidden(section)]

    def show_column(self, column: str, *, is_shown: bool) -> None:
        """Show or hide a column from now on, whether or not it has values."""
        self._choices[column] = is_shown
        self._apply_choices()

    def reset_columns(self) -> None:
        """Show again whatever has values, in the first order and widths."""
        self._choices.clear()
        header = self.horizontalHeader()
        for position in range(len(COLUMNS)):
            header.moveSection(header.visualIndex(position), position)
        self._apply_choices()

    def _apply_choices(self) -> None:
        table = self.operators.table
        for position, column in enumerate(COLUMNS):
            is_shown = column.id in _ALWAYS_SHOWN or table is None or table.is_used(column.id)
            self.setColumnHidden(position, not self._choices.get(column.id, is_shown))

    def sort_by(self, column: Column, *, is_descending: bool) -> None:
        """Arrange the rows by a column."""
        order = Qt.SortOrder.DescendingOrder if is_descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(POSITIONS[column.id], order)
        self.operators.sort(POSITIONS[column.id], order)
        self.scrollToTop()

    def put_differences_first(self, kept: Kept | None) -> None:
        """With another A, sort by the size of differences, and without one by time, unless the
        user has chosen another column."""
        if kept is not self._compared:
            self._compared = kept
            column = COLUMNS[POSITIONS["index" if kept is None else "change"]]
            if self.operators.sorting[0].id in ("index", "change"):
                self.sort_by(column, is_descending=kept is not None)

    def _sort_clicked(self, section: int) -> None:
        """Numbers begin with the greatest: that is what one looks for."""
        column, is_descending = self.operators.sorting
        if COLUMNS[section] is column:
            self.sort_by(column, is_descending=not is_descending)
        else:
            is_number = COLUMNS[section].kind is not Kind.TEXT
            self.sort_by(COLUMNS[section], is_descending=is_number)

    def select_places(self, places: list[int]) -> None:
        """Select whole rows by where they are shown; the first is brought into sight."""
        selection = QItemSelection()
        for first, last in _runs(places):
            model = self.operators
            selection.select(model.index(first, 0), model.index(last, len(COLUMNS) - 1))
        chosen = self.selectionModel()
        chosen.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if places:
            column = self.currentIndex().column() if self.currentIndex().isValid() else 0
            first_index = self.operators.index(places[0], max(column, 0))
            chosen.setCurrentIndex(first_index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first_index)

    def fill_columns_menu(self, menu: QMenu) -> None:
        """Entries that show and hide columns."""
        menu.setToolTipsVisible(True)
        for position, column in enumerate(COLUMNS):
            action = menu.addAction(column.title)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(position))
            action.setToolTip(column.tip)
            action.toggled.connect(partial(self._choose, column.id))
        menu.addSeparator()
        menu.addAction("As at first", self.reset_columns)

    def _choose(self, column: str, is_shown: bool) -> None:  # noqa: FBT001 - Qt's signal
        self.show_column(column, is_shown=is_shown)

    def fill_sort_menu(self, menu: QMenu) -> None:
        """Entries that sort, for hands on the keyboard."""
        for column in self.shown_columns():
            is_number = column.kind is not Kind.TEXT
            sort = partial(self.sort_by, column, is_descending=is_number)
            menu.addAction(column.title, sort)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The view around opens the menu."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copying takes whole rows, not the one cell that Qt would take; Enter lists values."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self.ask_for_choice(self.currentIndex())
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
            return
        super().keyPressEvent(event)


def _width(view: OperatorsTable, column: Column, display: Display) -> int:
    metrics, table = view.fontMetrics(), view.operators.table
    assert table is not None
    step = max(table.count // _SAMPLED_ROWS, 1)
    texts = {shown_text(table, column, row, display) for row in range(0, table.count, step)}
    longest = sorted(texts, key=len)[-_MEASURED_TEXTS:]
    cell = max((metrics.horizontalAdvance(t[: column.most_characters]) for t in longest), default=0)
    least = metrics.averageCharWidth() * _LEAST_CHARACTERS
    title = metrics.horizontalAdvance(header_text(column, display))
    indicator = (
        view.horizontalHeader().style().pixelMetric(view.style().PixelMetric.PM_HeaderMarkSize)
    )
    margin = metrics.averageCharWidth() * 3
    return max(cell, least, title + indicator) + margin


def _runs(places: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        if runs and place == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs
