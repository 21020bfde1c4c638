"""The engine as a whole: its result is a schedule like any other, and its front holds."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import networks
from core.base.frozen import replace
from core.base.progress import Cancelled
from core.ir.addresses_tried import ArrivalsTried
from core.ir.decisions import (
    Candidate,
    FrontFound,
    StrategyTaken,
    Streaming,
    WeightsBuffered,
)
from core.ir.options import (
    Engine,
    EvictionPolicy,
    Options,
    ParetoMetric,
    ParetoOptions,
    ParetoWeights,
    Search,
    Strategy,
)
from core.ir.schedule import FrontPoint
from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from tests.core.schedule.live import live_bytes
from tests.core.schedule.random_cases import CASES, KIB, Case, bench, findings, scheduled, text_of
from tests.networks.small_networks import small_or_example
from tests.remembered import remembered

NETWORKS = ("kws_dscnn", "resnet8", "short_tower", "shuffle_with_cpu")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
LIMITS = (0, 16, 5_000, 40 * KIB, 1 << 32)

PARETO = Options(engine=Engine.PARETO)
SWITCHES = st.builds(
    ParetoOptions,
    metric=st.sampled_from(ParetoMetric),
    cascading=st.booleans(),
    overlap=st.booleans(),
    ifm_streaming=st.booleans(),
)

of_networks = pytest.mark.parametrize("name", NETWORKS)
of_targets = pytest.mark.parametrize("target", [SHARED, DEDICATED], ids=lambda names: names[2])


@cache
def workbench(name: str, target: tuple[str, str, str]) -> Workbench:
    return Workbench(networks.run(small_or_example(name), resolve(*target), Options()))


@remembered
def of_limit(
    name: str, target: tuple[str, str, str], limit_bytes: int, options: Options = PARETO
) -> Scheduled:
    full = resolve(*target).with_limit(limit_bytes)
    return workbench(name, target).schedule(full, options)


def required(done: Scheduled) -> int:
    area = done.layout.fast_area
    return area.height_bytes


def peak(done: Scheduled) -> int:
    return max(island.peak_bytes for island in done.schedule.islands)


def live(done: Scheduled) -> int:
    """Most bytes that are live at once in the memory that has the limit, whoever needs them."""
    starts = {placed.start_time for placed in done.layout.fast_area.placements}
    return max((live_bytes(done, time) for time in starts), default=0)


def keeps_bytes_free(done: Scheduled) -> bool:
    """Whether more is set aside than is live, so that weights can arrive earlier."""
    return any(
        isinstance(each, ArrivalsTried) and each.is_taken for each in done.schedule.decisions
    )


@pytest.mark.long
@of_networks
@of_targets
def test_judges_find_nothing_for_any_limit(name, target):
    for limit in LIMITS:
        for strategy in Strategy:
            done = of_limit(name, target, limit, replace(PARETO, strategy=strategy))
            assert findings(done) == ()
            check_cascades(done)


def check_cascades(done: Scheduled) -> None:
    """Each takes its buffers, fetched when it begins, and its ends where all memory is one."""
    graph, plans = done.graph, {plan.op: plan for plan in done.schedule.ops}
    for cascade in (each for island in done.schedule.islands for each in island.cascades):
        taken = [buffer.size_bytes for buffer in cascade.buffers]
        weights = [each for op in cascade.ops if (each := plans[op].weights) is not None]
        taken += [size for each in weights for size in each.buffer_bytes]
        assert not any(each.is_prefetched for each in weights)
        if not done.target.is_spilling:
            rolling = {buffer.fm for buffer in cascade.buffers}
            touched = {view.fm for op in cascade.ops for view in graph.ops[op].views}
            taken += [
                map_bytes(graph.feature_maps[fm], done.schedule.maps[fm].format)
                for fm in touched - rolling
                if graph.feature_maps[fm].data is None
            ]
        assert cascade.size_bytes == sum(taken)


@pytest.mark.long
@settings(max_examples=10)
@given(case=CASES, switches=SWITCHES)
def test_judges_find_nothing_in_random_networks(case: Case, switches):
    options = replace(case.options, engine=Engine.PARETO, pareto=switches)
    done = scheduled(case._replace(steps=min(case.steps, 30), options=options))
    assert findings(done) == ()
    check_front(done)


@pytest.mark.parametrize(("seed", "steps"), [(287, 7), (4, 1)], ids=["late", "never"])
@pytest.mark.parametrize("engine", Engine, ids=lambda engine: engine.value)
def test_an_input_that_is_read_late_or_never_counts_from_the_start(seed, steps, engine):
    """An application fills in all inputs before the first operator runs.

    Bricks of one channel are so large that nothing needs more while the CPU runs.
    """
    options = Options(engine=engine, search=Search.COMPATIBLE)
    target = ("ethos-u55-32", "Ethos_U55_Deep_Embedded", "Shared_Sram")
    done = scheduled(Case(seed, steps, target, 8 * KIB, options))
    assert live(done) == peak(done)


@pytest.mark.slow
@settings(max_examples=300)
@given(case=CASES, switches=SWITCHES)
def test_judges_find_nothing_in_many_random_networks(case: Case, switches):
    options = replace(case.options, engine=Engine.PARETO, pareto=switches)
    done = scheduled(case._replace(options=options))
    assert findings(done) == ()
    check_front(done)


def check_front(done: Scheduled) -> None:
    """Each point needs more than the one before, and is faster; one of them is the schedule, which
    may have been taken by another price."""
    front = done.schedule.front
    for one, other in pairwise(front):
        assert one.peak_bytes < other.peak_bytes
        assert one.cycles > other.cycles or other.is_taken or one.is_taken
    for one, other in pairwise(point for point in front if not point.is_taken):
        assert one.cycles > other.cycles
    if not done.schedule.islands:
        assert front == ()
        return
    (taken,) = [point for point in front if point.is_taken]
    # Without overlap the search counts more than addresses are given to.
    most = peak(done) if keeps_bytes_free(done) else live(done)
    assert taken.peak_bytes >= most
    assert taken.peak_bytes == most or not done.options.pareto.overlap
    assert taken.cost == done.total
    cascades = [each for island in done.schedule.islands for each in island.cascades]
    assert taken.cascades == len(cascades)
    assert taken.cascaded_ops == sum(len(each.ops) for each in cascades)


@pytest.mark.long
@of_networks
@of_targets
def test_each_point_can_be_taken_and_is_what_the_front_says(name, target):
    limit = 64 * KIB
    first = of_limit(name, target, limit).schedule.front
    for point in first:
        options = replace(PARETO, pareto=ParetoOptions(most_bytes=point.peak_bytes))
        done = of_limit(name, target, limit, options)
        assert findings(done) == ()
        check_front(done)
        before = {each.peak_bytes: each for each in first if not each.is_taken}
        for each in done.schedule.front:
            assert each.is_taken or before.get(each.peak_bytes, each) == each
        (taken,) = [each for each in done.schedule.front if each.is_taken]
        # What it waits for follows from addresses, which others have not yet.
        assert taken.cost == done.total
        assert taken.cycles == pytest.approx(point.cycles, rel=0.02)
        assert replace(taken, cost=point.cost) == replace(point, is_taken=True)


@of_networks
def test_between_points_the_smaller_is_taken_and_below_all_the_smallest(name):
    limit = 64 * KIB
    front = of_limit(name, SHARED, limit).schedule.front
    for asked in (front[0].peak_bytes - 1, *(point.peak_bytes + 1 for point in front)):
        options = replace(PARETO, pareto=ParetoOptions(most_bytes=asked))
        done = of_limit(name, SHARED, limit, options)
        fitting = [point.peak_bytes for point in front if point.peak_bytes <= asked]
        assert peak(done) == max(fitting, default=front[0].peak_bytes)


@pytest.mark.long
@of_networks
@of_targets
def test_performance_takes_the_fastest_within_the_limit_and_size_the_smallest(name, target):
    for limit in LIMITS:
        front = of_limit(name, target, limit).schedule.front
        is_above = front[0].peak_bytes > limit
        assert [point.is_taken for point in front].index(True) == (
            0 if is_above else len(front) - 1
        )
        assert is_above or front[-1].peak_bytes <= limit
    small = of_limit(name, SHARED, 1 << 32, replace(PARETO, strategy=Strategy.SIZE))
    assert small.schedule.front[0].is_taken


@pytest.mark.long
@of_networks
@pytest.mark.parametrize("policy", EvictionPolicy, ids=lambda each: each.value)
def test_with_spilling_every_limit_is_met(name, policy):
    for limit in LIMITS:
        done = of_limit(name, DEDICATED, limit, replace(PARETO, eviction=policy))
        assert peak(done) <= limit


@pytest.mark.long
@pytest.mark.parametrize("name", [*NETWORKS, "mobilenet_v2_035_96"])
@pytest.mark.parametrize("limit", [16 * KIB, 256 * KIB])
def test_where_nothing_has_to_be_in_fast_storage_size_takes_no_more_than_cascades_do(name, limit):
    options = replace(PARETO, strategy=Strategy.SIZE)
    done = of_limit(name, DEDICATED, limit, options)
    other = of_limit(name, DEDICATED, limit, replace(options, engine=Engine.CASCADING))
    most = max((island.peak_bytes for island in other.schedule.islands), default=0)
    assert max((island.peak_bytes for island in done.schedule.islands), default=0) <= most
    check_front(done)


@pytest.mark.long
@pytest.mark.parametrize("name", ["kws_dscnn", "mobilenet_v2_035_96", "short_tower"])
def test_the_smallest_is_found_whatever_the_limit_is_and_is_as_fast_as_it_can_be(name):
    """A limit that is too low leads to the same schedule as one that is just met."""
    least = peak(of_limit(name, SHARED, 0))
    met, size = of_limit(name, SHARED, least), replace(PARETO, strategy=Strategy.SIZE)
    for done in (of_limit(name, SHARED, 0), of_limit(name, SHARED, 1 << 32, size)):
        assert peak(done) == peak(met) == least
        assert done.total.total_cycles == pytest.approx(met.total.total_cycles, rel=0.02)
        (found,) = [each for each in done.schedule.decisions if isinstance(each, FrontFound)]
        assert found.smallest_bytes == least


def without(**switches: bool) -> Options:
    return replace(PARETO, pareto=ParetoOptions(**switches))


@pytest.mark.long
@of_networks
def test_what_is_switched_off_is_not_used(name):
    for options in (without(cascading=False), without(ifm_streaming=False)):
        done = of_limit(name, SHARED, 24 * KIB, options)
        assert all(not island.cascades for island in done.schedule.islands)
    kinds = {
        kind
        for decision in done.schedule.decisions
        if isinstance(decision, StrategyTaken)
        for kind in decision.streaming
    }
    assert Streaming.FEATURE_MAP not in kinds


def test_without_overlap_an_output_is_counted_beside_its_input():
    with_it, without_it = (
        of_limit("short_tower", SHARED, 1 << 32, options)
        for options in (
            replace(PARETO, strategy=Strategy.SIZE),
            replace(without(overlap=False), strategy=Strategy.SIZE),
        )
    )
    assert peak(with_it) <= peak(without_it)


@of_networks
def test_both_metrics_give_schedules_of_the_same_smallest_size(name):
    sizes = {
        peak(
            of_limit(
                name,
                SHARED,
                1 << 32,
                Options(
                    engine=Engine.PARETO,
                    strategy=Strategy.SIZE,
                    pareto=ParetoOptions(metric=metric),
                ),
            )
        )
        for metric in ParetoMetric
    }
    assert len(sizes) == 1


@pytest.mark.long
@of_networks
@of_targets
def test_the_log_says_of_everything_what_became_of_it(name, target):
    done = of_limit(name, target, 48 * KIB)
    log, graph = done.schedule.decisions, done.run.graph
    fronts = [each for each in log if isinstance(each, FrontFound)]
    assert [each.island for each in fronts] == [island.id for island in graph.islands]
    assert all(each.combinations > 0 for each in fronts)
    taken = [each for each in log if isinstance(each, StrategyTaken)]
    others = {each.island for each in fronts if each.taken_of is Engine.CASCADING}
    for island in done.schedule.islands:
        # What the other engine has found is told as its own.
        assert (island.candidate is Candidate.FROM_FRONT) is (island.island not in others)
    islands = [each for each in done.schedule.islands if each.island not in others]
    strategic = {op for island in islands for op in graph.islands[island.island].ops}
    assert [op for each in taken for op in each.ops] == sorted(strategic)
    cascades = [cascade.ops for island in islands for cascade in island.cascades]
    assert [each.ops for each in taken if len(each.ops) > 1] == cascades
    for each in taken:
        for op, block in zip(each.ops, each.blocks, strict=True):
            assert tuple(done.schedule.ops[op].block.ofm_block) == block
    buffered = {each.op: each for each in log if isinstance(each, WeightsBuffered)}
    assert sorted(buffered) == [op.id for op in graph.ops if op.weights is not None]
    for op, record in buffered.items():
        weights = done.schedule.ops[op].weights
        assert record.buffer_bytes == sum(weights.buffer_bytes)
        assert record.depth_slices == weights.depth_slices
        assert record.is_prefetched == weights.is_prefetched


FIXED = Case(seed=12, steps=24, target=DEDICATED, limit_bytes=48 * KIB, options=PARETO)


def test_a_warm_workbench_decides_the_same():
    table = bench(FIXED)
    target = resolve(*FIXED.target).with_limit(FIXED.limit_bytes)
    cold = text_of(table.schedule(target, PARETO))
    table.schedule(target.with_limit(20 * KIB), PARETO)
    table.schedule(target, Options())
    assert text_of(table.schedule(target, PARETO)) == cold
    assert text_of(bench(FIXED).schedule(target, PARETO)) == cold


def test_the_search_can_be_cancelled_wherever_it_is():
    class Impatient:
        def __init__(self, patience: int) -> None:
            self.left = patience
            self.stages: list[str] = []

        def advance(self, stage: str, *_: int) -> None:
            self.stages.append(stage)
            self.left -= 1
            if self.left < 0:
                raise Cancelled

    target = resolve(*FIXED.target).with_limit(FIXED.limit_bytes)
    calm = Impatient(1 << 30)
    bench(FIXED).schedule(target, PARETO, calm)
    told = {"pricing strategies", "searching strategies", "finishing schedules"}
    assert told <= set(calm.stages)
    for patience in {calm.stages.index(stage) for stage in told}:
        with pytest.raises(Cancelled):
            bench(FIXED).schedule(target, PARETO, Impatient(patience))


@of_targets
def test_with_weights_the_lowest_sum_is_taken(target):
    def taken(**weights: int) -> FrontPoint:
        asked = replace(PARETO, pareto=ParetoOptions(weights=ParetoWeights(**weights)))
        front = of_limit("resnet8", target, 1 << 32, asked).schedule.front
        (point,) = (point for point in front if point.is_taken)
        assert all(_sum(weights, point) <= _sum(weights, other) * (1 + 1e-9) for other in front)
        return point

    fastest, smallest = taken(cycle=1), taken(kib=1)
    assert fastest.cycles < smallest.cycles
    assert fastest.peak_bytes > smallest.peak_bytes
    assert taken(cycle=1, traffic_cycle=5, kib=100)


def _sum(weights: dict[str, int], point: FrontPoint) -> float:
    memory = weights.get("kib", 0) * point.peak_bytes / KIB
    busy = weights.get("traffic_cycle", 0) * sum(point.cost.parts[1:])
    return weights.get("cycle", 0) * point.cycles + busy + memory


@pytest.mark.long
@of_targets
def test_more_blocks_are_searched_where_more_are_asked_for(target):
    def searched(blocks: int) -> int:
        asked = replace(PARETO, pareto=ParetoOptions(blocks_per_end=blocks))
        done = of_limit("kws_dscnn", target, 1 << 32, asked)
        return sum(d.combinations for d in done.schedule.decisions if isinstance(d, FrontFound))

    assert searched(4) < searched(32)
    # None is said to be all, as the ecosystem's option has it.
    assert searched(0) == searched(1_000_000)
