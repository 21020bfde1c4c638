"""Rows that a view works out, as a table for Qt: what all such models have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from gui.theme.tones import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Row = TypeVar("Row")
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_NOWHERE = QModelIndex()


class RowModel(QAbstractTableModel, Generic[Row]):
    """Rows below titles; a subclass says what the cells of a row hold."""

    written = Signal(int, str)
    """A row, and the text that its writable cell is to have."""

    def __init__(self, titles: Sequence[str], writable: int | None = None) -> None:
        super().__init__()
        self.titles = tuple(titles)
        self.rows: tuple[Row, ...] = ()
        self.theme: Theme = LIGHT
        self._writable = writable
        """The column whose texts the user can write."""

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; where there are as many as before, what is picked stays."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows = tuple(rows)
            self.endResetModel()
        else:
            self.rows = tuple(rows)
            self._tell_all()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self._tell_all()

    def _tell_all(self) -> None:
        if self.rows:
            end = self.index(len(self.rows) - 1, len(self.titles) - 1)
            self.dataChanged.emit(self.index(0, 0), end)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        is_title = orientation is Qt.Orientation.Horizontal and role == Role.DisplayRole
        return self.titles[section] if is_title else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Every row can be picked, and its writable cell be written."""
        usual = super().flags(index)
        is_writable = index.isValid() and index.column() == self._writable
        return usual | Qt.ItemFlag.ItemIsEditable if is_writable else usual

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """A text was written: whoever listens has it shown."""
        if role != Role.EditRole or index.column() != self._writable:
            return False
        self.written.emit(index.row(), " ".join(str(value).split()))
        return True
