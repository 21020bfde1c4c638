"""Limits at their edges: there is a schedule for each, and what it says of its limit is right."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.ir.decisions import Candidate
from core.ir.layout import AreaLayout
from core.ir.options import Options, Strategy
from core.ir.scheduled import Scheduled
from core.ir.search_records import OrderTried
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.core.schedule.random_cases import CASES, TARGETS, Case, bench, findings, target_of
from tests.effort import some_of
from tests.networks.small_networks import small_or_example
from tests.shared import need

NETWORKS = ("kws_dscnn", "resnet8", "short_tower", "shuffle_with_cpu")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
MORE_THAN_ENOUGH = 1 << 32
LIMITS = (0, 1, 16, 5_000, MORE_THAN_ENOUGH)

of_networks = pytest.mark.parametrize("name", NETWORKS)
of_strategies = pytest.mark.parametrize("strategy", Strategy, ids=lambda each: each.value)
of_targets = pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=lambda names: names[2])


@cache
def workbench(name: str, target: tuple[str, str, str]) -> Workbench:
    return Workbench(networks.run(small_or_example(name), resolve(*target), Options()))


@cache
def scheduled(
    name: str, target: tuple[str, str, str], limit_bytes: int, strategy: Strategy
) -> Scheduled:
    options = Options(strategy=strategy)
    return workbench(name, target).schedule(resolve(*target).with_limit(limit_bytes), options)


def fast(done: Scheduled) -> AreaLayout:
    """The part of memory that has the limit."""
    return done.layout.fast_area


def required(name: str, target: tuple[str, str, str], limit_bytes: int, strategy: Strategy) -> int:
    return fast(scheduled(name, target, limit_bytes, strategy)).height_bytes


def check(done: Scheduled) -> None:
    assert findings(done) == ()
    area, limit = fast(done), done.target.fast_limit_bytes
    end = max((item.address + item.size_bytes for item in area.placements), default=0)
    assert area.limit_bytes == limit
    assert area.excess_bytes == max(end - limit, 0)
    assert done.layout.is_within_limits == (end <= limit)


@pytest.mark.long
@of_networks
@of_strategies
@of_targets
def test_every_limit_has_a_schedule(
    name: str, target: tuple[str, str, str], strategy: Strategy
) -> None:
    peak = required(name, target, MORE_THAN_ENOUGH, strategy)
    for limit in (*LIMITS, peak, max(peak - 1, 0)):
        check(scheduled(name, target, limit, strategy))


@of_networks
def test_with_plenty_of_memory_nothing_is_done_for_lack_of_it(name: str) -> None:
    done = scheduled(name, DEDICATED, MORE_THAN_ENOUGH, Strategy.PERFORMANCE).schedule
    assert not [each for each in done.decisions if isinstance(each, OrderTried)]
    for island in done.islands:
        assert island.candidate is Candidate.WHOLE_MAPS
        assert not island.cascades
        assert not island.evicted


def test_products_of_vectors_take_no_longer_with_more_memory() -> None:
    """Weights that nothing hides come directly, in the block that suits that."""
    target = resolve(*DEDICATED)
    model = need("models/ad01_int8.tflite").read_bytes()
    table = Workbench(networks.run(model, target, Options()))
    limits = [target.with_limit(size << 10) for size in (4, 8, 12, 64, 256)]
    cycles = [table.schedule(limit, Options()).total.total_cycles for limit in limits]
    assert cycles == sorted(cycles, reverse=True)


@of_networks
@of_strategies
def test_with_spilling_every_limit_is_met(name: str, strategy: Strategy) -> None:
    """Maps can stay where they are, and weights can be read from where they are stored."""
    peak = required(name, DEDICATED, MORE_THAN_ENOUGH, strategy)
    for limit in (*LIMITS, peak, max(peak - 1, 0)):
        assert required(name, DEDICATED, limit, strategy) <= limit


@pytest.mark.long
@settings(max_examples=some_of(25))
@given(CASES, st.sampled_from([names for names in TARGETS if names[2] == "Dedicated_Sram"]))
def test_with_spilling_every_limit_is_met_by_random_networks(
    case: Case, target: tuple[str, str, str]
) -> None:
    case = case._replace(target=target, steps=min(case.steps, 25))
    table, full = bench(case), target_of(case)
    options = Options(strategy=case.options.strategy)
    for limit in (0, 16, 5_000, case.limit_bytes):
        assert fast(table.schedule(full.with_limit(limit), options)).excess_bytes == 0


@of_networks
@of_targets
def test_a_limit_of_the_peak_costs_nothing(name: str, target: tuple[str, str, str]) -> None:
    free = scheduled(name, target, MORE_THAN_ENOUGH, Strategy.PERFORMANCE)
    peak = fast(free).height_bytes
    tight = scheduled(name, target, peak, Strategy.PERFORMANCE)
    assert fast(tight).excess_bytes == 0
    assert tight.total.total_cycles == free.total.total_cycles


@of_networks
@of_targets
def test_a_byte_less_than_the_peak_costs_cycles_or_shows_as_excess(
    name: str, target: tuple[str, str, str]
) -> None:
    free = scheduled(name, target, MORE_THAN_ENOUGH, Strategy.PERFORMANCE)
    tight = scheduled(name, target, fast(free).height_bytes - 1, Strategy.PERFORMANCE)
    # Searches are heuristics: less memory can find what more memory has not looked for.
    assert fast(tight).excess_bytes or tight.total.total_cycles >= 0.98 * free.total.total_cycles


@of_networks
@of_strategies
def test_what_cannot_be_met_takes_no_more_than_without_a_limit(
    name: str, strategy: Strategy
) -> None:
    most = required(name, SHARED, MORE_THAN_ENOUGH, strategy)
    found = [required(name, SHARED, limit, strategy) for limit in (0, 1, 16, 5_000)]
    assert max(found) <= most


@of_networks
def test_size_takes_the_same_whatever_the_limit(name: str) -> None:
    """Where all maps are in the limited memory, Size looks for the smallest peak in any case."""
    found = {required(name, SHARED, limit, Strategy.SIZE) for limit in LIMITS}
    assert len(found) == 1
