"""The oracle: every schedule of small graphs is tried, and the search finds the same front."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.progress import SILENT
from core.ir.npugraph import OpKind
from core.ir.options import ParetoMetric
from core.schedule.pareto.search import path, search, smallest
from core.schedule.pareto.sets import Filter
from tests.core.schedule.pareto.small import (
    WITH_BUFFERS,
    WITHOUT_BUFFERS,
    Ground,
    Layer,
    Small,
    Whole,
    every_schedule,
    ground,
)
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED
from tests.effort import some_of

of_metrics = pytest.mark.parametrize("metric", ParetoMetric, ids=lambda each: each.value)


def front_of(schedules: list[Whole], room_bytes: float = np.inf) -> list[Whole]:
    """Those that no other one is better than, from the cheapest to the smallest."""
    front: list[Whole] = []
    for each in sorted({each for each in schedules if each.peak_bytes <= room_bytes}):
        if not front or each.peak_bytes < front[-1].peak_bytes:
            front.append(each)
    return front


def found_by_search(
    at: Ground, metric: ParetoMetric, room_bytes: float = np.inf, floor_bytes: int = 0
) -> list[Whole]:
    rule = Filter(room_bytes=room_bytes, metric=metric, candidates=None)
    found = search(at.strategies(), at.spans(), rule, SILENT, floor_bytes=floor_bytes)
    return [Whole(*pair) for pair in zip(found.costs, found.sizes, strict=True)]


@pytest.mark.long
@of_metrics
@settings(max_examples=some_of(60))
@given(small=WITH_BUFFERS)
def test_the_front_of_four_operators_with_weight_buffers(metric, small):
    at = ground(small)
    assert found_by_search(at, metric) == front_of(list(every_schedule(at)))


@of_metrics
@settings(max_examples=12)
@given(small=WITHOUT_BUFFERS)
def test_the_front_of_six_operators(metric, small):
    at = ground(small)
    assert found_by_search(at, metric) == front_of(list(every_schedule(at)))


@pytest.mark.slow
@of_metrics
@settings(max_examples=150)
@given(small=WITH_BUFFERS | WITHOUT_BUFFERS)
def test_the_fronts_of_many(metric, small):
    at = ground(small)
    assert found_by_search(at, metric) == front_of(list(every_schedule(at)))


def layers(*kinds: OpKind, back: tuple[int, ...] = ()) -> tuple[Layer, ...]:
    return tuple(
        Layer(kind=kind, kernel=3, stride=1, channels=24, back=far)
        for kind, far in zip(kinds, (*back, *[0] * (len(kinds) - len(back))), strict=True)
    )


CONV, POOL, ADD, ABS = OpKind.CONV_2D, OpKind.MAX_POOL, OpKind.ADD, OpKind.ABS
GIVEN = {
    "chain": layers(CONV, CONV, CONV, CONV),
    "diamond": layers(CONV, CONV, CONV, ADD, back=(0, 0, 1, 0)),
    "skip": layers(CONV, ABS, CONV, ADD),
    "long chain": layers(POOL, CONV, POOL, CONV, POOL, CONV),
}
"""Branches, and cascades that are worth their while."""


def case(name: str, target, counts_maps: bool = True) -> Ground:
    chosen = NEAR if len(GIVEN[name]) > 4 else target
    return ground(Small(GIVEN[name], chosen, counts_maps, True, True, True))


@pytest.mark.long
@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=["shared", "dedicated"])
@of_metrics
def test_the_fronts_of_given_graphs(metric, target, name):
    for counts_maps in (False, True):
        at = case(name, target, counts_maps)
        front = found_by_search(at, metric)
        assert front == front_of(list(every_schedule(at)))


@pytest.mark.parametrize("name", ["chain", "skip", "long chain"])
def test_the_given_graphs_ask_for_cascades(name):
    at = case(name, SHARED)
    rule = Filter(room_bytes=np.inf, metric=ParetoMetric.MEMORY, candidates=None)
    found = search(at.strategies(), at.spans(), rule, SILENT)
    assert any(step.reads_rolling for last in found.last for step in path(last))


@pytest.mark.parametrize("name", GIVEN)
def test_a_room_cuts_the_front(name):
    """A set that is above the room on the way is never within it in the end."""
    at = case(name, SHARED)
    every = list(every_schedule(at))
    front = front_of(every)
    for room in {each.peak_bytes - slack for each in front for slack in (0, 1)}:
        assert found_by_search(at, ParetoMetric.MEMORY, room) == front_of(every, room)


@pytest.mark.parametrize("name", GIVEN)
def test_the_smallest_is_known_beforehand_and_a_floor_hides_nothing_above_it(name):
    at = case(name, SHARED)
    every = list(every_schedule(at))
    least = min(smallest(at.strategies(), at.spans(), None, SILENT).sizes)
    assert least == min(each.peak_bytes for each in every)
    assert found_by_search(at, ParetoMetric.MEMORY, floor_bytes=least) == front_of(every)


@pytest.mark.parametrize("name", GIVEN)
def test_few_candidates_give_schedules_that_exist_and_keep_the_smallest(name):
    at = case(name, SHARED)
    every = list(every_schedule(at))
    rule = Filter(room_bytes=np.inf, metric=ParetoMetric.MEMORY, candidates=2)
    found = search(at.strategies(), at.spans(), rule, SILENT)
    pairs = {Whole(*pair) for pair in zip(found.costs, found.sizes, strict=True)}
    assert len(pairs) <= 2
    assert pairs <= set(every)
    assert min(found.sizes) == min(each.peak_bytes for each in every)


def test_every_set_has_one_strategy_for_each_operator():
    at = case("diamond", SHARED)
    rule = Filter(room_bytes=np.inf, metric=ParetoMetric.MEMORY, candidates=None)
    found = search(at.strategies(), at.spans(), rule, SILENT)
    for last in found.last:
        assert [step.node for step in path(last)] == [0, 1, 2, 3]
