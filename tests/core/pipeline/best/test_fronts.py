"""One front answers every limit: more memory never costs cycles, and no single search is better."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.base.frozen import replace
from core.base.progress import Cancelled
from core.edits.names import Names
from core.ir.decisions import FrontAnswered
from core.ir.edits import Edit, What
from core.ir.front import Ask
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline import scheduled
from core.pipeline.best.plan import rungs_below
from core.pipeline.roomless import Roomless
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.schedule.random_cases import CASES, KIB, Case, bench, findings
from tests.effort import some_of
from tests.gui.models import cpu_only, one_operator
from tests.networks.small_networks import small_or_example

NETWORKS = ("kws_dscnn", "resnet8", "short_tower", "shuffle_with_cpu")
SHARED = resolve("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
BEST = Options(search=Search.BEST, effort=6)

of_networks = pytest.mark.parametrize("name", NETWORKS)
of_targets = pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=lambda each: each.mode.name)


@cache
def run_of(name: str, target: Target) -> networks.Run:
    return networks.run(small_or_example(name), target, Options())


@cache
def workbench(name: str, target: Target) -> Workbench:
    return Workbench(run_of(name, target))


def cycles(done: Scheduled) -> float:
    return done.total.total_cycles


def fits(done: Scheduled) -> bool:
    return done.layout.is_within_limits


@pytest.mark.long
@of_targets
@given(st.sampled_from(NETWORKS), st.lists(st.integers(0, 1 << 20), min_size=2, max_size=4))
@settings(max_examples=some_of(6))
def test_more_memory_never_costs_cycles(target: Target, name: str, limits: list[int]) -> None:
    table = workbench(name, target)
    for limit in limits:
        table.schedule(target.with_limit(limit), BEST)
    found = [table.schedule(target.with_limit(limit), BEST) for limit in sorted(limits)]
    for less, more in pairwise(found):
        assert fits(more) or not fits(less)
        assert not fits(less) or cycles(more) <= cycles(less)


@given(CASES, st.lists(st.sampled_from([*rungs_below(512 * KIB)]), min_size=2, max_size=3))
@settings(max_examples=some_of(4))
def test_more_memory_never_costs_cycles_in_random_networks(case: Case, limits: list[int]) -> None:
    table = bench(case._replace(steps=min(case.steps, 12)))
    target, options = resolve(*case.target), replace(BEST, effort=4)
    for limit in limits:
        table.schedule(target.with_limit(limit), options)
    found = [table.schedule(target.with_limit(limit), options) for limit in sorted(limits)]
    for done in found:
        assert findings(done) == ()
    for less, more in pairwise(found):
        assert not fits(less) or (fits(more) and cycles(more) <= cycles(less))


@given(CASES, st.sampled_from([*rungs_below(256 * KIB)]))
@settings(max_examples=some_of(6))
def test_no_single_search_of_a_random_network_is_better(case: Case, limit: int) -> None:
    table = bench(case._replace(steps=min(case.steps, 12)))
    target = resolve(*case.target).with_limit(limit)
    best = table.schedule(target, replace(BEST, effort=3))
    # What has been asked for a lower limit, or by whomever, fits here too.
    for engine, at in product(Engine, (limit, limit // 2, limit * 3 // 4)):
        single = table.schedule(target.with_limit(at), Options(engine=engine))
        if at < limit:
            table.schedule(target.with_limit(at), replace(BEST, effort=3))
            best = table.schedule(target, replace(BEST, effort=3))
        if single.fast_bytes <= limit:
            assert fits(best)
            assert cycles(best) <= cycles(single)


@pytest.mark.long
@of_targets
@of_networks
def test_no_single_search_for_the_same_limit_is_better(name: str, target: Target) -> None:
    table = workbench(name, target)
    for limit in (12 * KIB, 50_000, 130 * KIB):
        within = target.with_limit(limit)
        best = table.schedule(within, BEST)
        for options in (
            Options(),
            Options(engine=Engine.PARETO),
        ):
            single = table.schedule(within, options)
            assert fits(best) or not fits(single)
            assert not fits(single) or cycles(best) <= cycles(single)


@pytest.mark.long
@of_networks
def test_no_schedule_for_size_takes_less(name: str) -> None:
    table, small = workbench(name, SHARED), replace(BEST, strategy=Strategy.SIZE)
    for engine in Engine:
        single = table.schedule(SHARED, Options(strategy=Strategy.SIZE, engine=engine))
        assert table.schedule(SHARED, small).fast_bytes <= single.fast_bytes


@pytest.mark.long
@of_targets
def test_more_steps_never_make_an_answer_worse(target: Target) -> None:
    table, limits = Workbench(run_of("resnet8", target)), (20 * KIB, 40 * KIB, 64 * KIB)
    before = [(float("inf"), float("inf"))] * len(limits)
    for effort in (0, 1, 3, 10):
        options = replace(BEST, effort=effort)
        done = [table.schedule(target.with_limit(limit), options) for limit in limits]
        found = [
            (max(each.fast_bytes - limit, 0), cycles(each))
            for limit, each in zip(limits, done, strict=True)
        ]
        assert all(now <= then for now, then in zip(found, before, strict=True))
        before = found


@pytest.mark.long
@of_targets
def test_as_many_steps_find_the_same(target: Target) -> None:
    def asks(*limits: int) -> list[Ask]:
        table, options = Workbench(run_of("five_operators", target)), replace(BEST, effort=6)
        for limit in limits:
            table.schedule(target.with_limit(limit), options)
        *_, last = table.fronts.growing(target, replace(options, effort=8))
        return [each.ask for each in last.tried]

    assert asks() == asks(6_000, 2_000)


def test_a_front_ends_by_itself(tmp_path: Path) -> None:
    table = Workbench(networks.run(one_operator(tmp_path).read_bytes(), SHARED, BEST))
    *_, last = table.fronts.growing(SHARED, replace(BEST, effort=10_000))
    assert last.is_done
    assert not list(table.fronts.growing(SHARED, replace(BEST, effort=20_000)))


@pytest.mark.long
@of_targets
def test_why_own_decisions_have_no_room_is_not_looked_for(target: Target) -> None:
    """It takes tens of searches for each, and nobody has asked."""
    options = replace(BEST, effort=60)
    with patch.object(Roomless, "left_out", side_effect=AssertionError):
        *_, last = Workbench(run_of("five_operators", target)).fronts.growing(target, options)
    assert any(each.ask.windows is not None for each in last.tried)


def test_points_are_neither_larger_nor_slower_than_another() -> None:
    *_, last = Workbench(run_of("resnet8", DEDICATED)).fronts.growing(DEDICATED, BEST)
    for less, more in pairwise(last.points):
        assert less.fast_bytes < more.fast_bytes
        assert less.rank > more.rank
        assert findings(more.scheduled) == ()


def test_what_was_found_before_it_was_cancelled_is_kept() -> None:
    class Impatient:
        def advance(self, stage: str, done: int, total: int) -> None:
            if (stage, done, total) == ("growing the front", 4, BEST.effort):
                raise Cancelled

    table = Workbench(run_of("five_operators", SHARED))
    with pytest.raises(Cancelled):
        table.schedule(SHARED, BEST, Impatient())
    kept = table.schedule(SHARED, replace(BEST, effort=4))
    fresh = Workbench(run_of("five_operators", SHARED)).schedule(SHARED, replace(BEST, effort=4))
    assert kept == fresh


@pytest.mark.long
@of_targets
@of_networks
def test_what_is_the_least_is_said_and_no_point_is_below(name: str, target: Target) -> None:
    table = workbench(name, target)
    told = [
        decision
        for limit in (20 * KIB, None)
        for decision in table.schedule(target.with_limit(limit), BEST).schedule.decisions
        if isinstance(decision, FrontAnswered)
    ]
    *_, last = table.fronts.growing(target, replace(BEST, effort=BEST.effort + 1))
    for each in told:
        assert 0 < each.least_cycles <= last.points[-1].cycles
        assert each.least_bytes <= last.points[0].fast_bytes
    assert told[0].least_cycles == told[1].least_cycles
    assert target.is_spilling or told[0].least_bytes > 0


def test_edits_do_not_ask_again_for_the_least() -> None:
    name = "five_operators"
    table, options = Workbench(run_of(name, SHARED)), replace(BEST, effort=1)
    table.schedule(SHARED, options)
    op = Names.of(table.run.graph).ops[table.run.graph.ops[1].id]
    rows = Edit(subject=op, what=What.STRIPE, value=2)
    with patch.object(scheduled, "least_cycles_of", side_effect=AssertionError):
        again = table.schedule(SHARED, replace(options, edits=(rows,)))
    fresh = Workbench(run_of(name, SHARED)).schedule(SHARED, replace(options, edits=(rows,)))
    assert again == fresh


def test_a_network_without_npu_operators_has_an_answer(tmp_path: Path) -> None:
    run = networks.run(cpu_only(tmp_path).read_bytes(), SHARED, BEST)
    assert fits(Workbench(run).schedule(SHARED, BEST))
