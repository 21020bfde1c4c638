"""Commands that go to a view, or to what the user is told of."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.commands.panels import PANELS, Panel
from gui.views.operators.view import OperatorsView

_DIGITS = 9
"""As many views have a key of their own."""


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        *(_panel(panel, number) for number, panel in enumerate(PANELS, start=1)),
        Command(
            id="go.next_panel",
            title="Next panel",
            menu=("Go",),
            section=1,
            keys=("F6",),
            run=lambda app: app.panels.step(1),
        ),
        Command(
            id="go.previous_panel",
            title="Previous panel",
            menu=("Go",),
            section=1,
            keys=("Shift+F6",),
            run=lambda app: app.panels.step(-1),
        ),
        Command(
            id="go.back",
            title="Back to what was shown",
            menu=("Go",),
            section=1,
            keys=("Alt+Left",),
            run=lambda app: app.sights.back(),
        ),
        Command(
            id="go.forward",
            title="Forward again",
            menu=("Go",),
            section=1,
            keys=("Alt+Right",),
            run=lambda app: app.sights.forward(),
        ),
        *_found(),
        Command(
            id="problems.next",
            title="Next message",
            menu=("Go",),
            section=2,
            keys=("F7",),
            when=_has_message,
            run=lambda app: app.problems.go_to_next(),
        ),
        Command(
            id="problems.put_away",
            title="Put all messages away",
            menu=("Go",),
            section=2,
            keys=("Shift+F7",),
            when=_has_message,
            run=lambda app: app.problems.put_all_away(),
        ),
    )


def _found() -> tuple[Command, ...]:
    """What is looked for, and from one match to the next."""
    return (
        Command(
            id="operators.find",
            title="Filter operators...",
            menu=("Go",),
            section=2,
            keys=("Ctrl+Shift+F",),
            run=_filter,
        ),
        Command(
            id="operators.rules",
            title="Rules that colour...",
            menu=("Go",),
            section=2,
            keys=("Ctrl+Shift+R",),
            run=_rules,
        ),
        Command(
            id="operators.next",
            title="Next match",
            menu=("Go",),
            section=2,
            keys=("F3",),
            when=_has_matches,
            run=lambda app: _step(app, 1),
        ),
        Command(
            id="operators.previous",
            title="Previous match",
            menu=("Go",),
            section=2,
            keys=("Shift+F3",),
            when=_has_matches,
            run=lambda app: _step(app, -1),
        ),
        Command(
            id="go.find",
            title="Find in this view...",
            menu=("Go",),
            section=2,
            keys=("Ctrl+F",),
            run=_find,
        ),
    )


def _panel(panel: Panel, number: int) -> Command:
    return Command(
        id=f"go.{panel.name}",
        title=panel.title,
        menu=("Go",),
        keys=(f"Ctrl+{number}",) if number <= _DIGITS else (),
        run=lambda app: app.panels.show_panel(panel.name),
    )


def _find(app: App) -> None:
    """The table has a filter of its own; what all other views show is found by name."""
    if app.panels.last_focused == OperatorsView.NAME:
        _filter(app)
    else:
        app.dialogs.find()


def _filter(app: App) -> None:
    app.panels.show_panel(OperatorsView.NAME)
    app.view(OperatorsView).focus_filter()


def _rules(app: App) -> None:
    app.panels.show_panel(OperatorsView.NAME)
    app.view(OperatorsView).rules.open()


def _step(app: App, by: int) -> None:
    """Through what is listed, which is seen beside the pictures."""
    app.panels.show_panel(OperatorsView.NAME)
    app.view(OperatorsView).step(by)


def _has_matches(app: App) -> str:
    return "nothing is filtered, and no rule is on" if app.store.matched.is_empty else ""


def _has_message(app: App) -> str:
    return "" if app.problems.count else "there is no message"
