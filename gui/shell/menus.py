"""The menu bar and the tool bar, built from the table of commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QMenu, QMenuBar, QToolBar

from gui.commands.command import Command
from gui.shell.actions import Actions


def fill_menu_bar(bar: QMenuBar, titles: Iterable[str], actions: Actions) -> None:
    """Add a menu for each title, and to it the commands that name it."""
    for title in titles:
        menu = bar.addMenu(f"&{title}")
        menu.setObjectName(title)
        menu.aboutToShow.connect(actions.refresh)
        _fill(menu, (title,), [c for c in actions.commands if c.menu[0] == title], actions)


def _fill(
    menu: QMenu, path: tuple[str, ...], commands: Sequence[Command], actions: Actions
) -> None:
    """Add commands in their order; a menu inside is where the first of its commands is."""
    inner: set[str] = set()
    section: int | None = None
    for command in commands:
        name = command.menu[len(path)] if len(command.menu) > len(path) else ""
        if name in inner:
            continue
        if section not in (None, command.section):
            menu.addSeparator()
        section = command.section
        if not name:
            menu.addAction(actions[command.id])
            continue
        inner.add(name)
        below = menu.addMenu(name)
        below.setObjectName(name)
        whole = (*path, name)
        _fill(below, whole, [c for c in commands if c.menu[: len(whole)] == whole], actions)


def fill_tool_bar(bar: QToolBar, groups: Iterable[Sequence[str]], actions: Actions) -> None:
    """Add groups of commands with lines between them."""
    side = bar.fontMetrics().height() + 4
    bar.setIconSize(QSize(side, side))
    for number, group in enumerate(groups):
        if number:
            bar.addSeparator()
        for name in group:
            bar.addAction(actions[name])
            button = bar.widgetForAction(actions[name])
            button.setAccessibleName(actions[name].text())
