"""The exact search alone: it fits what fits, and says no to what does not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.progress import SILENT
from core.memory.fit import PREFERENCES, Budget, OutOfNodes, Trouble, fit, ranks
from core.memory.optimal import decide
from core.memory.packing import Packing, Range, lower_bound, solution_of
from core.memory.sections import sections_of
from tests.core.memory.problems import (
    MINIMALLOC,
    MINIMALLOC_LIMIT,
    faults,
    lowest_by_trial,
    minimalloc,
    problem_of,
    problems,
    tilings,
)
from tests.effort import some_of


def budget(nodes=20_000):
    return Budget(nodes, SILENT)


@settings(max_examples=some_of(80))
@given(problem=problems(max_ranges=6, alignments=(1, 4, 6), max_size=12))
def test_every_order_of_preference_knows_the_border(problem):
    ranges = tuple(item for item in problem.ranges if item.size_bytes)
    if not ranges:
        return
    problem = Packing(ranges=ranges)
    lowest = lowest_by_trial(problem)
    sections = sections_of(ranges)
    for preference in PREFERENCES:
        addresses = fit(sections, lowest, preference, budget())
        assert addresses is not None
        found = solution_of(problem, addresses)
        assert faults(problem, found) == []
        assert found.height_bytes == lowest
        assert fit(sections, lowest - 1, preference, budget()) is None
    assert decide(sections, lowest - 1, budget()) is None
    assert decide(sections, lowest, budget()) is not None


@settings(max_examples=some_of(100))
@given(problem=tilings())
def test_what_was_cut_from_a_rectangle_fits_it_again(problem):
    sections = sections_of(problem.ranges)
    for preference in PREFERENCES:
        try:
            addresses = fit(sections, problem.limit_bytes, preference, budget(3_000))
        except OutOfNodes:
            continue
        assert addresses is not None
        assert faults(problem, solution_of(problem, addresses)) == []
    assert fit(sections, problem.limit_bytes - 1, PREFERENCES[0], budget()) is None


def answer(sections, capacity, preference):
    try:
        return fit(sections, capacity, preference, budget(2_000)) is not None
    except OutOfNodes:
        return None


@pytest.mark.parametrize("seed", range(40))
def test_the_orders_of_preference_agree(seed):
    """A branch that is cut wrongly is cut at another place by another order."""
    chance = random.Random(seed)
    ranges = tuple(
        Range(
            name=f"r{index}",
            start_time=(first := chance.randrange(10)),
            end_time=first + chance.randrange(5),
            size_bytes=chance.randrange(4, 12),
            # Different alignments make gaps, so that the lower bound is often out of reach.
            alignment=chance.choice((1, 4, 6)),
        )
        for index in range(chance.randrange(8, 16))
    )
    sections = sections_of(ranges)
    for capacity in range(lower_bound(ranges), lower_bound(ranges) + 5):
        answers = {answer(sections, capacity, preference) for preference in PREFERENCES}
        assert len(answers - {None}) <= 1


def test_a_budget_that_ends_leaves_the_question_open():
    spent = budget(5_000)
    with pytest.raises(OutOfNodes):
        decide(sections_of(minimalloc("E").ranges), 1_048_576, spent)
    assert spent.nodes == 0


@pytest.mark.slow
@pytest.mark.parametrize("letter", MINIMALLOC)
def test_what_is_known_to_fit_is_found_by_turns_that_learn(letter):
    problem = minimalloc(letter)
    addresses = decide(sections_of(problem.ranges), MINIMALLOC_LIMIT, budget(300_000))
    assert addresses is not None
    assert faults(problem, solution_of(problem, addresses)) == []


def test_what_was_in_trouble_goes_first_in_the_next_turn():
    sections = sections_of(problem_of([(0, 1, 2), (0, 1, 4), (0, 1, 8)]).ranges)
    trouble = Trouble.none(sections.count)
    indices = np.arange(sections.count)

    def order():
        ranked = ranks(sections, PREFERENCES[0], indices, sections.totals, trouble.levels)
        return np.argsort(ranked).tolist()

    assert order() == [2, 1, 0]
    trouble.now[0] += 5
    assert order() == [2, 1, 0]
    trouble.learn()
    assert order() == [0, 2, 1]
