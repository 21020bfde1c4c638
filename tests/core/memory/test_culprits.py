"""The named ranges do not fit, and each of them is needed for that."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings

from core.base.progress import SILENT
from core.memory.culprits import culprits
from core.memory.problem import AllocationOptions, Problem
from tests.core.memory.problems import lowest_by_trial, problem_of, problems

OPTIONS = AllocationOptions(node_limit=50_000)


@settings(max_examples=60)
@given(problem=problems(max_ranges=6))
def test_culprits_are_irreducible(problem):
    lowest = lowest_by_trial(problem)
    for limit in {lowest, lowest - 1, lowest // 2} - {0, -1}:
        asked = dataclasses.replace(problem, limit_bytes=limit)
        found = culprits(asked, OPTIONS, SILENT)
        assert (found is None) == (lowest <= limit)
        if found is None:
            continue
        assert found.is_irreducible
        chosen = [problem.ranges[index] for index in found.indices]
        assert lowest_by_trial(Problem(ranges=tuple(chosen))) > limit
        for leaver in chosen:
            rest = tuple(item for item in chosen if item is not leaver)
            assert lowest_by_trial(Problem(ranges=rest)) <= limit


def test_the_largest_are_named():
    problem = problem_of([(0, 2, 10), (0, 2, 50), (1, 2, 60), (3, 4, 90)], limit=100)
    found = culprits(problem, OPTIONS, SILENT)
    assert found is not None
    assert found.indices == (1, 2)
    error = found.refusal(problem, 120)
    assert (error.limit_bytes, error.needed_bytes, error.culprits) == (100, 120, ("r1", "r2"))


def test_without_a_limit_nobody_is_guilty():
    assert culprits(problem_of([(0, 1, 5)]), OPTIONS, SILENT) is None
