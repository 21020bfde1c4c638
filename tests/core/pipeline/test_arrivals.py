"""Free memory goes to weights that arrive earlier, where time is gained and none is saved."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from core.api import compiler, networks, programs
from core.base.frozen import replace
from core.base.progress import Cancelled
from core.cost.ahead import Arrivals
from core.ir.addresses_tried import ArrivalsTried
from core.ir.decisions import Buffering, WeightsBuffered, WeightsReason
from core.ir.edits import Edit, EditFate, OpNamed, WeightsAsked, What
from core.ir.freedoms import ALL
from core.ir.options import Engine, LoweringOptions, Options, ParetoOptions, Search, Strategy
from core.ir.scheduled import Run, Scheduled
from core.lower import run as lowering
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve
from core.target.target import Target
from tests.benchmarks.networks import skips
from tests.shared import need

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
MODEL = (EXAMPLES / "resnet8.tflite").read_bytes()
TOWER = (EXAMPLES / "residual_tower.tflite").read_bytes()
LONG = (EXAMPLES / "mobilenet_v2_035_96.tflite").read_bytes()
SHARED = resolve("ethos-u55-64", "Ethos_U55_High_End_Embedded", "Shared_Sram")
FAST = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
LATE = replace(ALL, early_arrivals=False)


def scheduled(target: Target, options: Options, model: bytes = MODEL) -> Scheduled:
    return Workbench(networks.run(model, target, options)).schedule(target, options)


def late(target: Target, options: Options, model: bytes = MODEL) -> Scheduled:
    with patch.object(Options, "freedoms", LATE):
        return scheduled(target, options, model)


def tried(found: Scheduled) -> ArrivalsTried:
    (record,) = (each for each in found.schedule.decisions if isinstance(each, ArrivalsTried))
    return record


def test_the_same_operators_take_less_time_as_the_commands_say():
    found, before = scheduled(SHARED, Options()), late(SHARED, Options())
    assert found.total.total_cycles < before.total.total_cycles
    record = tried(found)
    assert record.is_taken
    assert (record.cycles, record.size_bytes) == (found.total.total_cycles, found.fast_bytes)
    assert record.cycles_before == before.total.total_cycles
    assert record.size_bytes_before == before.fast_bytes
    data = compiler.compile_model(found).data
    read = programs.read_back(programs.open_compiled(data, lambda _: SHARED)).scheduled
    assert read.total.total_cycles == pytest.approx(found.total.total_cycles)


def test_weights_come_as_many_operators_ahead_as_the_channel_needs():
    """The last operators of this network have most of its weights, which one byte a cycle brings in
    no less time than all operators before take."""
    found, before = scheduled(FAST, Options()), late(FAST, Options())
    leads = [plan.weights.lead_steps for plan in found.schedule.ops if plan.weights is not None]
    assert max(leads) > 2
    assert found.total.total_cycles < 0.9 * before.total.total_cycles


def test_what_came_in_slices_comes_whole_where_the_channel_is_free_before():
    """Operators that read their input again for each slice need not then."""
    found, before = scheduled(FAST, Options(), TOWER), late(FAST, Options(), TOWER)
    joined = [
        (ahead.weights, cut.weights)
        for ahead, cut in zip(found.schedule.ops, before.schedule.ops, strict=True)
        if cut.weights is not None and len(cut.weights.slice_bytes) > 1 and cut != ahead
    ]
    assert joined
    assert all(len(ahead.slice_bytes) == 1 and ahead.is_prefetched for ahead, _ in joined)
    assert found.total.total_cycles < 0.99 * before.total.total_cycles
    records = {
        each.op: each.reason
        for each in found.schedule.decisions
        if isinstance(each, WeightsBuffered)
    }
    assert WeightsReason.WHOLE_AHEAD in records.values()
    bench = Workbench(networks.run(TOWER, FAST, Options()))
    for limit in range(before.fast_bytes * 3 // 4, before.fast_bytes + 1, 1 << 13):
        less = FAST.with_limit(limit)
        without = late(less, Options(), TOWER).total.total_cycles
        assert bench.schedule(less, Options()).total.total_cycles <= 1.001 * without


def test_less_room_is_for_fewer_and_shorter_leads():
    """Between what is needed anyway and what time alone asks for, more room is never slower."""
    usual, most = late(FAST, Options(), LONG), scheduled(FAST, Options(), LONG)
    assert usual.fast_bytes < most.fast_bytes
    bench = Workbench(networks.run(LONG, FAST, Options()))
    step = (most.fast_bytes - usual.fast_bytes) // 4
    limits = range(usual.fast_bytes, most.fast_bytes, step)
    found = [bench.schedule(FAST.with_limit(limit), Options()) for limit in limits]
    assert all(each.fast_bytes <= limit for each, limit in zip(found, limits, strict=True))
    cycles = [each.total.total_cycles for each in found]
    assert cycles == sorted(cycles, reverse=True)
    assert most.total.total_cycles <= cycles[-1] < cycles[0] <= usual.total.total_cycles


def test_weights_whose_transfer_keeps_others_waiting_are_read_where_they_are_stored():
    """With room for it, an operator of this network had its weights in slices, and the next one
    waited for its own: 27,963 cycles, and 26,768 where there was no room."""
    target = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
    model = need("models/str_ww_int8.tflite").read_bytes()
    bench = Workbench(networks.run(model, target, Options()))
    little, much = (bench.schedule(target.with_limit(kib << 10), Options()) for kib in (12, 24))
    assert much.total.total_cycles <= 1.001 * little.total.total_cycles
    direct = (WeightsReason.FASTEST, Buffering.DIRECT)
    read = [
        much.schedule.ops[each.op].weights
        for each in much.schedule.decisions
        if isinstance(each, WeightsBuffered) and (each.reason, each.buffering) == direct
    ]
    assert [each.buffer_bytes for each in read if each is not None] == [()] * len(read) != []


def test_where_nothing_runs_on_the_npu_nothing_comes_early():
    (subgraph,) = networks.run(MODEL, FAST, Options()).network.subgraphs
    kinds = tuple(sorted({each.kind for each in subgraph.operators}))
    on_cpu = scheduled(FAST, Options(to_cpu=kinds))
    assert on_cpu.schedule.islands == ()
    assert on_cpu.schedule.ops == ()


def test_of_many_that_come_late_more_are_left_out_at_a_time():
    """One by one, the clock was asked 42 times of 120 operators, 98 times of 300."""
    target = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(8 << 10)
    network = skips(120)
    graph = lowering.run(network, target.accelerator, LoweringOptions())
    bench = Workbench(Run(network=network, accelerator=target.accelerator, graph=graph))
    with patch.object(Arrivals, "waits", autospec=True, side_effect=Arrivals.waits) as waits:
        bench.schedule(target, Options())
    assert 1 < waits.call_count <= 20


@pytest.mark.parametrize("stage", ["choosing early weights", "encoding weights"])
def test_the_choice_can_be_stopped_in_between(stage: str):
    """Who has asked for something else meanwhile waits for the rest of it."""
    reports: list[str] = []

    class Stopped:
        def advance(self, told: str, *_: int) -> None:
            reports.extend([told] * (told == stage))
            if len(reports) > 3:
                raise Cancelled

    with pytest.raises(Cancelled):
        Workbench(networks.run(LONG, FAST, Options())).schedule(FAST, Options(), Stopped())


def test_what_is_asked_of_a_lead_is_heeded():
    op = next(
        plan.op
        for plan in scheduled(FAST, Options()).schedule.ops
        if plan.weights is not None and plan.weights.lead_steps > 1
    )
    name = networks.run(MODEL, FAST, Options()).graph.ops[op].name
    for lead_steps in (1, 2):
        value = WeightsAsked(buffers=1, prefetch=True, lead_steps=lead_steps)
        edit = Edit(subject=OpNamed(name), what=What.WEIGHTS, value=value)
        found = scheduled(FAST, Options(edits=(edit,)))
        assert [each.fate for each in found.edits] == [EditFate.HONOURED]
        weights = found.schedule.ops[op].weights
        assert weights is not None
        assert weights.lead_steps == lead_steps


def test_who_asks_for_what_the_search_has_gets_no_longer_lead_that_is_remembered():
    """Commands and addresses of both questions are the same until leads are chosen."""
    bench = Workbench(networks.run(MODEL, FAST, Options()))
    usual, early = late(FAST, Options()), bench.schedule(FAST, Options())
    op = next(
        plan.op
        for plan, led in zip(usual.schedule.ops, early.schedule.ops, strict=True)
        if plan.weights and led.weights and plan.weights.is_prefetched
        if led.weights == replace(plan.weights, lead_steps=led.weights.lead_steps) != plan.weights
    )
    weights = usual.schedule.ops[op].weights
    assert weights is not None
    count, depths = len(weights.buffer_bytes), weights.depth_slices
    value = WeightsAsked(buffers=count, depths=depths, lead_steps=1)
    edit = Edit(subject=OpNamed(bench.run.graph.ops[op].name), what=What.WEIGHTS, value=value)
    found = bench.schedule(FAST, Options(edits=(edit,)))
    assert [each.fate for each in found.edits] == [EditFate.HONOURED]
    assert found == scheduled(FAST, Options(edits=(edit,)))


def test_as_many_as_have_room_beside_maps_that_stay_come_early():
    usual, most = late(SHARED, Options()), scheduled(SHARED, Options())
    assert most.fast_bytes > usual.fast_bytes
    found = scheduled(SHARED.with_limit(usual.fast_bytes), Options())
    assert found.fast_bytes <= usual.fast_bytes
    assert usual.total.total_cycles > found.total.total_cycles >= most.total.total_cycles


@pytest.mark.parametrize(("model", "fewer_bytes"), [(MODEL, 0), (MODEL, 1), (TOWER, 1)])
def test_a_limit_without_room_for_more_is_kept(model: bytes, fewer_bytes: int):
    """Whatever was asked before."""
    target = SHARED.with_limit(scheduled(SHARED, Options(), model).fast_bytes - fewer_bytes)
    bench = Workbench(networks.run(model, SHARED, Options()))
    bench.schedule(SHARED, Options())
    found = scheduled(target, Options(), model)
    assert bench.schedule(target, Options()) == found
    assert found.fast_bytes <= found.layout.fast_area.limit_bytes


@pytest.mark.parametrize(
    "options",
    [
        Options(strategy=Strategy.SIZE),
        Options(engine=Engine.PARETO, pareto=ParetoOptions(most_bytes=48 << 10)),
        Options(search=Search.BEST, effort=4, strategy=Strategy.SIZE),
    ],
    ids=["size", "chosen", "best"],
)
def test_who_saves_memory_gives_none_for_time(options: Options):
    assert scheduled(SHARED, options).fast_bytes <= late(SHARED, options).fast_bytes


def test_a_front_has_the_schedule_with_both_addresses():
    options = Options(search=Search.BEST, effort=0)
    most, least = scheduled(SHARED, Options()), late(SHARED, Options())
    sizes = {
        point.peak_bytes: point.cost.total_cycles
        for point in scheduled(SHARED, options).schedule.front
    }
    for each in (most, least):
        assert sizes[each.fast_bytes] == each.total.total_cycles
