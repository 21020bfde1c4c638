"""Sound layouts from every allocator; from Optimal what trial of every order finds."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import InternalError
from core.base.frozen import replace
from core.base.progress import SILENT, Cancelled
from core.memory import greedy, hillclimb, linear, optimal
from core.memory.hillclimb import behind_followers
from core.memory.packing import AllocationOptions, Packing, Range, Trail, lower_bound
from tests.core.memory.problems import (
    ALLOCATORS,
    MINIMALLOC_LIMIT,
    faults,
    lowest_by_trial,
    lowest_place,
    minimalloc,
    pinned_problems,
    problem_of,
    problems,
    tilings,
    trailed_problems,
)
from tests.effort import some_of

QUICK = AllocationOptions(iteration_limit=300, node_limit=20_000)
SOON = replace(QUICK, node_limit=2_000)
"""Searches that would stay open do so sooner; what they have found by then is judged as well."""


@pytest.mark.long
@given(problem=problems(), again=st.sampled_from(sorted(ALLOCATORS)))
def test_layouts_are_sound_and_the_same_again_and_none_is_below_optimals(problem, again):
    found = {name: allocate(problem, SOON, SILENT) for name, allocate in ALLOCATORS.items()}
    for name, solution in found.items():
        assert faults(problem, solution, may_share=name == "LinearAlloc") == [], name
        assert name == "LinearAlloc" or solution.lower_bound_bytes >= lower_bound(problem.ranges)
    for name in ("HillClimb", "Greedy"):
        assert found["Optimal"].height_bytes <= found[name].height_bytes
    assert ALLOCATORS[again](problem, SOON, SILENT) == found[again]


@pytest.mark.long
@pytest.mark.parametrize("name", ALLOCATORS)
@given(problem=pinned_problems())
def test_given_addresses_are_kept_and_the_others_are_around_them(name, problem):
    solution = ALLOCATORS[name](problem, SOON, SILENT)
    assert faults(problem, solution, may_share=name == "LinearAlloc") == []
    for item, address in zip(problem.ranges, solution.addresses, strict=True):
        assert item.address in (None, address)


@pytest.mark.long
@pytest.mark.parametrize("name", ALLOCATORS)
@given(problem=trailed_problems())
def test_ranges_share_bytes_with_those_that_follow_them_and_no_others(name, problem):
    solution = ALLOCATORS[name](problem, SOON, SILENT)
    assert faults(problem, solution) == []


def test_what_follows_a_range_lies_below_it_by_its_lead():
    problem = replace(
        problem_of([(0, 3, 100), (2, 5, 80), (4, 7, 90)]),
        trails=(
            Trail(0, 1, 10),
            Trail(1, 2, 30),
        ),
    )
    solution = hillclimb.allocate(problem, QUICK, SILENT)
    # The third begins at 0, the second 30 above it, and the first 10 above that.
    assert (solution.addresses, solution.height_bytes) == ((40, 30, 0), 140)
    assert solution.is_proven_optimal


def test_a_range_lies_where_it_shares_most_with_the_one_that_follows_it():
    # Below the second, which cannot lie lower, there is room for the first; but so there is for
    # the fourth, which shares nothing.
    spans = [(0, 1, 90), (0, 3, 90), (2, 5, 180), (0, 1, 60), (0, 1, 30)]
    problem = replace(problem_of(spans), trails=(Trail(0, 1, 0), Trail(1, 2, 90)))
    solution = hillclimb.allocate(problem, replace(QUICK, iteration_limit=0), SILENT)
    assert solution.addresses[:3] == (90, 90, 0)
    assert solution.height_bytes == 180
    assert solution.is_proven_optimal


def test_ranges_that_follow_each_other_have_their_turns_together():
    trails = (Trail(0, 1, 0), Trail(1, 2, 10))
    assert behind_followers([1, 3, 0, 2, 4], trails) == [2, 1, 0, 3, 4]
    assert behind_followers([3, 0, 4, 1, 2], trails) == [3, 2, 1, 0, 4]


@given(problem=trailed_problems(), chosen=st.sets(st.integers(0, 24), max_size=8))
def test_nothing_meets_a_given_address_whoever_follows_whom(problem, chosen):
    found = greedy.allocate(problem, SOON, SILENT)
    ranges = tuple(
        replace(item, address=address) if index in chosen else item
        for index, (item, address) in enumerate(zip(problem.ranges, found.addresses, strict=True))
    )
    pinned = replace(problem, ranges=ranges)
    for allocate in ALLOCATORS.values():
        assert faults(pinned, allocate(pinned, SOON, SILENT)) == []


@given(problem=problems(max_ranges=8))
def test_addresses_of_a_layout_that_are_given_are_that_layout(problem):
    ranges = tuple(replace(item, content=None) for item in problem.ranges)
    found = optimal.allocate(Packing(ranges=ranges), SOON, SILENT)
    pairs = zip(ranges, found.addresses, strict=True)
    given_ranges = tuple(replace(item, address=address) for item, address in pairs)
    for allocate in ALLOCATORS.values():
        again = allocate(Packing(ranges=given_ranges), SOON, SILENT)
        assert (again.addresses, again.height_bytes) == (found.addresses, found.height_bytes)


@given(problem=tilings())
def test_a_limit_that_some_allocator_meets_is_met_by_optimal(problem):
    content = replace(QUICK, stops_at_limit=True)
    height = optimal.allocate(problem, content, SILENT).height_bytes
    others = [allocate(problem, QUICK, SILENT).height_bytes for allocate in ALLOCATORS.values()]
    assert height <= problem.limit_bytes or min(others) > problem.limit_bytes


@pytest.mark.parametrize(
    ("limit", "orders"),
    # There is no hurry below what is live at once, and none above what is reached.
    [(MINIMALLOC_LIMIT, 60), (None, 20), (1, 20), (1 << 40, 20)],
)
def test_hillclimb_ends_where_nothing_has_moved_for_a_while(limit, orders, monkeypatch):
    tried = []
    attempt = hillclimb._Climb.attempt

    def watched(climb, **how):
        tried.append(attempt(climb, **how))
        return tried[-1]

    monkeypatch.setattr(hillclimb._Climb, "attempt", watched)
    problem = replace(minimalloc("A"), limit_bytes=limit)
    options = replace(QUICK, iteration_limit=99_999, patience_above_limit=60, patience=20)
    assert hillclimb.allocate(problem, options, SILENT).height_bytes > MINIMALLOC_LIMIT
    assert tried[-orders:] == [True] + [False] * (orders - 1)


@settings(max_examples=some_of(60))
@given(problem=problems(max_ranges=6))
def test_optimal_is_what_trial_of_every_order_finds(problem):
    solution = optimal.allocate(problem, QUICK, SILENT)
    assert solution.height_bytes == lowest_by_trial(problem)
    assert solution.is_proven_optimal


@settings(max_examples=15)
@given(problem=problems(max_ranges=7, alignments=(1,), max_size=9))
def test_optimal_is_what_trial_finds_for_seven(problem):
    assert optimal.allocate(problem, QUICK, SILENT).height_bytes == lowest_by_trial(problem)


@pytest.mark.parametrize(
    ("spans", "height"),
    [
        # The unit anchors of the peer's hill climb.
        (
            [(0, 100, 8000), (0, 1, 8016), (100, 110, 2000), (108, 110, 4000), (109, 110, 6000)],
            16016,
        ),
        (
            [
                *[(0, 23, 131072), (4, 5, 65568), (4, 9, 8192), (8, 30, 15360), (10, 11, 65568)],
                *[(10, 15, 4096), (16, 17, 65552), (16, 21, 2048), (22, 23, 32784), (22, 27, 1024)],
            ],
            216_096,
        ),
        ([], 0),
        ([(0, 0, 0)], 0),
        # Two that cannot both be low: the sum is 4 at all times, and yet 4 is not enough.
        ([(0, 1, 2), (1, 2, 1), (2, 3, 2), (0, 0, 2), (3, 3, 2), (2, 2, 1), (1, 1, 1)], 4),
    ],
)
def test_known_heights(spans, height):
    problem = problem_of(spans)
    assert optimal.allocate(problem, QUICK, SILENT).height_bytes == height
    assert hillclimb.allocate(problem, QUICK, SILENT).height_bytes == height


@given(problem=problems())
def test_first_fits_are_two_sound_layouts(problem):
    found = greedy.first_fits(problem)
    assert [faults(problem, solution) for solution in found] == [[], []]


def test_first_fits_are_by_size_and_by_area():
    short, long, high = (0, 1, 4), (0, 9, 3), (1, 2, 5)
    by_size, by_area = greedy.first_fits(problem_of([short, long, high]))
    assert by_size.addresses == (5, 9, 0)
    assert by_area.addresses == (8, 0, 3)


def test_greedy_takes_the_tightest_gap():
    # One above the other; those of 7 bytes stay, and leave gaps of 50, 20 and 30 bytes.
    early = [(at, 30 if size == 7 else 7, size) for at, size in enumerate((7, 50, 7, 20, 7, 30, 7))]
    late = [(at, 30, size) for at, size in enumerate((18, 28, 51, 45), start=8)]
    addresses = greedy.allocate(problem_of([*early, *late]), QUICK, SILENT).addresses
    assert addresses == (0, 7, 57, 64, 84, 91, 121, 64, 91, 128, 7)


@given(
    problem=trailed_problems() | pinned_problems(), tries=st.integers(1, 20), is_stuck=st.booleans()
)
def test_hillclimb_stands_after_every_try_as_if_all_were_placed_anew(problem, tries, is_stuck):
    if not problem.ranges:
        return
    climb = hillclimb._Climb(problem, random.Random(1))
    bound = lower_bound(problem.ranges, problem.trails)
    for _ in range(tries):
        if climb.best <= bound:
            return
        climb.attempt(is_stuck=is_stuck)
        stood = list(climb._ends), list(climb._rests_on)
        for index in climb._order:
            climb._place(index)
        assert stood == (climb._ends, climb._rests_on)
        assert max(climb._ends) == climb.best


@given(problem=problems())
def test_hillclimb_begins_with_the_fullest_times_then_the_long_the_early_and_the_large(problem):
    ranges = problem.ranges

    def live(time):
        return sum(r.size_bytes for r in ranges if r.start_time <= time <= r.end_time)

    def turn(item):
        times = range(item.start_time, item.end_time + 1)
        return -max(map(live, times)), -len(times), item.start_time, -item.size_bytes

    order = [ranges[index] for index in hillclimb.initial_order(ranges)]
    assert order == sorted(ranges, key=turn)


@given(problem=problems(max_ranges=12))
def test_hillclimb_puts_each_range_as_low_as_those_before_it_leave_room(problem):
    ranges = tuple(item for item in problem.ranges if item.size_bytes)
    climb = hillclimb._Climb(Packing(ranges=ranges), random.Random(1))
    placed: list[tuple[int, Range]] = []
    for index in hillclimb.initial_order(ranges):
        address = lowest_place(ranges[index], placed)
        assert climb.best_addresses[index] == address
        placed.append((address, ranges[index]))


def test_linear_shares_equal_constants():
    item = {"size_bytes": 20, "start_time": 0, "end_time": 9}
    names = [("a", None), ("b", "x"), ("c", "y"), ("d", "x")]
    ranges = tuple(Range(name=name, content=content, **item) for name, content in names)
    solution = linear.allocate(Packing(ranges=ranges), QUICK, SILENT)
    assert solution.addresses == (0, 32, 64, 32)
    assert solution.height_bytes == 84
    assert solution.is_proven_optimal


def test_the_bound_counts_the_gaps_of_alignment():
    spans = [(0, 1, 17), (1, 2, 1)]
    assert lower_bound(problem_of(spans).ranges) == 18
    # The smaller one below: one granule for it, and the larger one without the gap behind it.
    assert lower_bound(problem_of(spans, alignment=16).ranges) == 16 + 17


def test_a_range_has_a_duration():
    with pytest.raises(InternalError):
        Range(name="x", size_bytes=1, start_time=2, end_time=1)


class Impatient:
    def advance(self, *_):
        raise Cancelled


@pytest.mark.parametrize("name", ["Greedy", "HillClimb", "Optimal"])
def test_a_search_can_be_cancelled(name):
    with pytest.raises(Cancelled):
        ALLOCATORS[name](minimalloc("A"), QUICK, Impatient())


def test_being_content_with_the_limit_is_faster_and_within_it():
    options = AllocationOptions(stops_at_limit=True, iteration_limit=0, node_limit=100_000)
    problem = minimalloc("J")
    solution = optimal.allocate(problem, options, SILENT)
    assert solution.height_bytes <= MINIMALLOC_LIMIT
    assert faults(problem, solution) == []
