"""The table of runs for Qt: names can be written."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QBrush, QColor, QFont

from gui.present.runs.list import COLUMNS, NAME, NUMBERS, STAR, RunRow
from gui.theme.scale import in_bold
from gui.widgets.row_model import RIGHT, Index, Role, RowModel


class RunsModel(RowModel[RunRow]):
    """A row for each run; those that another one beats are grey."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, writable=NAME)

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
                found = in_bold(QFont())
            case Role.TextAlignmentRole if column in NUMBERS:
                found = RIGHT
            case _:
                found = None
        return found
