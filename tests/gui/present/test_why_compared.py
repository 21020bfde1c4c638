"""Why says of the selection what A decides otherwise, with the numbers of the comparison."""

from __future__ import annotations

import pytest

from core.api import comparisons
from core.api.comparisons import Fate
from gui.document.display import ByteUnit, Display
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present.why.compared import compared_with_a
from gui.present.why.text import explanation_of
from tests.gui.answers import answer_of

LIMITS = (200_000, 20_000)
BYTES = Display(byte_unit=ByteUnit.BYTES)


@pytest.fixture(scope="module")
def sides():
    return tuple(answer_of("kws_dscnn", limit_bytes=limit) for limit in LIMITS)


@pytest.fixture(scope="module")
def found(sides):
    accounts = (comparisons.account_of_schedule(each.scheduled) for each in sides)
    return comparisons.compare(*accounts)


def test_each_operator_is_told_with_both_numbers(found, sides):
    for pair in found.operators:
        told = compared_with_a(found, sides[1], Selection(op=pair.b.places[0]))
        assert f"{round(pair.after_cycles):,}" in told[0]
        assert f"{round(pair.before_cycles):,}" in told[0]
        assert len(told) == 1 + len(pair.differences)


def test_each_map_is_told_where_it_was(found, sides):
    maps = {fm.name: fm.id for fm in sides[1].scheduled.run.graph.feature_maps}
    moved = [pair for pair in found.ranges if pair.fate is Fate.MOVED and pair.name in maps]
    assert moved
    for pair in moved:
        told = " ".join(compared_with_a(found, sides[1], Selection(fm=maps[pair.name])))
        assert f"{pair.a.address:#x}" in told
        assert f"{pair.b.address:#x}" in told


def test_it_is_the_first_topic_and_there_only_where_something_is_compared(found, sides):
    told = explanation_of(sides[1], NOTHING_SELECTED, BYTES, compared=found)
    assert told.own[0].title == "Compared with A"
    assert comparisons.words.headline(found) in told.text
    without = explanation_of(sides[1], NOTHING_SELECTED, Display())
    assert "Compared with A" not in without.text
