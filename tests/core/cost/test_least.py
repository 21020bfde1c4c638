"""What is said to be the least: no engine, limit or search finds a schedule that is below."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.cost.least import least_cycles_of
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.core.schedule.random_cases import CASES, Case, bench, target_of
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
of_targets = pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.accelerator.name)


def demand_not_below(done: Scheduled) -> None:
    """Neither the whole, nor any operator of it."""
    least = least_cycles_of(done.graph, done.target)
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
    demand_not_below(bench(case).schedule(target_of(case), options))


def demand_none_below(model: bytes, target: Target) -> None:
    for search in (Search.DIRECT, Search.COMPATIBLE):
        table = Workbench(networks.run(model, target, Options(search=search)))
        for engine in Engine:
            for strategy in Strategy:
                for limit in (None, 40 << 10, 4 << 20):
                    options = Options(search=search, engine=engine, strategy=strategy)
                    demand_not_below(table.schedule(target.with_limit(limit), options))


@pytest.mark.long
@of_targets
@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_no_schedule_of_an_example_is_below(name: str, target: Target) -> None:
    demand_none_below((EXAMPLES / f"{name}.tflite").read_bytes(), target)


@pytest.mark.slow
@of_targets
@pytest.mark.parametrize("name", SHARED)
def test_no_schedule_of_a_shared_network_is_below(name: str, target: Target) -> None:
    demand_none_below(need(f"models/{name}.tflite").read_bytes(), target)


def test_a_small_array_that_waits_for_no_memory_takes_little_more() -> None:
    target = TARGETS[0]
    table = Workbench(networks.run((EXAMPLES / "resnet8.tflite").read_bytes(), target, Options()))
    done = table.schedule(target, Options())
    assert done.total.total_cycles < 1.05 * least_cycles_of(done.graph, target)
