"""The table widget of the edits: keys, widths, and rows that are dragged to another place."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gui.present.edits.rows import COLUMNS, State, shown_columns
from gui.views.edits.model import FATE, EditsModel
from gui.widgets.row_table import RowTable

_LINES_A_ROW = 1.5
_LEAST_SUBJECT_LETTERS = 9
_AT_ONCE = frozenset({"on", "fate", "number", "asked", "cycles"})
"""Columns that shall be in sight without scrolling: the subject gives up what they need."""
_SUBJECT = next(place for place, column in enumerate(COLUMNS) if column.id == "subject")


class EditsTable(RowTable):
    """Shows the model; what is dropped elsewhere is told, and moves when the document has."""

    removed = Signal()
    """Del was pressed."""
    toggled = Signal()
    """Space was pressed."""
    dropped = Signal(int)
    """What is picked was dragged before this row."""

    def __init__(self, model: EditsModel, parent: QWidget | None = None) -> None:
        super().__init__("Edits", parent)
        self.edits = model
        self.setModel(model)
        self.set_lines_a_row(_LINES_A_ROW)
        self.horizontalHeader().setStretchLastSection(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self._fitted: tuple[int, frozenset[str]] = (0, frozenset())
        self._subject_px = 0

    def fit(self) -> None:
        """Widths that the longest texts need, until there are more edits or columns."""
        rows = self.edits.rows
        used = shown_columns(rows)
        for place, column in enumerate(COLUMNS):
            self.setColumnHidden(place, column.id not in used)
        count, known = self._fitted
        if len(rows) <= count and used <= known:
            # What became of an edit is always read whole.
            if self.columnWidth(FATE) < (needed := self._need(FATE)):
                self.setColumnWidth(FATE, needed)
                self._share_out()
            return
        self._fitted = (max(len(rows), count), used | known)
        for place in range(len(COLUMNS)):
            self.setColumnWidth(place, self._need(place))
        self._subject_px = self.columnWidth(_SUBJECT)
        self._share_out()

    def _share_out(self) -> None:
        """Give the subject what the others leave of the width, unless the user has set it."""
        if self._subject_px != self.columnWidth(_SUBJECT):
            return
        others = sum(
            self.columnWidth(place)
            for place, column in enumerate(COLUMNS)
            if column.id in _AT_ONCE and not self.isColumnHidden(place)
        )
        least = self.fontMetrics().averageCharWidth() * _LEAST_SUBJECT_LETTERS
        room = max(self.viewport().width() - others, least)
        self._subject_px = min(self._need(_SUBJECT), room)
        self.setColumnWidth(_SUBJECT, self._subject_px)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What matters most stays in sight."""
        super().resizeEvent(event)
        self._share_out()

    def _need(self, place: int) -> int:
        """Pixels that the texts of a column take."""
        column = COLUMNS[place]
        texts = [column.title, *map(column.text, self.edits.rows)]
        if place == FATE:
            texts += [state.value for state in State if state is not State.HELD]
        return self.needed_px(texts)

    def dropEvent(self, event: QDropEvent) -> None:
        """Tell where rows are to go; Qt's own way would move them here alone.

        What comes from elsewhere is not let in by Qt, as rows move inside alone.
        """
        index = self.indexAt(event.position().toPoint())
        below = self.DropIndicatorPosition.BelowItem
        row = index.row() if index.isValid() else len(self.edits.rows)
        is_below = index.isValid() and self.dropIndicatorPosition() == below
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        self.dropped.emit(row + is_below)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Del removes, Space switches."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        elif event.key() == Qt.Key.Key_Space:
            self.toggled.emit()
        else:
            super().keyPressEvent(event)
