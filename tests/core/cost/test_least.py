"""What is said to be the least: no engine, limit or search finds a schedule that is below."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.base.frozen import replace
from core.ir.edits import Edit
from core.ir.npugraph import NpuGraph
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.windows import window
from core.target.resolve import resolve
from core.target.target import Target
from core.tflite import writer
from tests.core.edits.random_edits import random_cascades, random_edits
from tests.core.schedule.random_cases import CASES, Case, bench, target_of
from tests.core.schedule.random_cases import TARGETS as CASE_TARGETS
from tests.effort import some_of
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
TARGETS = (
    resolve("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Sram_Only"),
    resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram"),
    resolve("ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram"),
)
SHARED = (
    "ad01_int8",
    "keras_lstm_mnist_ptq",
    "mobilenet_v2_1.0_224_quant",
    "person_detect",
    "str_ww_int8",
)
Draw = Callable[[NpuGraph, int], tuple[Edit, ...]]
of_targets = pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.accelerator.name)


def ten_edits(graph: NpuGraph, seed: int) -> tuple[Edit, ...]:
    """Or fewer, of any kind."""
    return random_edits(graph, seed, 10)


def demand_not_below(table: Workbench, done: Scheduled) -> None:
    demand_as_long(table.least_cycles(done.target), done)


def demand_as_long(least: float, done: Scheduled) -> None:
    assert 0 < least <= done.total.total_cycles or not done.graph.ops
    own = sum(cost.total_cycles for cost in done.costs)
    assert own == pytest.approx(done.total.total_cycles)


@given(CASES, st.sampled_from(Engine), st.sampled_from((Search.DIRECT, Search.COMPATIBLE)))
@settings(max_examples=some_of(30))
def test_no_schedule_of_a_random_network_is_below(
    case: Case, engine: Engine, search: Search
) -> None:
    options = Options(engine=engine, search=search, strategy=case.options.strategy)
    case = case._replace(options=options, steps=min(case.steps, 20))
    table = bench(case)
    demand_not_below(table, table.schedule(target_of(case), options))


@given(CASES, st.integers(0, 1 << 20), st.sampled_from((random_cascades, ten_edits)))
@settings(max_examples=some_of(30))
def test_no_edits_make_a_schedule_that_is_below(case: Case, seed: int, draw: Draw) -> None:
    """Nor those that make blocks larger than maps, stripes of a row, and rings of any height."""
    options = Options(strategy=case.options.strategy)
    case = case._replace(options=options, steps=min(case.steps, 20))
    table = bench(case)
    options = replace(options, edits=draw(table.run.graph, seed))
    demand_not_below(table, table.schedule(target_of(case), options))


@given(st.integers(0, 1 << 20), st.sampled_from(CASE_TARGETS), st.sampled_from((None, 96, 24)))
@settings(max_examples=some_of(30))
def test_weights_that_come_beside_other_operators_are_not_counted_twice(
    seed: int, target: tuple[str, str, str], limit_kib: int | None
) -> None:
    """Networks of heavy and of light weights, over high and over low maps, with ways around."""
    limit = None if limit_kib is None else limit_kib << 10
    found = resolve(*target, arena_cache_size=limit)
    table = Workbench(networks.run(uneven(seed), found, Options()))
    demand_not_below(table, table.schedule(found, Options()))


def uneven(seed: int) -> bytes:
    """Maps grow and shrink, and so do weights."""
    draws, b = random.Random(seed), Builder(seed)
    values = [b.input((1, 16, 16, draws.choice((3, 16))))]
    for _ in range(draws.randint(2, 10)):
        last = values[-1]
        alike = [each for each in values[1:-1] if each.shape == last.shape]
        if alike and draws.random() < 0.3:
            values.append(b.add(last, draws.choice(alike)))
            continue
        stride = draws.choice((1, 1, 2)) if last.shape[1] > 2 else 1
        channels = draws.choice((8, 16, 16, 64, 160))
        values.append(b.conv(last, channels, window(draws.choice((1, 3)), stride)))
    return writer.write(b.build(b.ends(), f"uneven_{seed}"))


def demand_none_below(model: bytes, target: Target, *limits: int | None) -> None:
    for search in (Search.DIRECT, Search.COMPATIBLE):
        table = Workbench(networks.run(model, target, Options(search=search)))
        for limited in map(target.with_limit, limits):
            least = table.least_cycles(limited)
            for engine, strategy in product(Engine, Strategy):
                options = Options(search=search, engine=engine, strategy=strategy)
                demand_as_long(least, table.schedule(limited, options))


@pytest.mark.long
@of_targets
@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_no_schedule_of_an_example_is_below(name: str, target: Target) -> None:
    demand_none_below((EXAMPLES / f"{name}.tflite").read_bytes(), target, None, 40 << 10)


@pytest.mark.slow
@of_targets
@pytest.mark.parametrize("name", SHARED)
def test_no_schedule_of_a_shared_network_is_below(name: str, target: Target) -> None:
    model = need(f"models/{name}.tflite").read_bytes()
    demand_none_below(model, target, None, 40 << 10, 4 << 20)


def test_a_small_array_that_waits_for_no_memory_takes_little_more() -> None:
    target = TARGETS[0]
    table = Workbench(networks.run((EXAMPLES / "resnet8.tflite").read_bytes(), target, Options()))
    done = table.schedule(target, Options())
    assert done.total.total_cycles < 1.05 * table.least_cycles(target)


def test_weights_count_where_they_are_all_that_takes_time() -> None:
    """ad01 takes 5.7 times what is proved without them."""
    target = TARGETS[1]
    table = Workbench(networks.run(need("models/ad01_int8.tflite").read_bytes(), target, Options()))
    done = table.schedule(target, Options())
    assert done.total.total_cycles < 1.03 * table.least_cycles(target)


def test_weights_count_again_where_nothing_can_bring_them_earlier() -> None:
    """Of the first half of this network the memory has next to nothing to do, in the second next
    to nothing is computed: both halves count, and not only the longer, where there is no room for
    the weights of the second beside the first."""
    target = TARGETS[1]
    small = target.with_limit(20 << 10)
    b = Builder(1)
    value = b.input((1, 32, 32, 16))
    for _ in range(4):
        value = b.conv(value, 16, window(3))
    for _ in range(3):
        value = b.conv(value, 16, window(2, 2))
    for _ in range(4):
        value = b.conv(value, 128, window(3))
    model = writer.write(b.build([value], "halves"))
    table = Workbench(networks.run(model, target, Options()))
    assert table.least_cycles(small) > 1.05 * table.least_cycles(target)
    assert table.schedule(small, Options()).total.total_cycles < 1.25 * table.least_cycles(small)
