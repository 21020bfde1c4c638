"""Commands that explain."""

from __future__ import annotations

from gui.commands.command import Command


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="help.shortcuts",
            title="Keys",
            menu=("Help",),
            keys=("?", "F1"),
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
