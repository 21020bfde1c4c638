"""Notes as rows of a table, and as what undo calls them."""

from __future__ import annotations

from core.api import notes as door
from core.api.edits import subject_text
from core.base.frozen import NamedTuple
from core.ir.edits import Subject
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.display import Display, Span
from gui.document.problem import Lasts, Problem
from gui.document.selection import Selection
from gui.present import units
from gui.present.edits.subjects import call_of
from gui.present.notes.subjects import span_of, target_of
from gui.present.timeline.text import scale_of

COLUMNS = ("#", "About", "Note", "When")
TEXT = 2
NOTHING_TO_NOTE = "nothing that has a name is selected or marked"
_MOST_LETTERS = 40


class NoteRow(NamedTuple):
    """A note as the table shows it."""

    number: int
    """From 1 on, as its flag has it."""
    note: Note
    texts: tuple[str, ...]
    target: Selection | None
    """What it is about, where the network has that."""
    span: Span | None
    is_orphan: bool
    tip: str


def rows_of(
    notes: tuple[Note, ...], answer: Answer | None, display: Display
) -> tuple[NoteRow, ...]:
    """A row for each, in their order; without an answer nothing is known of their places."""
    return tuple(_row(place, note, answer, display) for place, note in enumerate(notes, 1))


def _row(number: int, note: Note, answer: Answer | None, display: Display) -> NoteRow:
    about = subject_text(note.subject, call_of(answer))
    target = None if answer is None else target_of(answer, note.subject)
    span = None if answer is None else span_of(answer, note.subject)
    is_orphan = answer is not None and target is None
    when = "no such name" if is_orphan else ""
    if answer is not None and span is not None:
        scale = scale_of(answer, display)
        when = scale.stretch(span.start_cycle, span.end_cycle)
    remark = f"\nOrphan: {door.ORPHAN}." if is_orphan else ""
    return NoteRow(
        number=number,
        note=note,
        texts=(str(number), about, note.text, when),
        target=target,
        span=span,
        is_orphan=is_orphan,
        tip=f"{note.text}\nAbout {about}{remark}",
    )


def not_read(name: str, reason: str) -> Problem:
    """Why a file's notes were not taken."""
    return Problem(key="notes.read", message=f"{name}: {reason}.", lasts=Lasts.MODEL)


def tally_text(rows: tuple[NoteRow, ...]) -> str:
    """How many there are, and how many of them have no place."""
    lost = sum(row.is_orphan for row in rows)
    told = units.counted(len(rows), "note")
    return (
        f"{told}, {units.counted(lost, 'orphan')}: the network has no such name" if lost else told
    )


def asking_text(subject: Subject, answer: Answer | None) -> str:
    """What stands over the line for a note."""
    return f"Note about {subject_text(subject, call_of(answer))}"


def label_of(deed: str, text: str) -> str:
    """What undo calls it."""
    short = text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}\u2026"
    return f"{deed}: {short}"
