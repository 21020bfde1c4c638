"""The table of edits for Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QColor

from core.base.harmless import xml_text
from gui.present.edits.rows import COLUMNS, EditRow, State
from gui.widgets.row_model import LEFT, RIGHT, Index, Role, RowModel

FATE = next(place for place, column in enumerate(COLUMNS) if column.id == "fate")
_NUMBERS = frozenset({"number", "cycles", "sram", "evicted"})


class EditsModel(RowModel[EditRow]):
    """A row for each edit; the first cell switches it on and off."""

    switched = Signal(int, bool)
    """A row, and whether its edit is to be on."""

    def __init__(self) -> None:
        super().__init__([column.title for column in COLUMNS])
        self._by_role: dict[int, Callable[[EditRow, int], Any]] = {
            Role.DisplayRole: self._text,
            Role.AccessibleTextRole: self._spoken,
            Role.CheckStateRole: self._tick,
            Role.ToolTipRole: self._tip,
            Role.ForegroundRole: self._brush,
            Role.TextAlignmentRole: self._side,
        }

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Role.ToolTipRole:
            return COLUMNS[section].tip
        return super().headerData(section, orientation, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every row can be picked and dragged, and its first cell ticked."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        usual = super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled
        return usual | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else usual

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows go from one place to another."""
        return Qt.DropAction.MoveAction

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        answer = self._by_role.get(role)
        return None if answer is None else answer(self.rows[index.row()], index.column())

    def _text(self, row: EditRow, column: int) -> str:
        return COLUMNS[column].text(row)

    def _spoken(self, row: EditRow, column: int) -> str:
        return COLUMNS[column].text(row) if column else "on" if row.edit.is_on else "off"

    def _tick(self, row: EditRow, column: int) -> Any:
        if column:
            return None
        return Qt.CheckState.Checked if row.edit.is_on else Qt.CheckState.Unchecked

    def _tip(self, row: EditRow, column: int) -> str:
        del column
        return f"<qt>{xml_text(row.tip)}</qt>"

    def _side(self, row: EditRow, column: int) -> int:
        del row
        return RIGHT if COLUMNS[column].id in _NUMBERS else LEFT

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A tick asks for another document; the answer to that ticks the box."""
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        is_on = Qt.CheckState(value) is Qt.CheckState.Checked
        self.switched.emit(index.row(), is_on)
        return True

    def _brush(self, row: EditRow, column: int) -> QBrush:
        return QBrush(QColor(self._ink(row, column)))

    def _ink(self, row: EditRow, column: int) -> str:
        theme = self.theme
        if column != FATE:
            return theme.text if row.edit.is_on else theme.faint_text
        return {
            State.HONOURED: theme.good,
            State.CHANGED: theme.warning,
            State.REFUSED: theme.danger,
        }.get(row.state, theme.faint_text)
