"""Whose weight buffers stood in the way of maps that were evicted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.ids import FmId, NpuOpId
from core.ir.schedule import Evicted
from core.liveness.lives import Life
from core.schedule.problem import Problem
from core.schedule.reducing import evicted_beside
from tests.core.schedule.sketch import DEDICATED, Sketch, bench

TIMES = st.tuples(st.integers(0, 12), st.integers(0, 5)).map(lambda t: (t[0], t[0] + t[1]))


def chain() -> Problem:
    """Four operators in the second island: their places differ from their ids."""
    s = Sketch()
    value = s.map((1, 8, 8, 16))
    s.cpu((s.conv(s.input((1, 8, 8, 16))),), (value,))
    for _ in range(4):
        value = s.conv(value)
    return bench(s.build(value), DEDICATED).prepared.problems[1]


PROBLEM = chain()


def buffer(op: int, start: int, end: int) -> Life:
    return Life(size_bytes=1, start_time=start, end_time=end, op=NpuOpId(op))


def evicted(size: int, start: int, end: int) -> Evicted:
    return Evicted(fms=(FmId(2),), start_time=start, end_time=end, size_bytes=size)


@given(st.lists(TIMES, max_size=4), st.lists(st.tuples(TIMES, st.integers(1, 99)), max_size=4))
def test_a_buffer_meets_what_it_shares_more_than_one_time_with(buffers, others):
    """At the one time between two operators what ends and what begins may both be there."""
    lives = [buffer(op, *times) for op, times in enumerate(buffers, start=1)]
    gone = [evicted(size, *times) for times, size in others]
    expected = {}
    for place, (start, end) in enumerate(buffers):
        own = set(range(start, end + 1))
        beside = sum(
            size for (first, last), size in others if len(own & set(range(first, last + 1))) > 1
        )
        if beside:
            expected[place] = beside
    assert evicted_beside(PROBLEM, lives, gone) == expected


def test_maps_that_stayed_are_no_buffers():
    life = Life(size_bytes=64, start_time=0, end_time=9, fms=(FmId(3),))
    assert evicted_beside(PROBLEM, [life], [evicted(32, 0, 9)]) == {}


def test_operators_are_named_by_their_place_in_the_island():
    assert evicted_beside(PROBLEM, [buffer(3, 4, 5)], [evicted(32, 0, 9)]) == {2: 32}
