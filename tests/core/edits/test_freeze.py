"""Freeze, the backbone: a schedule whose decisions are all asked for is found again."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.base.frozen import replace
from core.ir.edits import EditFate, Ground
from core.ir.options import Allocator, Engine, EvictionPolicy, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.target.resolve import resolve
from core.tflite import reader
from tests.core.edits.frozen import bench_of, compiled, twice, what_runs
from tests.core.emit.shared_cases import TARGETS
from tests.core.schedule.random_cases import CASES, SHORT_CASES, Case, bench, target_of
from tests.shared import files, need

FEW = {
    ("person_detect", "u55-64-sramonly-perf"),
    ("person_detect", "u65-256-shared-48k"),
    ("resnet8_int8", "u55-256-shared-size"),
    ("resnet8_int8", "u65-512-dedicated-128k"),
    ("kws_dscnn_int8", "u65-512-dedicated-size"),
    ("omv_blazeface_front_128", "u65-512-dedicated-size"),
}
Engines = tuple[Engine, Engine]
ENGINES = tuple(product(Engine, repeat=2))
"""Which of them finds a schedule, and which is asked for it again."""
SEARCHES = (Search.DIRECT, Search.COMPATIBLE)


def is_slow(path: Path, target: str) -> bool:
    return (path.stem, target) not in FEW


MATRIX = [
    pytest.param(
        path, name, marks=[pytest.mark.slow] * is_slow(path, name), id=f"{path.stem}-{name}"
    )
    for path in files("models/*.tflite")
    for name in TARGETS
]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("path", "name"), MATRIX)
def test_a_frozen_schedule_is_the_same_bytes(path: Path, name: str, search: Search):
    accelerator, system, mode, limit, strategy = TARGETS[name]
    target = resolve(accelerator, system, mode, arena_cache_size=limit)
    options = Options(strategy=Strategy(strategy), search=search)
    table = bench_of(reader.read(need(path).read_bytes()), target, options)
    first, again = twice(table, target, options)
    assert what_runs(again) == what_runs(first)
    assert compiled(table, again) == compiled(table, first)
    assert again.schedule.evicted == first.schedule.evicted
    assert {each.fate for each in again.edits} == {EditFate.HONOURED}


@pytest.mark.parametrize(("path", "name"), MATRIX)
def test_what_the_first_scheduler_decides_is_found_again(path: Path, name: str):
    accelerator, system, mode, limit, strategy = TARGETS[name]
    target = resolve(accelerator, system, mode, arena_cache_size=limit)
    options = Options(strategy=Strategy(strategy), search=Search.COMPATIBLE, as_first=True)
    table = bench_of(reader.read(need(path).read_bytes()), target, options)
    first, again = twice(table, target, options)
    assert what_runs(again) == what_runs(first)
    assert compiled(table, again) == compiled(table, first)
    assert {each.fate for each in again.edits} == {EditFate.HONOURED}


def test_a_cascade_holds_a_map_that_stays_far_since_others_read_it_later():
    """It is whole there, and rolls through no buffer; weights that stay near for no gain stay."""
    path = Path(__file__).parents[3] / "resources" / "examples" / "residual_tower.tflite"
    target = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(48 << 10)
    table = bench_of(reader.read(path.read_bytes()), target, Options())
    first, again = twice(table, target, Options())
    assert what_runs(again) == what_runs(first)
    assert {each.fate for each in again.edits} == {EditFate.HONOURED}


def by_other_engine(engine: Engine) -> Engine:
    return Engine.PARETO if engine is Engine.CASCADING else Engine.CASCADING


def is_within_instead(first: Scheduled, again: Scheduled) -> bool:
    """Whether the one is above its limit, which the other engine keeps without what has no room."""
    refused = [each for each in again.edits if each.fate is EditFate.REFUSED]
    if not refused:
        return False
    assert not first.layout.is_within_limits
    assert again.layout.is_within_limits
    reasons = [reason for each in refused for reason in each.reasons]
    assert {reason.ground for reason in reasons} == {Ground.NO_ROOM}
    assert all(reason.needed_bytes > again.target.fast_limit_bytes for reason in reasons)
    return True


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize(("path", "name"), MATRIX)
def test_the_other_engine_finds_the_same_bytes(path: Path, name: str, engine: Engine):
    accelerator, system, mode, limit, strategy = TARGETS[name]
    target = resolve(accelerator, system, mode, arena_cache_size=limit)
    options = Options(strategy=Strategy(strategy), engine=engine)
    table = bench_of(reader.read(need(path).read_bytes()), target, options)
    first, again = twice(table, target, options, by_other_engine(engine))
    if is_within_instead(first, again):
        return
    assert what_runs(again) == what_runs(first)
    assert compiled(table, again) == compiled(table, first)


def holds_frozen(case: Case, search: Search, engines: tuple[Engine, Engine]) -> None:
    one, other = engines
    case = case._replace(options=replace(case.options, search=search, engine=one))
    table = bench(case)
    first, again = twice(table, target_of(case), case.options, other)
    if one is not other and is_within_instead(first, again):
        return
    assert what_runs(again) == what_runs(first)
    assert again.schedule.evicted == first.schedule.evicted
    assert {each.fate for each in again.edits} <= {EditFate.HONOURED}


BEHIND_A_STRANGER = (
    Case(
        seed=143,
        steps=45,
        target=("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
        limit_bytes=603136,
        options=Options(strategy=Strategy.SIZE),
    ),
    Case(
        seed=137,
        steps=60,
        target=("ethos-u65-256", "Ethos_U65_Embedded", "Shared_Sram"),
        limit_bytes=140288,
        options=Options(allocator=Allocator.GREEDY),
    ),
)
"""Right before one of their cascades an operator runs whose maps nobody near it touches."""
ABOVE_ITS_LIMIT = Case(
    seed=3604,
    steps=12,
    target=("ethos-u65-256", "Ethos_U65_Embedded", "Shared_Sram"),
    limit_bytes=18432,
    options=Options(strategy=Strategy.SIZE, allocator=Allocator.GREEDY),
)
"""The Pareto engine is, and the other is not."""


@pytest.mark.long
@example(ABOVE_ITS_LIMIT, Search.DIRECT, (Engine.PARETO, Engine.CASCADING))
@example(BEHIND_A_STRANGER[0], Search.DIRECT, (Engine.CASCADING, Engine.PARETO))
@example(BEHIND_A_STRANGER[1], Search.DIRECT, (Engine.CASCADING, Engine.CASCADING))
@settings(max_examples=12)
@given(SHORT_CASES, st.sampled_from(SEARCHES), st.sampled_from(ENGINES))
def test_random_networks_are_found_again(case: Case, search: Search, engines: Engines):
    holds_frozen(case, search, engines)


@pytest.mark.slow
@settings(max_examples=300)
@given(CASES, st.sampled_from(SEARCHES), st.sampled_from(ENGINES))
def test_many_random_networks_are_found_again(case: Case, search: Search, engines: Engines):
    holds_frozen(case, search, engines)


@pytest.mark.slow
@settings(max_examples=12)
@given(CASES)
def test_what_the_best_search_finds_is_found_again(case: Case):
    """By it, and so by each engine, which it asks."""
    options = replace(case.options, effort=3)
    holds_frozen(case._replace(options=options), Search.BEST, (Engine.CASCADING, Engine.CASCADING))


@pytest.mark.long
@pytest.mark.parametrize("policy", EvictionPolicy)
def test_no_policy_moves_what_is_fixed(policy: EvictionPolicy):
    case = Case(
        seed=13,
        steps=24,
        target=("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram"),
        limit_bytes=48 << 10,
        options=Options(),
    )
    first, _ = twice(bench(case), target_of(case), case.options)
    other = replace(case.options, eviction=policy)
    frozen = twice(bench(case), target_of(case), case.options)[1].options.edits
    found = bench(case).schedule(target_of(case), replace(other, edits=frozen))
    assert what_runs(found) == what_runs(first)
