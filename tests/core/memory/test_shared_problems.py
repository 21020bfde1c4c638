"""Live ranges of real networks and the instances that separate allocators."""

from __future__ import annotations

import pytest

from core.base.progress import SILENT
from core.memory import hillclimb, optimal
from core.memory.packing import AllocationOptions
from tests.core.memory.problems import (
    MINIMALLOC,
    MINIMALLOC_LIMIT,
    faults,
    minimalloc,
    peer_problems,
)
from tests.peer import SCHEDULES

PROVEN_SHARE = 0.95
OPTIONS = AllocationOptions(iteration_limit=2_000, node_limit=50_000)
QUICKLY_FOUND = "JKI"


def test_optimal_on_live_ranges_of_real_networks():
    """At the lower bound nearly everywhere, never above HillClimb or the peer."""
    still_open = []
    count = 0
    for schedule in SCHEDULES:
        for name, problem, peer_height in peer_problems(schedule):
            solution = optimal.allocate(problem, OPTIONS, SILENT)
            assert faults(problem, solution) == [], name
            climbed = hillclimb.allocate(problem, OPTIONS, SILENT)
            assert solution.height_bytes <= climbed.height_bytes, name
            assert solution.height_bytes <= peer_height, name
            count += 1
            if not solution.is_proven_optimal:
                still_open.append(name)
    assert count
    assert len(still_open) <= (1 - PROVEN_SHARE) * count, still_open


def fits_the_limit(letter, node_limit):
    problem = minimalloc(letter)
    options = AllocationOptions(node_limit=node_limit, iteration_limit=0, stops_at_limit=True)
    solution = optimal.allocate(problem, options, SILENT)
    assert faults(problem, solution) == []
    return solution.height_bytes <= MINIMALLOC_LIMIT


@pytest.mark.parametrize(
    "letter",
    [
        pytest.param(letter, marks=pytest.mark.slow if place else ())
        for place, letter in enumerate(QUICKLY_FOUND)
    ],
)
def test_optimal_fits_the_easier_instances(letter):
    assert fits_the_limit(letter, 400_000)


@pytest.mark.slow
@pytest.mark.parametrize("letter", sorted(set(MINIMALLOC) - set(QUICKLY_FOUND)))
def test_optimal_fits_the_harder_instances(letter):
    assert fits_the_limit(letter, 8_000_000)
