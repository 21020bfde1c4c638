"""Commands that go back and forth between documents, and about what is selected."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.document.selection import NOTHING_SELECTED


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="edit.undo",
            title="Undo",
            menu=("Edit",),
            keys=("Ctrl+Z",),
            label=lambda app: f"Undo {app.store.history.undo_label}".strip(),
            when=lambda app: "" if app.store.history.past else "nothing was changed",
            run=lambda app: app.store.undo(),
        ),
        Command(
            id="edit.redo",
            title="Redo",
            menu=("Edit",),
            keys=("Ctrl+Shift+Z", "Ctrl+Y"),
            label=lambda app: f"Redo {app.store.history.redo_label}".strip(),
            when=lambda app: "" if app.store.history.future else "nothing was undone",
            run=lambda app: app.store.redo(),
        ),
        Command(
            id="edit.clear_selection",
            title="Select nothing",
            menu=("Edit",),
            section=1,
            keys=("Esc",),
            when=_nothing_selected,
            run=_clear,
        ),
    )


def _nothing_selected(app: App) -> str:
    store = app.store
    is_empty = store.selection.is_empty and store.selected_span is None
    return "nothing is selected" if is_empty else ""


def _clear(app: App) -> None:
    app.store.select(NOTHING_SELECTED)
    app.store.mark_span(None)
