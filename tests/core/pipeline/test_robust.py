"""Robust schedules lose nothing to the compatible one, whatever memories are.

The oracle reads back what is compiled, with memories that are not those of the target.
"""

from __future__ import annotations

import pytest

from core.api import edits, networks, schedules
from core.base.frozen import replace
from core.ir.edits import EditFate
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.robust_tried import Finalist, RobustTaken
from core.report.spread import robust_text
from tests.benchmarks.bench_robust import MOST, trial
from tests.core.emit.shared_cases import TARGETS, target_of
from tests.shared import files, need

SMALL = ("kws_dscnn_int8", "u55-64-sramonly-perf"), ("resnet8_int8", "u55-128-shared-256k")
"""What is found for nominal memories is a fifth slower there with others."""


def model_of(name: str) -> bytes:
    return need(f"models/{name}.tflite").read_bytes()


@pytest.mark.parametrize(("model", "name"), SMALL)
def test_what_is_fast_with_nominal_memories_alone_is_not_taken(model: str, name: str) -> None:
    found = trial(model_of(model), name)
    assert max(found.regrets(found.usual)) > 1.1
    assert max(found.regrets(found.robust)) <= 1.0
    assert found.robust.cycles[0] <= 1.05 * found.usual.cycles[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("model", [path.stem for path in files("models/*.tflite")])
def test_no_network_is_worse_than_compatible_whatever_memories_are(model: str, name: str) -> None:
    """Where Size is asked for, or the limit cannot be met, less memory is what is better."""
    found, (target, _) = trial(model_of(model), name), target_of(name)
    counts_memory = "size" in name or found.robust.sram_bytes > target.fast_limit_bytes
    if not counts_memory or found.robust.sram_bytes >= found.compatible.sram_bytes:
        assert max(found.regrets(found.robust)) <= MOST


def answers(model: str, name: str, options: Options | None = None, **fields: object):
    """A network on a target as usual, and robust, by one workbench."""
    target, usual = target_of(name)
    usual = replace(options or usual, **fields)
    bench = schedules.Workbench(networks.run(model_of(model), target, usual))
    return bench.schedule(target, usual), bench.schedule(target, replace(usual, robust=True))


def record_of(scheduled) -> RobustTaken:
    (record,) = (each for each in scheduled.schedule.decisions if isinstance(each, RobustTaken))
    return record


def test_the_one_with_the_least_worst_regret_is_taken_and_priced_by_its_target() -> None:
    usual, robust = answers(*SMALL[0])
    record = record_of(robust)
    assert record.of(record.taken).worst == min(each.worst for each in record.finalists)
    assert record.of(Finalist.USUAL).cycles == usual.total.total_cycles
    assert record.of(record.taken).cycles == robust.total.total_cycles
    assert robust.target == usual.target
    assert robust.options == replace(usual.options, robust=True)


def test_where_the_range_crosses_the_compatible_schedule_is_said() -> None:
    usual, robust = answers(*SMALL[0])
    crossing = record_of(robust).of(Finalist.USUAL)
    assert crossing.crosses
    assert f"at worst {crossing.worst:.2f}" in robust_text(robust)
    assert crossing.memories.value in robust_text(robust)
    assert "slower than it" in robust_text(robust)
    assert not robust_text(usual)


def test_what_is_decided_is_not_chosen_otherwise() -> None:
    usual, _ = answers(*SMALL[0])
    decided = edits.freeze(usual.graph, usual.schedule, usual.target)
    _, robust = answers(*SMALL[0], edits=decided)
    assert all(each.fate is EditFate.HONOURED for each in robust.edits)
    assert robust.total.total_cycles == usual.total.total_cycles


def test_with_size_no_memory_is_given_for_it() -> None:
    usual, robust = answers("kws_dscnn_int8", "u55-256-shared-size")
    assert usual.options.strategy is Strategy.SIZE
    assert robust.fast_bytes <= usual.fast_bytes


@pytest.mark.parametrize(
    "fields",
    [{"search": Search.COMPATIBLE}, {"engine": Engine.PARETO}],
    ids=["compatible", "pareto"],
)
def test_it_changes_nothing_where_nothing_is_compared(fields: dict[str, object]) -> None:
    usual, robust = answers("kws_dscnn_int8", "u55-64-sramonly-perf", **fields)
    assert robust.schedule == usual.schedule


def test_a_front_stays_beside_a_schedule_that_is_none_of_its_own() -> None:
    usual, robust = answers(*SMALL[0], search=Search.BEST, effort=2)
    assert len(robust.schedule.front) == len(usual.schedule.front)
    taken = record_of(robust).taken
    assert any(point.is_taken for point in robust.schedule.front) == (taken is Finalist.USUAL)
