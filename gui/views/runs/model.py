"""The table of runs for Qt: stars and names can be set."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont

from gui.present.runs.list import COLUMNS, NAME, NUMBERS, STAR, RunRow
from gui.theme.tones import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_NOWHERE = QModelIndex()


class RunsModel(QAbstractTableModel):
    """A row for each run; those that another one beats are grey."""

    named = Signal(int, str)
    """A row, and the name that its run is to have."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RunRow, ...] = ()
        self.theme: Theme = LIGHT

    def set_rows(self, rows: tuple[RunRow, ...]) -> None:
        """Show other runs; where there are as many as before, what is picked stays."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
        elif rows:
            self.rows = rows
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        is_title = orientation is Qt.Orientation.Horizontal and role == Role.DisplayRole
        return COLUMNS[section] if is_title else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every row can be picked, and its name be written."""
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsEditable if index.column() == NAME else usual

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        match role:
            case Role.DisplayRole | Role.EditRole:
                found: Any = row.texts[column]
            case Role.AccessibleTextRole if column == STAR:
                found = "with a star" if row.run.is_starred else "without a star"
            case Role.ToolTipRole:
                found = row.tip
            case Role.ForegroundRole if row.is_dominated:
                found = QBrush(QColor(self.theme.faint_text))
            case Role.FontRole if row.is_shown:
                found = QFont()
                found.setBold(True)
            case Role.TextAlignmentRole if column in NUMBERS:
                found = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _:
                found = None
        return found

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A name was written."""
        if role != Role.EditRole or index.column() != NAME:
            return False
        self.named.emit(index.row(), str(value).strip())
        return True
