"""The table of notes for Qt: texts can be written."""

from __future__ import annotations

import html
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor

from gui.present.notes.rows import COLUMNS, TEXT, NoteRow
from gui.theme.tones import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
_NOWHERE = QModelIndex()


class NotesModel(QAbstractTableModel):
    """A row for each note; orphans are in the colour of warnings."""

    written = Signal(int, str)
    """A row, and the text that its note is to have."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[NoteRow, ...] = ()
        self.theme: Theme = LIGHT

    def set_rows(self, rows: tuple[NoteRow, ...]) -> None:
        """Show other notes; where there are as many as before, what is picked stays."""
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
        """Every row can be picked, and its text be written."""
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual | Qt.ItemFlag.ItemIsEditable if index.column() == TEXT else usual

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        match role:
            case Role.DisplayRole | Role.EditRole:
                found: Any = row.texts[column]
            case Role.ToolTipRole:
                found = "<qt>" + html.escape(row.tip).replace("\n", "<br>") + "</qt>"
            case Role.ForegroundRole if row.is_orphan and column != TEXT:
                found = QBrush(QColor(self.theme.warning))
            case _:
                found = None
        return found

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A text was written; an empty one is none."""
        text = " ".join(str(value).split())
        if role != Role.EditRole or index.column() != TEXT or not text:
            return False
        self.written.emit(index.row(), text)
        return True
