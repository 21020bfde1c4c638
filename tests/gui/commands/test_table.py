"""The table of commands: everything has a name of its own, and keys that mean one thing."""

from __future__ import annotations

import re

from PySide6.QtGui import QKeySequence

from gui.commands.go import _panel
from gui.commands.panels import PANELS
from gui.commands.table import MENUS, TOOLS, command, commands
from gui.document.examples import FIRST_EXAMPLE
from gui.theme.qpalette import ICONS

SCOPES = {"", *(panel.name for panel in PANELS)}


def test_ids_are_unique_and_say_where_they_belong():
    ids = [found.id for found in commands()]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+(\.[\w\-]+)+", name) for name in ids)


def test_titles_are_unique_where_they_are_listed_together():
    titles = [found.full_title for found in commands()]
    assert len(titles) == len(set(titles))
    assert all(title.strip() for title in titles)


def test_every_command_is_in_a_menu_of_the_menu_bar():
    assert {found.menu[0] for found in commands()} == set(MENUS)
    assert {len(found.menu) for found in commands()} <= {1, 2}


def test_keys_are_keys():
    for found in commands():
        for key in found.keys:
            sequence = QKeySequence(key)
            assert sequence.count() == 1, found.id
            assert sequence.toString() == key, found.id


def test_no_key_means_two_things():
    owners: dict[tuple[str, str], list[str]] = {}
    for found in commands():
        assert set(found.scopes) <= SCOPES
        for scope in found.scopes or ("",):
            for key in found.keys:
                owners.setdefault((scope, key), []).append(found.id)
    assert [ids for ids in owners.values() if len(ids) > 1] == []
    # A key of the whole window would be ambiguous with the same key of a view.
    everywhere = {key for scope, key in owners if not scope}
    assert {key for scope, key in owners if scope} & everywhere == set()


def test_letters_alone_are_keys_of_views_only():
    # In the whole window they would take the letters that are typed into a line.
    letters = {key for found in commands() if not found.scopes for key in found.keys}
    assert {key for key in letters if re.fullmatch(r"[A-Z.,\[\]]", key)} == set()


def test_as_many_views_have_a_key_as_there_are_digits():
    rows = [
        PANELS[0]._replace(make=type(f"V{n}", (), {"NAME": f"v{n}", "TITLE": f"{n}"}))
        for n in range(11)
    ]
    keys = [_panel(row, number).keys for number, row in enumerate(rows, start=1)]
    assert keys == [*((f"Ctrl+{digit}",) for digit in range(1, 10)), (), ()]


def test_the_tool_bar_names_commands_with_icons():
    for group in TOOLS:
        for name in group:
            assert command(name).id == name
            assert (ICONS / f"{name}.svg").exists(), name


def test_there_is_a_command_for_every_view_and_example():
    ids = {found.id for found in commands()}
    for panel in PANELS:
        assert {f"go.{panel.name}", f"view.panel.{panel.name}"} <= ids
    assert f"file.example.{FIRST_EXAMPLE.stem}" in ids
    assert FIRST_EXAMPLE.exists()
