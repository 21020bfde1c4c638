"""A schedule over cycles: nothing overlaps, and every cycle of the costs is there once."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.api import schedules, targets
from core.base.dtype import DType
from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.cost.rates import Rates
from core.cost.trace_dma import DmaIn, Stretch
from core.cost.trace_slices import Slices
from core.ir.options import LoweringOptions, Options, Search
from core.ir.schedule import steps_of
from core.ir.scheduled import Run, Scheduled
from core.ir.trace import NOTHING, Activity, Analysis, Lane
from core.lower import run as lower
from core.pipeline.scheduled import Workbench
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window
from core.target.target import Target
from core.target.unit import Unit
from tests.core.schedule.random_cases import CASES, SHORT_CASES, TARGETS, Case, scheduled
from tests.effort import some_of
from tests.networks.random_networks import random_network
from tests.remembered import remembered

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
FILES = sorted(EXAMPLES.glob("*.tflite"))
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
AT_WORK = (Activity.COMPUTE, Activity.STALL, Activity.COPY)
BRINGING = (Activity.WEIGHTS, Activity.PREFETCH)


@remembered
def example(name: str, target: tuple[str, str, str] = DEDICATED, limit_kib: int = 64) -> Scheduled:
    model = (EXAMPLES / f"{name}.tflite").read_bytes()
    return schedules.schedule(model, resolved(target, limit_kib), Options())


def resolved(target: tuple[str, str, str], limit_kib: int) -> Target:
    return targets.resolve_target(*target, arena_cache_size=limit_kib << 10)


def check(done: Scheduled) -> Analysis:
    """All that holds for any trace."""
    found = schedules.analyse(done)
    trace = found.trace
    assert (trace.start_cycle[1:] >= trace.start_cycle[:-1]).all()
    assert (trace.end_cycle >= trace.start_cycle).all()
    assert trace.end_cycle_of_all == done.total.total_cycles
    assert trace.end_cycle.max(initial=0.0) <= trace.end_cycle_of_all
    for lane in Lane:
        of_lane = trace.lane == lane
        starts, ends = trace.start_cycle[of_lane], trace.end_cycle[of_lane]
        assert (starts[1:] >= ends[:-1]).all(), lane
    check_operators(done, found)
    check_weights(done, found)
    check_stripes(done, found)
    check_times(done, found)
    return found


def check_operators(done: Scheduled, found: Analysis) -> None:
    trace, graph = found.trace, done.run.graph
    at_work = np.isin(trace.activity, AT_WORK)
    ops, length = trace.op[at_work], (trace.end_cycle - trace.start_cycle)[at_work]
    totals = np.array([cost.total_cycles for cost in done.costs])
    sums = np.bincount(ops, length, minlength=len(totals))
    assert sums == pytest.approx(totals, rel=1e-9, abs=1e-3)
    assert set(ops.tolist()) == {op.id for op in graph.ops}
    for op in graph.ops:
        of_op = at_work & (trace.op == op.id)
        assert trace.start_cycle[of_op].min() == trace.op_start_cycle[op.id]
        assert trace.end_cycle[of_op].max() == trace.op_end_cycle[op.id]
        is_copy = op.kind.unit is Unit.DMA
        assert (trace.activity[of_op] == Activity.COPY).all() == is_copy
        if not is_copy:
            lane = Lane.ELEMENTWISE if op.kind.is_elementwise else Lane.MAC
            assert set(trace.lane[of_op].tolist()) == {lane}
    own = np.bincount(
        trace.op[trace.activity == Activity.COMPUTE],
        (trace.end_cycle - trace.start_cycle)[trace.activity == Activity.COMPUTE],
        minlength=len(totals),
    )
    for plan in done.schedule.ops:
        if graph.ops[plan.op].kind.unit is not Unit.DMA:
            expected = done.costs[plan.op].own_cycles
            assert own[plan.op] == pytest.approx(expected, rel=1e-9, abs=1e-3)


def check_weights(done: Scheduled, found: Analysis) -> None:
    trace = found.trace
    brings = np.isin(trace.activity, BRINGING)
    assert (trace.lane[brings] == Lane.DMA_IN).all()
    assert (trace.end_cycle[brings] <= trace.op_end_cycle[trace.op[brings]]).all()
    early = trace.activity == Activity.PREFETCH
    assert (trace.depth_slice[early] == 0).all()
    assert (trace.end_cycle[early] <= trace.op_start_cycle[trace.op[early]]).all()
    begins = dict[int, float]()
    for island in done.schedule.islands:
        steps = list(steps_of(island.ops))
        for place, plans in enumerate(steps):
            for plan in plans:
                lead_steps = plan.weights.lead_steps if plan.weights is not None else 0
                first = steps[max(place - max(lead_steps, 1), 0)][0].op
                begins[plan.op] = trace.op_start_cycle[first]
    assert (trace.start_cycle[early] >= [begins[op] for op in trace.op[early]]).all()
    for island in done.schedule.islands:
        for plan in island.ops:
            weights, of_op = plan.weights, brings & (trace.op == plan.op)
            slices = set(trace.depth_slice[of_op].tolist())
            if weights is None or not weights.buffer_bytes:
                assert slices == set()
            elif done.costs[plan.op].total_cycles:
                assert slices == set(range(len(weights.slice_bytes)))
            if weights is None or not weights.is_prefetched:
                assert not (of_op & early).any()


def check_stripes(done: Scheduled, found: Analysis) -> None:
    trace = found.trace
    running = np.isin(trace.activity, (Activity.COMPUTE, Activity.COPY)) & (trace.stripe >= 0)
    assert running.sum() == sum(len(each.steps) for each in found.cascades)
    order = list(zip(trace.op[running].tolist(), trace.stripe[running].tolist(), strict=True))
    runs = [(step.op, step.stripe) for each in found.cascades for step in each.steps]
    assert sorted(order) == sorted(runs)
    if all(cost.total_cycles for cost in done.costs):
        assert order == runs
    assert len(found.cascades) == sum(len(each.cascades) for each in done.schedule.islands)
    in_cascade = {op for each in done.schedule.islands for c in each.cascades for op in c.ops}
    assert set(trace.op[trace.stripe != NOTHING].tolist()) == in_cascade


def check_times(done: Scheduled, found: Analysis) -> None:
    trace, layout = found.trace, done.layout
    assert len(trace.time_cycle) == layout.end_time + 2
    assert (np.diff(trace.time_cycle) >= 0).all()
    assert trace.time_cycle[-1] == trace.end_cycle_of_all
    for at in set(layout.op_times):
        ops = [op for op, time_ in enumerate(layout.op_times) if time_ == at]
        assert trace.time_cycle[at] == trace.op_start_cycle[ops].min()
        assert trace.time_cycle[at + 1] == trace.op_end_cycle[ops].max()


@pytest.mark.long
@pytest.mark.parametrize("limit_kib", [64, 4096])
@pytest.mark.parametrize("target", [DEDICATED, SHARED])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_traces_of_examples(file, target, limit_kib):
    check(example(file.stem, target, limit_kib))


@pytest.mark.long
def test_the_examples_show_every_activity():
    seen = {
        Activity(activity)
        for file in FILES
        for activity in np.unique(schedules.analyse(example(file.stem)).trace.activity)
    }
    assert seen == set(Activity)


@pytest.mark.long
@settings(max_examples=8)
@given(SHORT_CASES)
def test_traces_of_random_schedules(case: Case) -> None:
    check(scheduled(case))


@pytest.mark.slow
@settings(max_examples=400)
@given(CASES)
def test_traces_of_many_random_schedules(case: Case) -> None:
    check(scheduled(case))


@settings(max_examples=some_of(15))
@given(st.integers(0, 1 << 16), st.sampled_from(TARGETS), st.integers(2, 64))
def test_traces_of_odd_operators(seed: int, target: tuple[str, str, str], limit_kib: int) -> None:
    check(scheduled_network(random_network(seed), resolved(target, limit_kib)))


def scheduled_network(network, target: Target, search: Search = Search.DIRECT) -> Scheduled:
    graph = lower.run(network, target.accelerator, LoweringOptions())
    run = Run(network=network, accelerator=target.accelerator, graph=graph)
    return Workbench(run).schedule(target, Options(search=search))


def test_cascades_interleave():
    done = example("unet_128", limit_kib=96)
    trace = check(done).trace
    cascade = done.schedule.islands[0].cascades[0]
    order = trace.op[np.isin(trace.op, cascade.ops) & (trace.activity == Activity.COMPUTE)]
    turns = np.count_nonzero(np.diff(order))
    assert turns > 2 * len(cascade.ops)
    first, second = cascade.ops[:2]
    assert trace.op_start_cycle[second] < trace.op_end_cycle[first]


def test_weights_arrive_before_they_are_used():
    done = example("mobilenet_v2_035_96", DEDICATED, 24)
    trace = check(done).trace
    sliced = [
        plan
        for plan in done.schedule.ops
        if plan.weights and len(plan.weights.buffer_bytes) == 2 and plan.cascade is None
    ]
    assert sliced
    for plan in sliced:
        at_work = (trace.op == plan.op) & (trace.lane == Lane.MAC)
        brought = (trace.op == plan.op) & np.isin(trace.activity, BRINGING)
        if trace.activity[at_work][0] == Activity.STALL:
            # It waits for the first slice, and for nothing longer than that.
            first = brought & (trace.depth_slice == 0)
            assert trace.end_cycle[at_work][0] <= trace.end_cycle[first].max() + 1e-3


def test_an_operator_on_the_cpu_takes_no_time_at_its_place():
    done = example("shuffle_with_cpu")
    trace = check(done).trace
    on_cpu = trace.lane == Lane.CPU
    assert trace.cpu_op[on_cpu].tolist() == list(range(len(done.run.graph.cpu_ops)))
    assert (trace.op[on_cpu] == NOTHING).all()
    assert (trace.cpu_op[~on_cpu] == NOTHING).all()
    steps = done.run.graph.steps[0]
    place = next(at for at, step in enumerate(steps) if not isinstance(step, int))
    before = [op for step in steps[:place] for op in done.run.graph.islands[step].ops]
    (cycle,) = trace.start_cycle[on_cpu]
    assert cycle == trace.end_cycle[on_cpu][0] == max(trace.op_end_cycle[before])


def test_further_subgraphs_run_after_the_first():
    done = example("shuffle_with_cpu")
    network = done.run.network
    twice = replace(network, subgraphs=network.subgraphs * 2)
    both = scheduled_network(twice, done.target)
    trace = check(both).trace
    assert len(both.run.graph.steps) == 2
    half = len(both.run.graph.ops) // 2
    assert trace.op_end_cycle[:half].max() <= trace.op_start_cycle[half:].min()
    assert trace.cpu_op[trace.lane == Lane.CPU].tolist() == [0, 1]


def test_nothing_runs():
    done = example("shuffle_with_cpu")
    graph = replace(done.run.graph, ops=(), islands=(), steps=(done.run.graph.cpu_ops,))
    empty = replace(
        done,
        run=replace(done.run, graph=graph),
        schedule=replace(done.schedule, islands=()),
        layout=replace(done.layout, op_times=(), end_time=3),
        costs=(),
        total=replace(done.total, total_cycles=0.0),
    )
    trace = schedules.analyse(empty).trace
    assert trace.count == len(graph.cpu_ops) == 1
    assert trace.end_cycle_of_all == 0.0
    assert trace.time_cycle.tolist() == [0.0] * 5
    nothing = replace(graph, steps=((),))
    assert schedules.analyse(replace(empty, run=replace(done.run, graph=nothing))).trace.count == 0


def test_an_operator_that_costs_nothing_is_seen():
    done = example("kws_dscnn")
    costs = tuple(
        replace(cost, npu_cycles=0, sram_cycles=0.0, dram_cycles=0.0) for cost in done.costs
    )
    trace = schedules.analyse(replace(done, costs=costs)).trace
    assert set(trace.op.tolist()) == set(range(len(costs)))
    assert trace.end_cycle_of_all == 0.0


def tall_network(count: int):
    """Convolutions over an image so high that their cascades have many stripes."""
    b = Builder(3, DType.INT8)
    x: Value = b.input((1, 512, 8, 8))
    for _ in range(count):
        x = b.conv(x, 8, window(3))
    return b.build([x], "tall")


@pytest.mark.long
def test_four_times_as_much_takes_no_more_than_in_proportion():
    # The direct search takes what the caller's maps need anyway, which is enough for whole maps.
    tall = scheduled_network(tall_network(40), resolved(SHARED, 24), Search.COMPATIBLE)
    assert sum(len(each.steps) for each in check(tall).cascades) > 1_000
    for done, times in ((tall, 1), (example("kws_dscnn"), 60)):
        # Whatever grows with the square takes 16 times as long.
        assert seconds_of(many_times(done, 4 * times)) < 10 * seconds_of(many_times(done, times))


def seconds_of(done: Scheduled) -> float:
    """Of the processor, for the analysis, whatever else is in memory and goes on beside it."""
    found = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            begin = time.process_time()
            schedules.analyse(done)
            found.append(time.process_time() - begin)
    finally:
        gc.enable()
    return min(found)


def many_times(done: Scheduled, times: int) -> Scheduled:
    (island,) = done.schedule.islands
    graph, count = done.run.graph, len(done.run.graph.ops)
    ops = tuple(replace(op, id=op.id + turn * count) for turn in range(times) for op in graph.ops)
    islands = tuple(
        replace(graph.islands[0], id=turn, ops=tuple(range(turn * count, (turn + 1) * count)))
        for turn in range(times)
    )
    schedules = tuple(
        replace(
            island,
            island=turn,
            ops=tuple(replace(plan, op=plan.op + turn * count) for plan in island.ops),
            cascades=tuple(
                replace(cascade, ops=tuple(op + turn * count for op in cascade.ops))
                for cascade in island.cascades
            ),
        )
        for turn in range(times)
    )
    length = 2 * count
    return replace(
        done,
        run=replace(
            done.run,
            graph=replace(graph, ops=ops, islands=islands, steps=(tuple(range(times)),)),
        ),
        schedule=replace(done.schedule, islands=schedules),
        layout=replace(
            done.layout,
            op_times=tuple(
                time_ + turn * length for turn in range(times) for time_ in done.layout.op_times
            ),
            end_time=times * length + 3,
        ),
        costs=done.costs * times,
    )


def test_what_is_brought_early_waits_for_the_channel():
    target, slices = resolved(SHARED, 64), Slices()
    dma = DmaIn(target, Rates.of(target), slices)
    dma.occupy(100.0)
    dma.occupy(60.0)
    dma.come_ahead(NpuOpId(1), 30.0)
    dma.fill(Stretch(0.0, 120.0))
    assert dma.left_of(NpuOpId(1)) == 10.0
    brought = slices.sorted()
    assert (*brought["start_cycle"], *brought["end_cycle"]) == (100.0, 120.0)
