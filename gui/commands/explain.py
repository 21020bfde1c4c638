"""Commands that explain."""

from __future__ import annotations

from gui.commands.command import Command
from gui.document.help_pages import FIRST, Page, pages

_PAGE_OF = {
    "timeline": "timeline",
    "memory": "map",
    "cascades": "cascades",
    "network": "cascades",
    "controls": "limit",
    "summary": "limit",
    "front": "limit",
    "operators": "words",
    "decide": "edits",
    "edits": "edits",
    "compare": "compare",
    "proof": "proof",
}
"""The page about a view; where there is none, the first page."""


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="help.contents",
            title="Help for this view",
            menu=("Help",),
            keys=("F1",),
            run=lambda app: app.dialogs.help(_PAGE_OF.get(app.panels.last_focused, FIRST)),
        ),
        *(_page(page) for page in pages()),
        Command(
            id="help.start",
            title="What to begin with",
            menu=("Help",),
            run=lambda app: app.dialogs.start(),
        ),
        Command(
            id="help.tour",
            title="Show me around",
            menu=("Help",),
            run=lambda app: app.tour.start(),
        ),
        Command(
            id="help.next",
            title="Next step of the tour",
            menu=("Help",),
            hides=True,
            when=lambda app: "" if app.tour.is_on else "nobody is shown around",
            run=lambda app: app.tour.go_on(),
        ),
        Command(
            id="help.shortcuts",
            title="Keys and gestures",
            menu=("Help",),
            keys=("?",),
            run=lambda app: app.dialogs.shortcuts(),
        ),
        Command(
            id="help.changelog",
            title="What is new",
            menu=("Help",),
            run=lambda app: app.dialogs.changelog(),
        ),
        Command(
            id="help.report",
            title="Report a fault...",
            menu=("Help",),
            run=lambda app: app.reports.show(),
        ),
        *_about(),
    )


def _about() -> tuple[Command, ...]:
    """Who made this."""
    return (
        Command(
            id="help.licences",
            title="Licences",
            menu=("Help",),
            section=1,
            run=lambda app: app.dialogs.licences(),
        ),
        Command(
            id="help.about",
            title="About Reefpoint",
            menu=("Help",),
            section=1,
            run=lambda app: app.dialogs.about(),
        ),
    )


def _page(page: Page) -> Command:
    return Command(
        id=f"help.page.{page.name}",
        title=page.title,
        menu=("Help", "Pages"),
        run=lambda app: app.dialogs.help(page.name),
    )
