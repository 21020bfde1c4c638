"""The operator table for Qt: nothing is kept for a cell, and text is made when it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor, QPixmap

from core.base.harmless import xml_text
from core.base.ids import NpuOpId
from gui.document.display import Display
from gui.items.pins_item import pin_pixmap
from gui.present.edits.rows import State
from gui.present.names import whole_name
from gui.present.operators.cells import bar_share, cell_text, header_text, shown_text
from gui.present.operators.columns import COLUMNS, DECIDED, POSITIONS, Column, Kind
from gui.present.operators.matches import Coloured
from gui.present.operators.order import Filter, Rows, filter_of, matching_rows, ordered_rows
from gui.present.operators.table import OperatorTable
from gui.theme.tones import Ink, Theme

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
BAR_ROLE = Role.UserRole
"""How much of a cell its bar fills; None for no bar."""
_GAP_PIXELS = 4
_NAME = POSITIONS["name"]
_LONG_TIP = 60
_NOWHERE = QModelIndex()
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class OperatorsModel(QAbstractTableModel):
    """Rows of an operator table in the order that the user asks for."""

    def __init__(self, theme: Theme, display: Display) -> None:
        super().__init__()
        self.table: OperatorTable | None = None
        self.rows: Rows = np.zeros(0, dtype=np.intp)
        """Rows of the table that are shown, from top to bottom."""
        self.filter = filter_of("")
        self.is_in_span: npt.NDArray[np.bool_] | None = None
        """By row of the table, whether it runs in the marked stretch; None where none is marked."""
        self.sorting: tuple[Column, bool] = (COLUMNS[0], False)
        """By what rows are sorted, and whether the greatest comes first."""
        self._display = display
        self._place: dict[int, int] = {}
        self._blank = QPixmap(_GAP_PIXELS, 1)
        self._blank.fill(Qt.GlobalColor.transparent)
        self._pins: Mapping[NpuOpId, State] = {}
        self.found: Mapping[tuple[int, int], Ink] = {}
        """Of operators that rules have found, on either side."""
        self._pixmaps: dict[State, QPixmap] = {}
        self._by_role: dict[int, Callable[[Column, int], Any]] = {
            Role.DisplayRole: self._text,
            Role.ToolTipRole: self._tip,
            Role.TextAlignmentRole: _alignment,
            Role.ForegroundRole: self._ink,
            Role.BackgroundRole: partial(_ground, self),
            Role.DecorationRole: self._gap,
            BAR_ROLE: self._bar,
        }
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._faint = QBrush(QColor(theme.faint_text))
        self._danger = QBrush(QColor(theme.danger))
        self._pixmaps = {state: pin_pixmap(state, theme) for state in State}

    def set_pins(self, pins: Mapping[NpuOpId, State]) -> None:
        """Mark operators that are decided about."""
        is_asked = not self.filter.is_empty and pins.keys() != self._pins.keys()
        self._pins = pins
        if is_asked:
            # What is asked for may be what is edited.
            self.set_filter(self.filter)
        if len(self.rows):
            self.dataChanged.emit(
                self.index(0, _NAME), self.index(len(self.rows) - 1, _NAME), [Role.DecorationRole]
            )

    def set_found(self, found: Coloured | None, theme: Theme) -> None:
        """Have the numbers of operators that rules find on the colour of the first."""
        inks: dict[tuple[int, int], Ink] = {}
        for rule, matches in reversed(() if found is None else found.rules):
            ink = theme.inks[rule.tone]
            inks.update(dict.fromkeys(((op, -1) for op in matches.ops), ink))
            inks.update(dict.fromkeys(((-1, op) for op in matches.cpu_ops), ink))
        self.found = inks
        if len(self.rows):
            last = self.index(len(self.rows) - 1, 0)
            self.dataChanged.emit(self.index(0, 0), last, [Role.BackgroundRole])

    def set_table(self, table: OperatorTable, display: Display) -> None:
        """Show another table, or the same in other units."""
        self.beginResetModel()
        self.table, self._display = table, display
        self._arrange()
        self.endResetModel()

    def set_filter(self, wanted: Filter) -> None:
        """Show only the rows that a filter lets through."""
        self.beginResetModel()
        self.filter = wanted
        self._arrange()
        self.endResetModel()

    def set_span(self, is_in_span: npt.NDArray[np.bool_] | None) -> None:
        """Show only rows that run in a marked stretch, or all again."""
        self.beginResetModel()
        self.is_in_span = is_in_span
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Arrange the rows by a column."""
        self.beginResetModel()
        self.sorting = (COLUMNS[column], order is Qt.SortOrder.DescendingOrder)
        self._arrange()
        self.endResetModel()

    @property
    def named_sorting(self) -> dict[str, bool]:
        """By what rows are sorted, as a plain value."""
        column, is_descending = self.sorting
        return {column.id: is_descending}

    def place_of(self, row: int) -> int | None:
        """Where a row of the table is shown, if it is."""
        return self._place.get(row)

    def _arrange(self) -> None:
        if self.table is not None:
            found = matching_rows(self.table, self.filter, self._pins)
            if self.is_in_span is not None and len(self.is_in_span) == self.table.count:
                found = found[self.is_in_span[found]]
            column, is_descending = self.sorting
            self.rows = ordered_rows(self.table, found, column, is_descending=is_descending)
            self._place = {row: place for place, row in enumerate(self.rows.tolist())}

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """All columns, also those that the view hides."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == Role.DisplayRole:
            return header_text(column, self._display)
        if role == Role.ToolTipRole:
            more = (
                "\nDouble-click a cell, or press Enter, to choose" if column.id in DECIDED else ""
            )
            return column.tip + more
        if role == Role.DecorationRole:
            return self._gap(column)
        return _alignment(column) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        answer = self._by_role.get(role)
        if answer is None or not index.isValid():
            return None
        return answer(COLUMNS[index.column()], int(self.rows[index.row()]))

    def _text(self, column: Column, row: int) -> str:
        assert self.table is not None
        return shown_text(self.table, column, row, self._display)

    def _tip(self, column: Column, row: int) -> str:
        assert self.table is not None
        text = cell_text(self.table, column, row, self._display)
        return whole_name(text) if column.id == "name" else _wrapped(text)

    def _bar(self, column: Column, row: int) -> float | None:
        assert self.table is not None
        return bar_share(self.table, column, row)

    def _gap(self, column: Column, row: int = -1) -> QPixmap | None:
        """Keeps text away from the number on its left; a pin does so too."""
        if column.id == "name" and row >= 0 and self.table is not None:
            state = self._pins.get(NpuOpId(int(self.table.op[row])))
            if state is not None:
                return self._pixmaps[state]
        return self._blank if _is_left(column) else None

    def _ink(self, column: Column, row: int) -> QBrush | None:
        assert self.table is not None
        if (ink := _ink_of_rule(self, column, row)) is not None:
            return QBrush(QColor(ink.text))
        if self.table.op[row] < 0:
            return self._faint
        is_over = column.has_bar and (bar_share(self.table, column, row) or 0.0) > 1.0
        return self._danger if is_over else None


def _ink_of_rule(model: OperatorsModel, column: Column, row: int) -> Ink | None:
    """That of the first rule that has found an operator, for its number."""
    table = model.table
    if table is None or column.id != "index":
        return None
    return model.found.get((int(table.op[row]), int(table.cpu_op[row])))


def _ground(model: OperatorsModel, column: Column, row: int) -> QBrush | None:
    ink = _ink_of_rule(model, column, row)
    return None if ink is None else QBrush(QColor(ink.colour))


def _is_left(column: Column) -> bool:
    return column.kind is Kind.TEXT and column.id != "index"


def _alignment(column: Column, row: int = 0) -> int:
    del row
    return int(_LEFT if _is_left(column) else _RIGHT)


def _wrapped(text: str) -> str:
    """Qt breaks the lines of rich text only."""
    return f"<qt>{xml_text(text)}</qt>" if len(text) > _LONG_TIP else text
