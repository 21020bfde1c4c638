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
