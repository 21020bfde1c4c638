"""The table of notes for Qt: texts can be written."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QBrush, QColor

from core.base.harmless import xml_text
from gui.present.notes.rows import COLUMNS, TEXT, NoteRow
from gui.widgets.row_model import Index, Role, RowModel


class NotesModel(RowModel[NoteRow]):
    """A row for each note; orphans are in the colour of warnings."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, writable=TEXT)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        match role:
            case Role.DisplayRole | Role.EditRole:
                return row.texts[column]
            case Role.ToolTipRole:
                return "<qt>" + xml_text(row.tip).replace("\n", "<br>") + "</qt>"
            case Role.ForegroundRole if row.is_orphan and column != TEXT:
                return QBrush(QColor(self.theme.warning))
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A text was written; an empty one is none."""
        return bool(str(value).strip()) and super().setData(index, value, role)
