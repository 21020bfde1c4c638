"""The one table of commands: menus, tool bar, palette and shortcut sheet are made from it."""

from __future__ import annotations

from functools import cache

from gui.commands import (
    compare,
    decisions,
    edit,
    explain,
    file,
    go,
    moves,
    notes,
    proof,
    schedule,
    sweep,
    to_cpu,
    view,
)
from gui.commands.command import Command

MENUS = ("File", "Edit", "Schedule", "Compare", "View", "Go", "Help")
"""In the order of the menu bar."""

TOOLS = (
    ("file.open", "file.reload"),
    ("edit.undo", "edit.redo"),
    ("schedule.limit_down", "schedule.limit_up", "schedule.strategy"),
    ("timeline.zoom_in", "timeline.zoom_out", "timeline.frame", "memory.peak"),
    ("view.alone", "view.palette"),
)
"""What the tool bar has, in groups."""


CONTEXT = (
    ("Memory", ("edits.keep", "edits.evict")),
    ("Format and address", ("edits.rows", "edits.bricks", "edits.address")),
    ("Cascade", ("edits.merge", "edits.split", "edits.alone")),
    ("Stripe and block", ("edits.stripe", "edits.higher", "edits.lower", "edits.block")),
    ("Order", ("edits.sooner", "edits.later")),
    (
        "Weights",
        (
            *("edits.weights.direct", "edits.weights.one", "edits.weights.two"),
            *("edits.weights.slices", "edits.weights.early", "edits.weights.late"),
        ),
    ),
    ("Notes", ("notes.add", "notes.add_span")),
    ("All of it", ("edits.reserve", "edits.freeze", "edits.solve_alone", "edits.remove")),
)
"""What the menu about the selection has, in groups with their headings."""


@cache
def commands() -> tuple[Command, ...]:
    """All commands, menu by menu."""
    return (
        *file.commands(),
        *edit.commands(),
        *decisions.commands(),
        *notes.commands(),
        *schedule.commands(),
        *to_cpu.commands(),
        *sweep.commands(),
        *proof.commands(),
        *compare.commands(),
        *view.commands(),
        *go.commands(),
        *moves.commands(),
        *explain.commands(),
    )


def command(name: str) -> Command:
    """The command with this id."""
    return next(found for found in commands() if found.id == name)
