"""Commands about what is shown, and how."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import replace
from gui.commands.app import App
from gui.commands.command import Command
from gui.commands.panels import PANELS
from gui.document.display import TEXT_PERCENTS, ByteUnit, Display, ThemeChoice, TimeUnit
from gui.settings.preferences import Preferences


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
        _text_size("view.larger", "Larger text", ("Ctrl++", "Ctrl+="), 1),
        _text_size("view.smaller", "Smaller text", ("Ctrl+-",), -1),
        _preference(
            "view.follow",
            "Selecting brings Why forward",
            lambda kept: kept.follows,
            lambda kept: kept.with_following(follows=not kept.follows),
        ),
        _preference(
            "view.one_axis",
            "Timeline and memory map move together",
            lambda kept: kept.has_one_axis,
            lambda kept: kept.with_one_axis(is_one=not kept.has_one_axis),
        ),
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
        *(_byte_unit(unit) for unit in ByteUnit),
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
    names = {ThemeChoice.SYSTEM: "As the system", ThemeChoice.CONTRAST: "High contrast"}
    title = names.get(choice, choice.value.capitalize())
    return Command(
        id=f"view.theme.{choice.value}",
        title=title,
        menu=("View", "Theme"),
        section=1,
        is_choice=True,
        is_on=lambda app: app.store.display.theme is choice,
        run=lambda app: app.store.set_display(replace(app.store.display, theme=choice)),
    )


def _preference(
    command: str,
    title: str,
    is_on: Callable[[Preferences], bool],
    other: Callable[[Preferences], Preferences],
) -> Command:
    """What the app remembers, on or off."""
    return Command(
        id=command,
        title=title,
        menu=("View",),
        section=1,
        is_on=lambda app: is_on(app.preferences),
        run=lambda app: app.prefer(other(app.preferences)),
    )


def _text_size(command: str, title: str, keys: tuple[str, ...], step: int) -> Command:
    def next_percent(display: Display) -> int:
        """The next size; 0 where there is none."""
        at = TEXT_PERCENTS.index(display.text_percent) + step
        return TEXT_PERCENTS[at] if 0 <= at < len(TEXT_PERCENTS) else 0

    def run(app: App) -> None:
        display = app.store.display
        app.store.set_display(replace(display, text_percent=next_percent(display)))

    return Command(
        id=command,
        title=title,
        menu=("View",),
        section=1,
        keys=keys,
        when=lambda app: "" if next_percent(app.store.display) else "it is so already",
        run=run,
    )


def _byte_unit(unit: ByteUnit) -> Command:
    titles = {ByteUnit.HEX: "Bytes, hexadecimal", ByteUnit.BYTES: "Bytes"}
    return Command(
        id=f"view.sizes.{unit.value.lower()}",
        title=titles.get(unit, unit.value),
        menu=("View", "Sizes in"),
        section=1,
        is_choice=True,
        is_on=lambda app: app.store.display.byte_unit is unit,
        run=lambda app: app.store.set_display(replace(app.store.display, byte_unit=unit)),
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
    is_bytes = display.byte_unit is ByteUnit.BYTES
    return replace(display, byte_unit=ByteUnit.KIB if is_bytes else ByteUnit.BYTES)


def _panel(name: str, title: str) -> Command:
    return Command(
        id=f"view.panel.{name}",
        title=title,
        menu=("View", "Panels"),
        section=2,
        is_on=lambda app: app.panels.is_panel_shown(name),
        run=lambda app: app.panels.toggle_panel(name),
    )
