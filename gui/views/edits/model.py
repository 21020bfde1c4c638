"""The table of edits for Qt."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor

from gui.present.edits.rows import COLUMNS, EditRow, State
from gui.theme.tones import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_NOWHERE = QModelIndex()
FATE = next(place for place, column in enumerate(COLUMNS) if column.id == "fate")
_NUMBERS = frozenset({"number", "cycles", "sram", "evicted"})


class EditsModel(QAbstractTableModel):
    """A row for each edit; the first cell switches it on and off."""

    switched = Signal(int, bool)
    """A row, and whether its edit is to be on."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[EditRow, ...] = ()
        self._theme: Theme = LIGHT
        self._by_role: dict[int, Callable[[EditRow, int], Any]] = {
            Role.DisplayRole: self._text,
            Role.AccessibleTextRole: self._spoken,
            Role.CheckStateRole: self._tick,
            Role.ToolTipRole: self._tip,
            Role.ForegroundRole: self._brush,
            Role.TextAlignmentRole: self._side,
        }

    def set_rows(self, rows: Sequence[EditRow]) -> None:
        """Show other edits; where there are as many as before, what is picked stays."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()
            return
        self.rows = tuple(rows)
        self._tell_all()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._tell_all()

    def _tell_all(self) -> None:
        if self.rows:
            end = self.index(len(self.rows) - 1, len(COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), end)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return COLUMNS[section].title
        return COLUMNS[section].tip if role == Role.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every row can be picked and dragged, and its first cell ticked."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        usual = (
            Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        )
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
        return f"<qt>{html.escape(row.tip)}</qt>"

    def _side(self, row: EditRow, column: int) -> int:
        del row
        is_number = COLUMNS[column].id in _NUMBERS
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)

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
        theme = self._theme
        if column != FATE:
            return theme.text if row.edit.is_on else theme.faint_text
        return {
            State.HONOURED: theme.good,
            State.CHANGED: theme.warning,
            State.REFUSED: theme.danger,
        }.get(row.state, theme.faint_text)
