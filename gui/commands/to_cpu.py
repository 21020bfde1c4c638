"""The command that takes back what settings put on the CPU; edits put single operators there."""

from __future__ import annotations

from gui.commands.app import App
from gui.commands.command import Command
from gui.commands.schedule import change

_KNOB = "to_cpu"


def commands() -> tuple[Command, ...]:
    """The only one."""
    return (
        Command(
            id="schedule.to_cpu.none",
            title="Put nothing on the CPU on purpose",
            menu=("Schedule",),
            section=1,
            when=lambda app: "" if _asked(app) else "nothing is on the CPU on purpose",
            run=lambda app: change(app, _KNOB, ()),
        ),
    )


def _asked(app: App) -> tuple[str, ...]:
    return app.store.document.settings.options.to_cpu
