"""Outlines over the memory map are A's ranges, where they were and when, by the operators of B."""

from __future__ import annotations

import numpy as np
import pytest

from core.api import comparisons
from core.api.comparisons import Fate
from core.base.frozen import replace
from gui.present.memory.differences import NO_OUTLINES, outlines_of
from gui.present.memory.map import TimeScale, area_map, edges_of
from tests.gui.answers import answer_of

DEDICATED = {
    "accelerator": "ethos-u65-256",
    "system_config": "Ethos_U65_High_End",
    "memory_mode": "Dedicated_Sram",
}


def compared(before, after):
    sides = (comparisons.account_of_schedule(each.scheduled) for each in (before, after))
    return comparisons.compare(*sides)


def map_of(answer, area=0):
    return area_map(
        answer.scheduled, answer.scheduled.layout.areas[area], edges_of(answer, TimeScale.STEPS)
    )


@pytest.fixture(scope="module")
def sides():
    return tuple(answer_of("unet_128", limit_bytes=limit, **DEDICATED) for limit in (None, 65536))


@pytest.mark.long
def test_nothing_is_outlined_where_nothing_differs(sides):
    found = outlines_of(compared(sides[0], sides[0]), map_of(sides[0]))
    assert not any(len(each) for each in (found.gone, found.before, found.new))
    assert outlines_of(None, map_of(sides[0])) is NO_OUTLINES


def test_each_range_that_differs_is_outlined_once_in_its_memory(sides):
    found = compared(*sides)
    for area, layout in enumerate(sides[1].scheduled.layout.areas):
        outlines = outlines_of(found, map_of(sides[1], area))
        memory = layout.area.value
        here = [pair for pair in found.ranges if pair.fate is not Fate.SAME]
        of_a = [pair.a for pair in here if pair.a is not None and pair.a.memory == memory]
        assert len(outlines.gone) + len(outlines.before) == len(of_a)
        drawn = np.concatenate([outlines.gone, outlines.before])
        assert sorted(drawn[:, 1]) == sorted(each.address for each in of_a)
        heights = sorted(drawn[:, 3] - drawn[:, 1])
        assert heights == sorted(each.size_bytes for each in of_a)
        assert (drawn[:, 2] > drawn[:, 0]).all()


def test_what_is_new_is_outlined_where_it_lies(sides):
    outlines = outlines_of(compared(*sides), drawn := map_of(sides[1]))
    rects = drawn.rects
    places = set(zip(rects.left, rects.bottom, rects.right, strict=True))
    assert {(left, bottom, right) for left, bottom, right, _ in outlines.new} <= places


@pytest.mark.parametrize("step", [1, 5])
def test_operators_in_another_order_turn_no_outline_around(sides, step):
    found = compared(*sides)
    both = [pair for pair in found.operators if pair.a and pair.b]
    assert len(both) > 2 * step
    first = both[step]
    moved = replace(first, b=replace(first.b, time=both[-1].b.time + 2))
    operators = tuple(moved if pair is first else pair for pair in found.operators)
    for area, _ in enumerate(sides[1].scheduled.layout.areas):
        drawn = map_of(sides[1], area)
        before, after = (
            outlines_of(each, drawn) for each in (found, replace(found, operators=operators))
        )
        boxes = np.concatenate([after.gone, after.before])
        assert (boxes[:, 2] > boxes[:, 0]).all()
        # One operator that runs last moves no range by more than its own time.
        assert np.abs(boxes - np.concatenate([before.gone, before.before])).max() <= 2
