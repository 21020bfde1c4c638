"""Commands that compare what is shown with something else."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.present.runs.comparison import kept_answer
from gui.views.compare.view import CompareView


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="compare.keep",
            title="Keep as A",
            menu=("Compare",),
            keys=("Ctrl+K",),
            when=lambda app: "" if app.store.is_current else "there is no schedule yet",
            run=_keep,
        ),
        Command(
            id="compare.open",
            title="A from a file...",
            menu=("Compare",),
            keys=("Ctrl+Shift+K",),
            when=lambda app: "" if app.store.answer else "there is no schedule yet",
            run=lambda app: app.files.ask_kept(),
        ),
        Command(
            id="compare.two",
            title="Two files...",
            menu=("Compare",),
            run=_ask_two,
        ),
        Command(
            id="compare.show",
            title="Show what differs",
            menu=("Compare",),
            section=1,
            when=_nothing_kept,
            run=lambda app: app.panels.show_panel(CompareView.NAME),
        ),
        Command(
            id="compare.swap",
            title="Swap A and B",
            menu=("Compare",),
            section=1,
            when=_cannot_swap,
            run=_swap,
        ),
        Command(
            id="compare.close",
            title="Compare no more",
            menu=("Compare",),
            section=1,
            when=_nothing_kept,
            run=lambda app: app.store.compared.keep(None),
        ),
    )


def _nothing_kept(app: App) -> str:
    return "" if app.store.compared.kept else "nothing is kept as A"


def _ask_two(app: App) -> None:
    if app.files.ask_two():
        app.panels.show_panel(CompareView.NAME)


def _keep(app: App) -> None:
    if app.store.answer is not None:
        app.store.compared.keep(kept_answer(app.store.answer))


def _cannot_swap(app: App) -> str:
    kept = app.store.compared.kept
    if kept is None:
        return "nothing is kept as A"
    if kept.document is None:
        return "A is a schedule as JSON, which cannot be scheduled again"
    return "" if app.store.is_current else "there is no schedule yet"


def _swap(app: App) -> None:
    """A is asked for, and what was shown is kept; one step of undo."""
    kept, answer = app.store.compared.kept, app.store.answer
    if kept is None or kept.document is None or answer is None:
        return
    app.store.compared.keep(kept_answer(answer))
    app.store.edit(kept.document, "Swap A and B")
