"""Commands about what the user is told of."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="problems.next",
            title="Next message",
            menu=("Go",),
            section=2,
            keys=("F8",),
            when=_none,
            run=lambda app: app.problems.go_to_next(),
        ),
        Command(
            id="problems.put_away",
            title="Put all messages away",
            menu=("Go",),
            section=2,
            keys=("Shift+F8",),
            when=_none,
            run=lambda app: app.problems.put_all_away(),
        ),
    )


def _none(app: App) -> str:
    return "" if app.problems.count else "there is no message"
