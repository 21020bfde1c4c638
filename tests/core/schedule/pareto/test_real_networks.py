"""Real networks: judges, execution, time, and both engines beside each other.

`tests/benchmarks/bench_pareto.py` prints the figures.
"""

from __future__ import annotations

import resource
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from core.api import compiler, networks, proof
from core.base.frozen import replace
from core.base.progress import SILENT
from core.ir.decisions import FrontFound, MapPlaced
from core.ir.options import (
    Engine,
    EvictionPolicy,
    LoweringOptions,
    Options,
    ParetoMetric,
    ParetoOptions,
    Strategy,
)
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.schedule import run as scheduler
from core.schedule.candidates import max_schedule
from core.schedule.eviction.policies import POLICIES
from core.schedule.question import Question
from core.schedule.spilling import Spill, spill
from core.target.region import Region
from core.target.resolve import resolve
from core.target.target import Target
from tests.benchmarks.networks import chain, tree
from tests.core.schedule.random_cases import findings
from tests.core.schedule.sketch import encoder
from tests.shared import files, need

EMBEDDED = "Ethos_U55_High_End_Embedded"
MODELS = files("models/*.tflite")
KIB = 1024


class Case(NamedTuple):
    accelerator: str
    system: str
    mode: str
    limit_bytes: int | None
    strategy: Strategy

    @property
    def target(self) -> Target:
        return resolve(self.accelerator, self.system, self.mode, arena_cache_size=self.limit_bytes)


CASES = {
    "u55-128-shared-256k": Case(
        "ethos-u55-128", EMBEDDED, "Shared_Sram", 256 * KIB, Strategy.PERFORMANCE
    ),
    "u55-256-shared-size": Case("ethos-u55-256", EMBEDDED, "Shared_Sram", None, Strategy.SIZE),
    "u65-256-dedicated-384k": Case(
        "ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram_384KB", None, Strategy.PERFORMANCE
    ),
}
DEDICATED = tuple(
    Case(accelerator, system, mode, limit, Strategy.PERFORMANCE)
    for accelerator, system, mode, limit in (
        ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram_384KB", None),
        ("ethos-u65-512", "Ethos_U65_High_End", "Dedicated_Sram", 128 * KIB),
        ("ethos-u65-512", "Ethos_U65_Mid_End", "Dedicated_Sram_256KB", None),
    )
)

of_models = pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
of_cases = pytest.mark.parametrize("name", CASES)

MOST_RATIO = 1.02
"""Cycles, against the cascading engine's; where Size is asked for, less memory may cost some."""


@cache
def workbench(path: Path, accelerator: str) -> Workbench:
    case = next(each for each in (*CASES.values(), *DEDICATED) if each.accelerator == accelerator)
    return Workbench(networks.run(need(path).read_bytes(), case.target, Options()))


def scheduled(path: Path, name: str, engine: Engine) -> Scheduled:
    case = CASES[name]
    options = Options(strategy=case.strategy, engine=engine)
    return workbench(path, case.accelerator).schedule(case.target, options)


@pytest.mark.slow
@of_cases
@of_models
def test_judges_find_nothing_and_it_is_about_as_fast_or_faster(path, name):
    done, other = (scheduled(path, name, engine) for engine in (Engine.PARETO, Engine.CASCADING))
    assert findings(done) == ()
    assert done.total.total_cycles <= MOST_RATIO * other.total.total_cycles


@pytest.mark.slow
@of_cases
@of_models
def test_it_computes_the_same(path, name):
    done = scheduled(path, name, Engine.PARETO)
    verified = proof.verify(compiler.compile_model(done).data, path.read_bytes())
    assert verified.holds, verified.sentences()


@pytest.mark.slow
@of_cases
def test_every_point_of_a_front_computes_the_same(name):
    path = need("models/person_detect.tflite")
    case = CASES[name]
    table = workbench(path, case.accelerator)
    options = Options(strategy=case.strategy, engine=Engine.PARETO)
    for point in table.schedule(case.target, options).schedule.front:
        done = table.schedule(case.target, taking(options, point.peak_bytes))
        assert findings(done) == ()
        verified = proof.verify(compiler.compile_model(done).data, path.read_bytes())
        assert verified.holds, verified.sentences()


LOST = ("mobilenet_v1_0.25_128_quant", "person_detect", "vww_96_int8")
"""Networks of whose smallest schedules the wide search loses all, or the fastest."""


@pytest.mark.long
@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("metric", ParetoMetric, ids=lambda each: each.value)
def test_a_limit_that_is_too_low_gives_the_schedule_of_the_lowest_that_is_met(name, metric):
    case, path = CASES["u55-128-shared-256k"], need(f"models/{name}.tflite")
    table = workbench(path, case.accelerator)
    options = Options(engine=Engine.PARETO, pareto=ParetoOptions(metric=metric))
    low = table.schedule(case.target.with_limit(0), options)
    (least,) = [each.peak_bytes for each in low.schedule.islands]
    met = table.schedule(case.target.with_limit(least), options)
    assert [each.peak_bytes for each in met.schedule.islands] == [least]
    assert met.total.total_cycles == low.total.total_cycles
    found = [each.smallest_bytes for each in low.schedule.decisions if isinstance(each, FrontFound)]
    assert found == [least]


@pytest.mark.long
def test_nothing_is_slowed_down_to_be_smaller_than_what_the_cpu_needs():
    case, path = (
        CASES["u55-128-shared-256k"],
        need("models/movenet_single_pose_lightning_ptq.tflite"),
    )
    table, limit = workbench(path, case.accelerator), 100 * KIB
    options = Options(engine=Engine.PARETO)
    done = table.schedule(case.target.with_limit(limit), options)
    assert done.fast_bytes > limit
    met = table.schedule(case.target.with_limit(done.fast_bytes), options)
    assert met.fast_bytes == done.fast_bytes
    assert met.total.total_cycles == done.total.total_cycles
    assert [point.peak_bytes for point in done.schedule.front] == [done.fast_bytes]


def taking(options: Options, most_bytes: int) -> Options:
    return replace(options, pareto=replace(options.pareto, most_bytes=most_bytes))


@pytest.mark.slow
@of_cases
def test_a_real_network_takes_at_most_five_seconds(name):
    path, case = need("models/mobilenet_v2_1.0_224_quant.tflite"), CASES[name]
    table = Workbench(networks.run(path.read_bytes(), case.target, Options()))
    start = time.process_time()
    table.schedule(case.target, Options(strategy=case.strategy, engine=Engine.PARETO))
    assert time.process_time() - start <= 5


class Watch:
    """Progress that notes how long nothing was said."""

    def __init__(self) -> None:
        self.last = time.process_time()
        self.longest = 0.0

    def advance(self, *_) -> None:
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now


@pytest.mark.slow
@pytest.mark.parametrize("shape", [chain, tree], ids=["chain", "tree"])
@pytest.mark.parametrize("name", ["u55-128-shared-256k", "u65-256-dedicated-384k"])
def test_a_thousand_operators_take_at_most_a_minute_and_a_gibibyte(shape, name):
    case = CASES[name]
    target = case.target.with_limit(64 * KIB)
    network = shape(1_000, 48, 16)
    graph = lower.run(network, target.accelerator, LoweringOptions())
    table = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
    watch, start = Watch(), time.process_time()
    done = table.schedule(target, Options(engine=Engine.PARETO), watch)
    assert time.process_time() - start <= 60
    assert watch.longest <= 2
    assert findings(done) == ()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= 1024 * KIB


@of_models
@pytest.mark.slow
@pytest.mark.parametrize("case", DEDICATED, ids=lambda case: f"{case.accelerator}-{case.mode}")
def test_no_policy_saves_more_accesses_than_component_on_one_schedule(path, case):
    """Weights go without compression, so that streams need not be encoded for this."""
    graph = workbench(path, case.accelerator).run.graph
    known = scheduler.Preparations(graph=graph, encoder=encoder)
    prepared = known.of(Question.of(case.target, Options()))
    estimates = prepared.stored.estimates
    for problem in prepared.stored.problems:
        draft = max_schedule(problem, estimates)
        for limit in (case.target.fast_limit_bytes, case.target.fast_limit_bytes // 3):
            saved = {
                policy: saved_accesses(
                    spill(problem, estimates, draft, limit, POLICIES[policy], SILENT)
                )
                for policy in EvictionPolicy
            }
            assert saved[EvictionPolicy.COMPONENT] == max(saved.values())


def saved_accesses(done: Spill) -> int:
    return sum(
        each.accesses
        for each in done.decisions
        if isinstance(each, MapPlaced) and each.region is Region.SCRATCH_FAST
    )


@pytest.mark.slow
@of_models
@pytest.mark.parametrize("case", DEDICATED, ids=lambda case: f"{case.accelerator}-{case.mode}")
def test_judges_find_nothing_with_any_policy(path, case):
    table = workbench(path, case.accelerator)
    for engine in Engine:
        for policy in EvictionPolicy:
            done = table.schedule(case.target, Options(engine=engine, eviction=policy))
            assert findings(done) == ()
