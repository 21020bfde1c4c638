"""Where addresses lose bytes, those who run there leave them free, and nobody else."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from core.api import networks
from core.base.frozen import replace
from core.check import schedule as schedule_check
from core.ir.addresses_tried import LimitMet
from core.ir.freedoms import ALL
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.losses import losses
from core.pipeline.scheduled import Workbench, analyse
from core.report.why.explain import AboutOp, explain
from core.target.region import Region
from core.target.resolve import resolve
from core.target.target import Area
from tests.shared import need

MODEL = (Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite").read_bytes()
SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
LIMITS = (9_920, 10_400, 10_900, 11_400, 12_500, 13_100, 15_000)
"""Between what cascades take that lie over each other's rows, and what their addresses take."""


def bench() -> Workbench:
    return Workbench(networks.run(MODEL, SHARED, Options()))


def losing(done: Scheduled) -> list[LimitMet]:
    met = (each for each in done.schedule.decisions if isinstance(each, LimitMet))
    return [each for each in met if each.lost_bytes]


def test_no_limit_takes_longer_than_with_less_memory_for_all_and_some_take_a_quarter_less():
    table, gains = bench(), []
    with patch.object(Options, "freedoms", replace(ALL, local_losses=False)):
        without = bench()
        before = [without.schedule(SHARED.with_limit(limit), Options()) for limit in LIMITS]
    for limit, old in zip(LIMITS, before, strict=True):
        found = table.schedule(SHARED.with_limit(limit), Options())
        assert found.layout.is_within_limits
        assert found.total.total_cycles <= old.total.total_cycles * 1.001
        gains.append(found.total.total_cycles / old.total.total_cycles)
    assert min(gains) < 0.75


def test_it_is_said_and_nobody_is_told_to_have_what_is_left_free():
    done = bench().schedule(SHARED.with_limit(9_920), Options())
    (record,) = losing(done)
    assert record.searched_bytes == record.limit_bytes == 9_920
    assert schedule_check.verify(done.graph, done.target, done.schedule) == ()
    for op, size in record.lost_bytes:
        island = next(each for each in done.schedule.islands if op in {p.op for p in each.ops})
        plan = next(plan for plan in island.ops if plan.op == op)
        assert 0 < size <= 9_920 - island.snapshot[plan.time]
        text = " ".join(each.text for each in explain(done, analyse(done), AboutOp(op)))
        assert f"{size:,} bytes" in text


@pytest.mark.long
def test_a_limit_that_the_smallest_schedule_meets_is_met():
    """Four cascades in a row, each over rows of the one before: whatever is live, leads add up."""
    model = need("models/tf2_mobilenet_v2_1.0_224_ptq.tflite").read_bytes()
    table = Workbench(networks.run(model, SHARED, Options()))
    least = table.schedule(SHARED, Options(strategy=Strategy.SIZE)).fast_bytes
    for limit in (least, least + 96):
        done = table.schedule(SHARED.with_limit(limit), Options())
        assert done.layout.is_within_limits
        assert done.fast_bytes <= limit


@pytest.mark.parametrize(
    "options",
    [
        Options(search=Search.COMPATIBLE),
        Options(engine=Engine.PARETO),
        Options(strategy=Strategy.SIZE),
    ],
    ids=["compatible", "pareto", "size"],
)
def test_others_take_less_for_all(options):
    for limit in LIMITS[:2]:
        assert losing(bench().schedule(SHARED.with_limit(limit), options)) == []


def test_the_fullest_operator_beside_what_is_above_the_limit_leaves_room():
    done = bench().schedule(SHARED, Options())
    (island,) = done.schedule.islands
    first, *_, last = island.ops
    fullest = max(island.ops, key=lambda plan: island.snapshot[plan.time])
    live, limit = island.snapshot[fullest.time], island.peak_bytes + 100

    def layout(start: int, end: int, address: int) -> MemoryLayout:
        high = Placement(
            name="high",
            purpose=Purpose.FEATURE_MAP,
            region=Region.SCRATCH_FAST,
            address=address,
            size_bytes=64,
            start_time=start,
            end_time=end,
        )
        area = AreaLayout(
            area=Area.SRAM,
            regions=(Region.SCRATCH_FAST,),
            placements=(high,),
            height_bytes=address + 64,
            lower_bound_bytes=0,
            limit_bytes=limit,
        )
        times = {plan.op: plan.time for plan in island.ops}
        op_times = tuple(times[op] for op in sorted(times))
        return MemoryLayout(areas=(area,), op_times=op_times, end_time=last.time + 1)

    whole = (first.time, last.time)
    assert losses(done.schedule, layout(*whole, limit - 64), {}) == {}
    assert losses(done.schedule, layout(*whole, limit - 32), {}) == {fullest.op: 16 + limit - live}
    alone = layout(last.time, last.time, limit - 32)
    beside = limit - island.snapshot[last.time]
    assert losses(done.schedule, alone, {last.op: 7}) == {last.op: 16 + beside}
    assert losses(done.schedule, alone, {last.op: limit}) == {last.op: limit}
