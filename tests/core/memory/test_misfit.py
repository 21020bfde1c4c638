"""What is said not to fit does not, and would if any of it were left out."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.progress import SILENT
from core.memory import optimal
from core.memory.misfit import misfit_of
from core.memory.packing import AllocationOptions, Packing, lower_bound
from tests.core.memory.problems import problem_of
from tests.effort import some_of

SPAN = st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 9)).map(
    lambda each: (each[0], each[0] + each[1], each[2])
)
OPTIONS = AllocationOptions(iteration_limit=50)


def height_of(ranges):
    """The lowest there is; these problems are small enough that it is proved."""
    found = optimal.allocate(Packing(ranges=tuple(ranges)), OPTIONS, SILENT)
    assert found.is_proven_optimal
    return found.height_bytes


@given(st.lists(SPAN, max_size=9), st.integers(1, 24))
@settings(max_examples=some_of(200))
def test_of_what_does_not_fit_nothing_can_be_left_out(spans, limit):
    ranges = problem_of(spans).ranges
    found = misfit_of(ranges, limit)
    assert bool(found) == (height_of(ranges) > limit)
    if found:
        assert height_of(ranges[index] for index in found) > limit
    for left_out in found:
        assert height_of(ranges[index] for index in found if index != left_out) <= limit


@given(st.lists(SPAN, max_size=7), st.integers(1, 24))
@settings(max_examples=some_of(200))
def test_where_too_much_is_live_at_a_time_no_fewer_do_not_fit(spans, limit):
    ranges = problem_of(spans).ranges
    if lower_bound(ranges) <= limit:
        return
    found = misfit_of(ranges, limit)
    for fewer in combinations(ranges, len(found) - 1):
        assert lower_bound(fewer) <= limit
