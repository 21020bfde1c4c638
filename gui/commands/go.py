"""Commands that go to a view."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.commands.panels import PANELS
from gui.views.operators.view import OperatorsView


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        *(_panel(panel.name, panel.title, number) for number, panel in enumerate(PANELS, start=1)),
        Command(
            id="operators.find",
            title="Find operators...",
            menu=("Go",),
            section=2,
            keys=("Ctrl+F",),
            run=_find,
        ),
    )


def _panel(name: str, title: str, number: int) -> Command:
    return Command(
        id=f"go.{name}",
        title=title,
        menu=("Go",),
        keys=(f"Ctrl+{number}",),
        run=lambda app: app.panels.show_panel(name),
    )


def _find(app: App) -> None:
    app.panels.show_panel(OperatorsView.NAME)
    app.view(OperatorsView).focus_filter()
