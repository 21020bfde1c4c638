"""Commands that write notes, and go through them."""

from __future__ import annotations

from core.ir.edits import Subject
from core.ir.notes import Note
from gui.commands.app import App
from gui.commands.command import Command
from gui.present.notes.rows import NOTHING_TO_NOTE, asking_text, label_of
from gui.present.notes.subjects import subject_of, subject_of_span
from gui.views.cascades.view import CascadesView
from gui.views.memory.view import MemoryView
from gui.views.network.view import NetworkView
from gui.views.notes.view import NotesView
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from gui.views.why.view import WhyView

_SCOPES = tuple(
    kind.NAME
    for kind in (TimelineView, MemoryView, OperatorsView, NetworkView, CascadesView, WhyView)
)


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="notes.add",
            title="Note...",
            menu=("Edit", "Notes"),
            keys=("N",),
            scopes=_SCOPES,
            when=lambda app: _obstacle(app, _subject(app)),
            run=lambda app: _ask(app, _subject(app)),
        ),
        Command(
            id="notes.add_span",
            title="Note about the marked stretch of time...",
            menu=("Edit", "Notes"),
            keys=("Shift+N",),
            scopes=_SCOPES,
            when=lambda app: _obstacle(app, _marked(app)),
            run=lambda app: _ask(app, _marked(app)),
        ),
        Command(
            id="notes.next",
            title="Next note",
            menu=("Edit", "Notes"),
            section=1,
            keys=("F4",),
            when=_no_notes,
            run=lambda app: _go(app, 1),
        ),
        Command(
            id="notes.previous",
            title="Previous note",
            menu=("Edit", "Notes"),
            section=1,
            keys=("Shift+F4",),
            when=_no_notes,
            run=lambda app: _go(app, -1),
        ),
        Command(
            id="notes.read",
            title="Notes from a file...",
            menu=("Edit", "Notes"),
            section=2,
            when=lambda app: "" if app.store.document.model else "no model is open",
            run=lambda app: app.note_files.ask(),
        ),
        Command(
            id="notes.remove_all",
            title="Remove all notes",
            menu=("Edit", "Notes"),
            section=2,
            when=_no_notes,
            run=lambda app: app.store.notes.set((), "Remove all notes"),
        ),
    )


def _subject(app: App) -> Subject | None:
    """What is selected; where nothing is, what is marked."""
    store = app.store
    if store.answer is None:
        return None
    return subject_of(store.answer, store.selection) or _marked(app)


def _marked(app: App) -> Subject | None:
    store = app.store
    if store.answer is None or store.selected_span is None:
        return None
    return subject_of_span(store.answer, store.selected_span)


def _obstacle(app: App, subject: Subject | None) -> str:
    if app.store.answer is None:
        return "there is no schedule yet"
    return "" if subject is not None else NOTHING_TO_NOTE


def _no_notes(app: App) -> str:
    return "" if app.store.notes.entries else "nothing is noted"


def _ask(app: App, subject: Subject | None) -> None:
    """Let the user write a line; an empty one is no note."""
    if subject is None:
        return

    def add(text: str) -> None:
        line = " ".join(text.split())
        if line:
            notes = (*app.store.notes.entries, Note(subject=subject, text=line))
            app.store.notes.set(notes, label_of("Note", line))

    app.dialogs.ask_text(asking_text(subject, app.store.answer), "", add)


def _go(app: App, step: int) -> None:
    """Go to the note after the one that was gone to last."""
    view = app.view(NotesView)
    view.catch_up()
    view.step(step)
