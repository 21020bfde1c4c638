"""All notes about the network: Enter goes to one, F2 writes it anew, Del takes it away."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.base.frozen import replace
from core.ir.edits import SpanNamed
from gui.document.changes import Part
from gui.present.notes.rows import TEXT, label_of, rows_of, tally_text
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.views.notes.model import NotesModel
from gui.widgets.look_parts import columns_part, scroll_part
from gui.widgets.patient_view import PatientView
from gui.widgets.row_table import RowTable

_NOTHING = (
    "Nothing is noted.\n\n"
    "Select an operator, a feature map or a cascade, or mark a stretch of time with Shift and the"
    " pointer, and press N to write a line about it. It stands in the timeline and the memory map,"
    " and goes with the session, reports, JSON and traces."
)
_LINES_A_ROW = 1.5


class NotesTable(RowTable):
    """Shows the model; keys ask for what is to be done with what is picked."""

    wanted = Signal(int)
    """A row is to be gone to."""
    removed = Signal()

    def __init__(self, model: NotesModel, parent: QWidget | None = None) -> None:
        super().__init__("Notes", parent)
        self.setModel(model)
        self.set_lines_a_row(_LINES_A_ROW)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.horizontalHeader().setStretchLastSection(True)

    def write(self) -> None:
        """Let the user write the note that is picked."""
        current = self.currentIndex()
        if current.isValid():
            self.edit(current.siblingAtColumn(TEXT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes there, F2 writes, Del removes."""
        current = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current.isValid():
            self.wanted.emit(current.row())
        elif event.key() == Qt.Key.Key_F2:
            self.write()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Write a note on its text, go to it elsewhere."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() == TEXT:
            self.edit(index)
        elif index.isValid():
            self.wanted.emit(index.row())


class NotesView(PatientView):
    """A row for each note, also for those about what the network does not have."""

    NAME = "notes"
    TITLE = "Notes"
    PARTS: ClassVar = frozenset({Part.NOTES, Part.ANSWER, Part.DISPLAY})

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(store, _NOTHING, parent)
        self.model = NotesModel()
        self.table = NotesTable(self.model)
        self.tally = QLabel()
        self.tally.setAccessibleName("How many notes there are")
        self.buttons = tuple(
            _button(title, tip)
            for title, tip in (
                ("Go to", "Select what the note is about (Enter)"),
                ("Write", "Write the note anew (F2)"),
                ("Remove", "Remove the notes that are picked (Del)"),
            )
        )
        for button, do in zip(
            self.buttons, (self.go_to_picked, self.table.write, self.remove_picked), strict=True
        ):
            button.clicked.connect(do)
        self.table.wanted.connect(self.go_to)
        self.table.removed.connect(self.remove_picked)
        self.model.written.connect(self.write)
        self.table.selectionModel().selectionChanged.connect(self._show_buttons)
        self._lay_out()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        arrange(bar, between=Gap.MEDIUM)
        bar.addWidget(self.tally, 1)
        for button in self.buttons:
            bar.addWidget(button)
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        lines.addLayout(bar)
        lines.addWidget(self.table, 1)
        header = self.table.horizontalHeader()
        look = {"columns": columns_part(header), "scroll": scroll_part(self.table)}
        self.set_page(page, self.show_parts, look)

    @property
    def has_something(self) -> bool:
        """Whether there is a note."""
        return bool(self._store.notes.entries)

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Show all notes, and which of them have lost their place."""
        store = self._store
        self.model.set_theme(store.theme)
        count = len(self.model.rows)
        rows = rows_of(store.notes.entries, store.answer, store.display)
        self.model.set_rows(rows)
        self.tally.setText(tally_text(rows))
        if len(rows) != count or Part.DISPLAY in parts:
            self.table.fit_columns()
        self._show_buttons()

    def _show_buttons(self) -> None:
        picked = self.table.selected_places()
        for button in self.buttons:
            button.setEnabled(bool(picked))

    # What keys, buttons and commands do.

    def go_to_picked(self) -> None:
        """Select what the first of the picked notes is about."""
        picked = self.table.selected_places()
        if picked:
            self.go_to(picked[0])

    def go_to(self, place: int) -> None:
        """Select what a note is about, in all views; of a stretch of time, mark it too."""
        row = self.model.rows[place]
        if row.target is None:
            return
        self._store.select(row.target)
        if isinstance(row.note.subject, SpanNamed):
            self._store.mark_span(row.span)

    def step(self, step: int) -> None:
        """Go to the next note that has a place, or the one before; they go round."""
        places = [place for place, row in enumerate(self.model.rows) if row.target is not None]
        if not places:
            return
        current = self.table.currentIndex().row()
        if step > 0:
            found = next((place for place in places if place > current), places[0])
        else:
            found = next((place for place in reversed(places) if place < current), places[-1])
        self.table.pick(found)
        self.go_to(found)

    def write(self, place: int, text: str) -> None:
        """Have another text in a note."""
        notes = self._store.notes.entries
        other = replace(notes[place], text=text)
        after = (*notes[:place], other, *notes[place + 1 :])
        self._store.notes.set(after, label_of("Write note", text))

    def remove_picked(self) -> None:
        """Remove the notes that are picked."""
        picked, notes = self.table.selected_places(), self._store.notes.entries
        if picked:
            left = tuple(note for place, note in enumerate(notes) if place not in picked)
            self._store.notes.set(left, label_of("Remove note", notes[picked[0]].text))


def _button(title: str, tip: str) -> QPushButton:
    button = QPushButton(title)
    button.setAccessibleName(f"{title} note")
    button.setToolTip(tip)
    return button
