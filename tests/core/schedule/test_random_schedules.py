"""Schedules and layouts of random networks: judges find nothing, and nothing changes a byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.base.digest import digest_bytes
from core.base.frozen import replace
from core.ir.options import Engine, EvictionPolicy, Options, Search, Strategy
from tests.core.schedule.live import live_bytes
from tests.core.schedule.random_cases import (
    CASES,
    KIB,
    SHORT_CASES,
    TARGETS,
    Case,
    bench,
    findings,
    scheduled,
    target_of,
    text_of,
)

ROOT = Path(__file__).parents[3]

FIXED = tuple(
    Case(
        seed=seed,
        steps=12 + 5 * number,
        target=TARGETS[(2 * number + 1) % len(TARGETS)],
        limit_bytes=(24 << number) * KIB,
        options=Options(
            strategy=list(Strategy)[number % 2], eviction=list(EvictionPolicy)[number % 2]
        ),
    )
    for number, seed in enumerate((11, 12, 13, 17))
)
"""Shared, dedicated and fast-flash memories, both strategies, both ways of eviction."""

APART = Case(
    seed=1 << 20,
    steps=55,
    target=("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram"),
    limit_bytes=8 * KIB,
    options=Options(),
)
"""In another order, operators that have nothing to do with each other run one after the other."""


IN_PARTS = (
    APART._replace(seed=15697, steps=40),
    APART._replace(
        seed=270, steps=21, target=("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
    ),
)
"""Parts of a map are made before and after an operator on the CPU, in two command streams."""


@pytest.mark.long
@example(APART)
@example(IN_PARTS[0])
@example(IN_PARTS[1])
@settings(max_examples=15)
@given(CASES)
def test_judges_find_nothing(case: Case) -> None:
    assert findings(scheduled(case)) == ()


@pytest.mark.long
@settings(max_examples=15)
@given(CASES)
def test_nor_in_what_the_first_scheduler_decides(case: Case) -> None:
    asked = replace(case.options, search=Search.COMPATIBLE, as_first=True)
    assert findings(scheduled(case._replace(options=asked))) == ()


@pytest.mark.slow
@settings(max_examples=1500)
@given(CASES)
def test_judges_find_nothing_in_many(case: Case) -> None:
    assert findings(scheduled(case)) == ()


EARLY = Case(
    seed=679,
    steps=9,
    target=("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    limit_bytes=133 * KIB,
    options=Options(),
)
"""Memory is free, and weights come an operator earlier."""


@pytest.mark.long
@example(EARLY, Engine.PARETO)
@settings(max_examples=20)
@given(SHORT_CASES, st.sampled_from(Engine))
def test_the_search_counts_all_that_is_live_while_an_island_runs(case: Case, engine: Engine):
    """Maps that only pass by as well, where all of them share the memory that has the limit."""
    done = scheduled(case._replace(options=replace(case.options, engine=engine)))
    if done.target.is_spilling:
        return
    for island in done.schedule.islands:
        times = [done.layout.op_times[op.op] for op in island.ops]
        # The time right behind an operator still belongs to it.
        assert island.peak_bytes == max(
            live_bytes(done, time) for time in range(times[0], times[-1] + 2)
        )


def digest_of(case: Case) -> str:
    return digest_bytes(text_of(scheduled(case)).encode())


@pytest.mark.long
def test_a_fresh_process_decides_the_same() -> None:
    """Sets of strings are walked in another order there, and nothing was scheduled before."""
    code = (
        "from tests.core.schedule.test_random_schedules import FIXED, digest_of;"
        "print(*map(digest_of, reversed(FIXED)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[::-1] == [digest_of(case) for case in FIXED]


@pytest.mark.long
@pytest.mark.parametrize("case", FIXED, ids=lambda case: str(case.seed))
def test_what_was_asked_before_changes_nothing(case: Case) -> None:
    """One workbench is asked for other limits and strategies in between, and another network is."""
    first = digest_of(case)
    table, target = bench(case), target_of(case)
    for limit in (16, 600):
        for strategy in Strategy:
            options = Options(strategy=strategy)
            table.schedule(target.with_limit(limit * KIB), options)
    scheduled(FIXED[0])
    again = table.schedule(target, case.options)
    assert digest_bytes(text_of(again).encode()) == first
