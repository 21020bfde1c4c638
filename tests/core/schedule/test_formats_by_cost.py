"""Rows or bricks by memory and cycles, also through cascades; the log has the prices of both."""

from __future__ import annotations

import pytest

from core.base.frozen import replace
from core.base.geometry import Kernel
from core.check.schedule import verify
from core.cost.model import CostModel
from core.cost.stripes import StripePrices
from core.ir.decisions import (
    FormatChosen,
    FormatReason,
    Role,
    WholeReason,
)
from core.ir.freedoms import ALL
from core.ir.npugraph import LinearReason, NpuGraph, OpKind
from core.ir.options import Options, Search, Strategy
from core.ir.schedule import Schedule
from core.liveness.sizes import map_bytes, rolling_bytes
from core.target.format import Format
from core.target.region import Region
from core.target.target import Target
from tests.core.schedule.chains import Link, chain
from tests.core.schedule.sketch import DEDICATED, NEAR, SHARED, Sketch, problems_for, scheduled

PICTURE = (1, 32, 16, 16)
ROOMY = 1 << 22
ODD = Link(OpKind.CONV_2D, 24, Kernel(h=3, w=3))


def thin(channels: int = 3) -> NpuGraph:
    """Maps of few channels, some of which live together."""
    s = Sketch()
    first = s.conv(s.input(PICTURE), channels)
    second = s.alone(s.conv(first, channels))
    return s.build(s.conv(s.add(s.conv(second, channels), first), 24), s.conv(second))


def records(schedule: Schedule) -> list[FormatChosen]:
    return [each for each in schedule.decisions if isinstance(each, FormatChosen) and each.rows]


def cycles_around(graph: NpuGraph, target: Target, schedule: Schedule, fm: int) -> float:
    prices = StripePrices(graph, CostModel(target))
    return sum(
        prices.of(
            graph.ops[plan.op],
            plan.stripe.ofm.h,
            plan.block,
            plan.weights,
            schedule.maps.__getitem__,
        ).sums.cycles
        for plan in schedule.ops
        if fm in {view.fm for view in graph.ops[plan.op].views}
    )


@pytest.mark.parametrize("target", [NEAR, SHARED, DEDICATED])
@pytest.mark.parametrize("limit", [3_000, 12_000, ROOMY])
@pytest.mark.parametrize("strategy", Strategy)
def test_prices_are_those_of_the_schedule(target, limit, strategy):
    graph = thin()
    schedule = scheduled(graph, target, limit, Options(strategy=strategy))
    found = records(schedule)
    assert found
    for each in found:
        plan, own = schedule.maps[each.fm], graph.feature_maps[each.fm]
        chosen = each.rows if plan.format is Format.LINEAR else each.bricks
        size = map_bytes(own, plan.format)
        if plan.rolling is not None:
            size = rolling_bytes(own, plan.rolling)
        assert chosen.size_bytes == size
        assert chosen.cycles == pytest.approx(cycles_around(graph, target, schedule, each.fm))


def test_with_room_for_all_no_map_by_itself_is_faster_in_the_other_format():
    for each in records(scheduled(thin(), SHARED, ROOMY)):
        chosen, other = each.rows, each.bricks
        if each.format is Format.BRICKS:
            chosen, other = other, chosen
        assert chosen.cycles <= other.cycles or each.reason is FormatReason.NEIGHBOURS


def test_with_size_a_map_of_few_channels_is_in_rows_where_memory_runs_short():
    def peak(search: Search) -> int:
        options = Options(strategy=Strategy.SIZE, search=search)
        (island,) = scheduled(thin(), SHARED, ROOMY, options).islands
        return max(island.snapshot)

    assert peak(Search.DIRECT) < peak(Search.COMPATIBLE)


def test_rows_roll_through_a_cascade():
    graph = chain([ODD, ODD, ODD], 40)
    schedule = scheduled(graph, SHARED, 3_000, Options(strategy=Strategy.SIZE))
    shapes = [
        buffer.shape
        for island in schedule.islands
        for each in island.cascades
        for buffer in each.buffers
    ]
    assert shapes
    assert {shape.c for shape in shapes} == {24}


def test_the_compatible_search_lets_no_rows_roll_and_prices_nothing():
    graph = chain([ODD, ODD, ODD], 40)
    options = Options(strategy=Strategy.SIZE, search=Search.COMPATIBLE)
    schedule = scheduled(graph, SHARED, 3_000, options)
    assert not records(schedule)
    for island in schedule.islands:
        assert all(buffer.shape.c % 16 == 0 for each in island.cascades for buffer in each.buffers)


def test_rows_that_are_read_in_steps_exist_whole():
    s = Sketch()
    inner = s.map(PICTURE, linear_reason=LinearReason.READ_IN_STEPS)
    s.op(OpKind.ABS, inner, s.conv(s.input(PICTURE)))
    (problem,) = problems_for(s.build(s.conv(inner)), SHARED, ALL)
    reasons = {(each.op, each.role): each.reason for each in problem.decisions}
    assert reasons[1, Role.OFM] == reasons[2, Role.IFM] == WholeReason.OUT_OF_ORDER


@pytest.mark.parametrize(("channels", "bricks"), [(3, 0), (24, 1), (40, 3)])
def test_where_all_has_room_each_map_is_in_its_faster_format(channels, bricks):
    """Also where it takes more memory; maps that share their bytes change together, for which one
    of them may take a little longer. Weights are cut into slices when formats are chosen already:
    the maps of such an operator, which is read again for each, are not looked at."""
    graph = thin(channels)
    schedule = scheduled(graph, SHARED, ROOMY)
    rules = records(schedule)
    assert sum(rule.format is Format.BRICKS for rule in rules) == bricks
    cut = {
        view.fm
        for plan in schedule.ops
        if plan.weights is not None and len(plan.weights.slice_bytes) > 1
        for view in graph.ops[plan.op].views
    }
    assert len(cut) < len(rules)
    for rule in (rule for rule in rules if rule.fm not in cut):
        cycles = {Format.LINEAR: rule.rows.cycles, Format.BRICKS: rule.bricks.cycles}
        assert cycles[rule.format] <= 1.002 * min(cycles.values())


def test_beside_dram_maps_are_stored_small_where_they_are_near_and_fast_where_they_are_far():
    graph = thin()
    (fast, small) = (
        scheduled(graph, target, limit, Options(strategy=strategy)).maps
        for target, limit, strategy in (
            (DEDICATED, 1, Strategy.PERFORMANCE),
            (SHARED, 1, Strategy.SIZE),
        )
    )
    sides = set()
    for limit in (3_000, 8_000, 20_000, ROOMY):
        schedule = scheduled(graph, DEDICATED, limit)
        for rule in records(schedule):
            plan = schedule.maps[rule.fm]
            is_near = plan.region is Region.SCRATCH_FAST
            assert plan.format is (small if is_near else fast)[rule.fm].format
            sides.add(is_near)
    assert sides == {False, True}


def test_the_judge_holds_rows_that_roll_against_the_depth_of_their_map():
    graph = chain([ODD, ODD, ODD], 40)
    schedule = scheduled(graph, SHARED, 3_000, Options(strategy=Strategy.SIZE))
    assert verify(graph, SHARED, schedule) == ()
    (fm,) = [fm for fm, plan in enumerate(schedule.maps) if plan.rolling is not None][:1]
    padded = tuple(
        replace(plan, format=Format.BRICKS) if number == fm else plan
        for number, plan in enumerate(schedule.maps)
    )
    found = verify(graph, SHARED, replace(schedule, maps=padded))
    assert any("its rolling buffer is" in each.message for each in found)
