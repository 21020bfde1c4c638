"""Where addresses lose bytes, those who run there leave them free, and nobody else."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from core.api import networks
from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.check import schedule as schedule_check
from core.ir.addresses_tried import LimitMet
from core.ir.freedoms import ALL
from core.ir.layout import AreaLayout, Common, MemoryLayout, Placement, Purpose
from core.ir.options import Engine, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.pipeline.losses import Losses, is_lower, next_losses
from core.pipeline.scheduled import Workbench, analyse
from core.report.why.explain import AboutOp, explain
from core.target.region import Region
from core.target.resolve import resolve
from core.target.target import Area
from tests.shared import need

MODEL = (Path(__file__).parents[3] / "resources" / "examples" / "kws_dscnn.tflite").read_bytes()
SHARED = resolve("ethos-u55-256", "Ethos_U55_High_End_Embedded", "Shared_Sram")
SIZE = Options(strategy=Strategy.SIZE)
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
@pytest.mark.parametrize(
    ("name", "loses"),
    [
        ("movenet_single_pose_lightning_ptq", False),
        ("mobilenet_v2_1.0_224_quant", True),
        ("tf2_mobilenet_v2_1.0_224_ptq", True),
    ],
)
def test_the_smallest_schedule_has_addresses_no_higher_than_what_is_live(name: str, loses: bool):
    """Of movenet one island took 520,400 bytes, as another takes 564,480, and stood at 630,992."""
    model = need(f"models/{name}.tflite").read_bytes()
    done = Workbench(networks.run(model, SHARED, SIZE)).schedule(SHARED, SIZE)
    assert done.layout.fast_area.height_bytes == done.layout.fast_area.live_bytes
    lost = [each for record in losing(done) for each in record.lost_bytes]
    assert bool(lost) is loses
    for op, size in lost:
        text = " ".join(each.text for each in explain(done, analyse(done), AboutOp(op)))
        assert f"It leaves {size:,} bytes free" in text


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
    [Options(search=Search.COMPATIBLE), Options(engine=Engine.PARETO)],
    ids=["compatible", "pareto"],
)
def test_others_take_less_for_all(options):
    for limit in LIMITS[:2]:
        lost = losing(bench().schedule(SHARED.with_limit(limit), options))
        assert lost == []


def range_at(address: int, start_time: int, end_time: int) -> Placement:
    return Placement(
        name="map",
        purpose=Purpose.FEATURE_MAP,
        region=Region.SCRATCH_FAST,
        address=address,
        size_bytes=64,
        start_time=start_time,
        end_time=end_time,
    )


def area_of(
    *placements: Placement, limit_bytes: int, common: tuple[Common, ...] = ()
) -> AreaLayout:
    return AreaLayout(
        area=Area.SRAM,
        regions=(Region.SCRATCH_FAST,),
        placements=placements,
        height_bytes=max(each.address for each in placements) + 64,
        lower_bound_bytes=0,
        limit_bytes=limit_bytes,
        common=common,
    )


def layout_of(done: Scheduled, area: AreaLayout) -> MemoryLayout:
    op_times = done.layout.op_times
    return MemoryLayout(areas=(area,), op_times=op_times, end_time=max(op_times) + 1)


def test_the_fullest_operator_beside_what_is_above_the_limit_leaves_room():
    done = bench().schedule(SHARED, Options())
    (island,) = done.schedule.islands
    first, *_, last = island.ops
    fullest = max(island.ops, key=lambda plan: (island.snapshot[plan.time], plan.time))
    live, limit = island.snapshot[fullest.time], island.peak_bytes + 100

    def asked(start: int, end: int, above: int, known: Losses, useless: set[NpuOpId]) -> object:
        area = area_of(range_at(limit - 64 + above, start, end), limit_bytes=limit)
        return next_losses(done.schedule, layout_of(done, area), known, useless)

    whole, other = (first.time, last.time), first.op
    assert asked(*whole, 0, {}, set()) is None
    assert asked(*whole, 32, {other: 5}, set()) == {other: 5, fullest.op: 16 + limit - live}
    assert fullest.op not in asked(*whole, 32, {}, {fullest.op})
    needed = 16 + limit - island.snapshot[last.time]
    assert asked(last.time, last.time, 32, {last.op: 7}, set()) == {last.op: needed}
    assert asked(last.time, last.time, 32, {last.op: needed}, set()) is None
    assert asked(last.time, last.time, 32, {}, {last.op}) is None


def test_what_is_filled_as_the_highest_is_given_up_may_hold_it_up():
    done = bench().schedule(SHARED, Options())
    (island,) = done.schedule.islands
    fullest = max(island.ops, key=lambda plan: (island.snapshot[plan.time], plan.time))
    start, limit = island.ops[-1].time, island.peak_bytes + 100
    assert start != fullest.time
    upper, lower = range_at(limit, start, start), range_at(limit - 16, fullest.time, fullest.time)
    shared = Common(1, 0, start, start, limit, 48)
    for common, op in (((), island.ops[-1].op), ((shared,), fullest.op)):
        area = area_of(upper, lower, limit_bytes=limit, common=common)
        asked = next_losses(done.schedule, layout_of(done, area), {}, set())
        assert asked is not None
        assert set(asked) == {op}


def test_less_is_lost_where_the_highest_is_lower_or_less_is_as_high():
    one, two = area_of(range_at(64, 0, 1), limit_bytes=64), range_at(64, 2, 3)
    both = area_of(*one.placements, two, limit_bytes=64)
    lower = area_of(range_at(48, 0, 1), range_at(48, 2, 3), limit_bytes=64)
    assert is_lower(one, both)
    assert is_lower(lower, one)
    assert not is_lower(both, one)
    assert not is_lower(one, one)
