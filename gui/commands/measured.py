"""Commands about measured cycles."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command

_SECTION = 5


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="file.import_measured",
            title="Import measured cycles...",
            menu=("File",),
            section=_SECTION,
            when=_obstacle,
            run=lambda app: app.files.ask_measured(),
        ),
        Command(
            id="file.forget_measured",
            title="Forget measured cycles",
            menu=("File",),
            section=_SECTION,
            when=lambda app: "" if app.store.measurement else "none were imported",
            run=lambda app: app.files.forget_measured(),
        ),
    )


def _obstacle(app: App) -> str:
    return "" if app.store.answer is not None else "there is no schedule yet"
