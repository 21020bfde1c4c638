"""The search for a height finds what a look at every height would find."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from core.schedule.heights import best_height

HEIGHTS = st.tuples(st.integers(1, 40), st.integers(0, 300)).map(lambda n: (n[0], n[0] + n[1]))


class Cascade:
    """Fits up to some height; notes what is tried."""

    def __init__(self, highest: int) -> None:
        self.highest = highest
        self.tried: list[int] = []

    def attempt(self, height: int) -> int | None:
        self.tried.append(height)
        return height if height <= self.highest else None

    @property
    def fitting(self) -> list[int]:
        return [height for height in self.tried if height <= self.highest]


@given(HEIGHTS, st.integers(0, 400))
def test_where_higher_is_faster_it_finds_what_a_full_scan_finds(ends, highest):
    first, last = ends
    fitting = [height for height in range(first, last + 1) if height <= highest]
    found = best_height(first, last, Cascade(highest).attempt, lambda height: 1000 - height)
    assert found == (max(fitting) if fitting else None)


@given(HEIGHTS, st.integers(0, 400), st.randoms(use_true_random=False))
def test_of_what_was_tried_it_takes_the_fastest_and_of_equals_the_highest(ends, highest, random):
    cycles = [random.randrange(5) for _ in range(400)]
    cascade = Cascade(highest)
    found = best_height(*ends, cascade.attempt, cycles.__getitem__)
    if not cascade.fitting:
        assert found is None
        return
    fastest = min(cycles[height] for height in cascade.fitting)
    assert found == max(height for height in cascade.fitting if cycles[height] == fastest)


@given(HEIGHTS, st.integers(0, 400))
def test_it_tries_few_heights_each_once_and_none_outside_its_ends(ends, highest):
    first, last = ends
    cascade = Cascade(highest)
    best_height(first, last, cascade.attempt, lambda _: 0)
    assert len(cascade.tried) == len(set(cascade.tried))
    assert all(first <= height <= last for height in cascade.tried)
    assert len(cascade.tried) <= 1 + math.ceil(math.log2(last - first + 1)) + 1 + 3


@given(HEIGHTS, st.integers(0, 400))
def test_it_tries_the_three_heights_below_the_highest(ends, highest):
    """A little lower can be faster, where the highest leaves its last block nearly empty."""
    first, last = ends
    cascade = Cascade(highest)
    best_height(first, last, cascade.attempt, lambda _: 0)
    top = min(highest, last)
    assert {height for height in range(top - 3, top + 1) if height >= first} <= set(cascade.tried)


def test_where_the_first_height_does_not_fit_nothing_else_is_tried():
    cascade = Cascade(4)
    assert best_height(5, 90, cascade.attempt, lambda _: 0) is None
    assert cascade.tried == [5]
