"""Commands about what is shown, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gui.commands.command import Command
from gui.commands.panels import PANELS
from gui.document.display import ByteUnit, Display, ThemeChoice, TimeUnit


def commands() -> tuple[Command, ...]:
    """All of them, in the order of the menu."""
    return (
        Command(
            id="view.palette",
            title="All commands...",
            menu=("View",),
            keys=("Ctrl+Shift+P",),
            run=lambda app: app.dialogs.palette(),
        ),
        *(_theme(choice) for choice in ThemeChoice),
        _switch(
            "view.microseconds",
            "Time in microseconds",
            "Ctrl+U",
            lambda display: display.time_unit is TimeUnit.MICROSECONDS,
            _other_time,
        ),
        _switch(
            "view.bytes",
            "Memory in bytes",
            "Ctrl+B",
            lambda display: display.byte_unit is ByteUnit.BYTES,
            _other_bytes,
        ),
        *(_panel(panel.name, panel.title) for panel in PANELS),
        Command(
            id="view.alone",
            title="This panel alone",
            menu=("View",),
            section=2,
            keys=("F11",),
            is_on=lambda app: app.panels.is_alone,
            run=lambda app: app.panels.toggle_alone(),
        ),
        Command(
            id="view.reset_layout",
            title="Reset the layout",
            menu=("View",),
            section=2,
            run=lambda app: app.panels.reset(),
        ),
    )


def _theme(choice: ThemeChoice) -> Command:
    title = "As the system" if choice is ThemeChoice.SYSTEM else choice.value.capitalize()
    return Command(
        id=f"view.theme.{choice.value}",
        title=title,
        menu=("View", "Theme"),
        section=1,
        is_choice=True,
        is_on=lambda app: app.store.display.theme is choice,
        run=lambda app: app.store.set_display(replace(app.store.display, theme=choice)),
    )


def _switch(
    command: str,
    title: str,
    key: str,
    is_on: Callable[[Display], bool],
    other: Callable[[Display], Display],
) -> Command:
    return Command(
        id=command,
        title=title,
        menu=("View",),
        section=1,
        keys=(key,),
        is_on=lambda app: is_on(app.store.display),
        run=lambda app: app.store.set_display(other(app.store.display)),
    )


def _other_time(display: Display) -> Display:
    is_cycles = display.time_unit is TimeUnit.CYCLES
    return replace(display, time_unit=TimeUnit.MICROSECONDS if is_cycles else TimeUnit.CYCLES)


def _other_bytes(display: Display) -> Display:
    is_kib = display.byte_unit is ByteUnit.KIB
    return replace(display, byte_unit=ByteUnit.BYTES if is_kib else ByteUnit.KIB)


def _panel(name: str, title: str) -> Command:
    return Command(
        id=f"view.panel.{name}",
        title=title,
        menu=("View", "Panels"),
        section=2,
        is_on=lambda app: app.panels.is_panel_shown(name),
        run=lambda app: app.panels.toggle_panel(name),
    )
