"""Whoever asks for a turn has one, and the event loop turns in between."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QObject, QTimer
from shiboken6 import delete

from gui.state.turns import Turns


@pytest.fixture
def turns(qapp):
    assert qapp is not None
    return Turns()


@pytest.fixture
def done():
    return []


def test_each_has_a_turn_of_its_own_in_the_order_of_asking(qtbot, turns, done):
    clock, askers = QTimer(), [QObject() for _ in range(5)]
    clock.timeout.connect(lambda: done.append("the loop turned"))
    clock.start(0)
    for number, who in enumerate(askers):
        turns.ask(who, lambda number=number: done.append(number))
    assert not done
    assert not turns.are_taken
    qtbot.waitUntil(lambda: turns.are_taken)
    clock.stop()
    places = [done.index(number) for number in range(5)]
    assert places == sorted(places)
    assert all("the loop turned" in done[a:b] for a, b in pairwise(places))


def test_who_asks_again_keeps_its_place_and_is_served_once(turns, done):
    first, second = QObject(), QObject()
    for who, name in ((first, "first"), (second, "second"), (first, "again")):
        turns.ask(who, lambda name=name: done.append(name))
    turns.finish()
    assert done == ["first", "second"]
    assert turns.are_taken


def test_who_asks_in_its_turn_has_another(turns, done):
    who = QObject()
    turns.ask(who, lambda: turns.ask(who, lambda: done.append("later")))
    turns.finish()
    assert done == ["later"]


def test_who_is_gone_has_no_turn(turns, done):
    gone, here = QObject(), QObject()
    turns.ask(gone, lambda: done.append("gone"))
    turns.ask(here, lambda: done.append("here"))
    delete(gone)
    turns.finish()
    assert done == ["here"]


def test_one_that_fails_keeps_nobody_waiting(qtbot, turns, done):
    def fail() -> None:
        raise ValueError("on purpose")

    failing, waiting = QObject(), QObject()
    turns.ask(failing, fail)
    turns.ask(waiting, lambda: done.append("served"))
    with qtbot.captureExceptions() as errors:
        qtbot.waitUntil(lambda: turns.are_taken)
    assert [kind for kind, *_ in errors] == [ValueError]
    assert done == ["served"]


def test_what_is_looked_at_first_has_one_turn_in_which_it_is_painted_before_others_have_theirs(
    qtbot, turns, done
):
    clock = QTimer()
    clock.timeout.connect(lambda: done.append("the loop turned"))
    turns.pictured.connect(lambda: done.append("painted"))
    table, timeline, memory = (QObject() for _ in range(3))
    turns.ask(table, lambda: done.append("table"))
    for who, name in ((timeline, "timeline"), (memory, "memory")):
        turns.ask(who, lambda name=name: done.append(name), is_first=True)
    clock.start(0)
    qtbot.waitUntil(lambda: turns.are_taken)
    clock.stop()
    first = done.index("timeline")
    assert done[first : first + 3] == ["timeline", "memory", "painted"]
    assert "the loop turned" in done[first : done.index("table")]


def test_what_the_picture_can_do_without_waits_for_it_alone(turns, done):
    memory, side = QObject(), QObject()
    turns.pictured.connect(lambda: done.append("painted"))

    def show() -> None:
        turns.once_painted(side, lambda: done.append("side"))
        done.append("memory")

    show()
    assert done == ["side", "memory"]
    done.clear()
    turns.ask(memory, show, is_first=True)
    turns.finish()
    assert done == ["memory", "painted", "side"]


def test_a_part_of_the_picture_that_fails_keeps_nobody_waiting(qtbot, turns, done):
    def fail() -> None:
        raise ValueError("on purpose")

    failing, other, table = (QObject() for _ in range(3))
    turns.ask(failing, fail, is_first=True)
    turns.ask(other, lambda: done.append("other"), is_first=True)
    turns.ask(table, lambda: done.append("table"))
    with qtbot.captureExceptions() as errors:
        qtbot.waitUntil(lambda: turns.are_taken)
    assert [kind for kind, *_ in errors] == [ValueError]
    assert done == ["other", "table"]
