"""What a schedule has at the subject of an edit, read from the schedule and its addresses alone."""

from __future__ import annotations

from core.base.ids import NpuOpId
from core.edits.names import Names
from core.edits.plans import of_map, of_plan
from core.edits.resolve import map_of, ops_of, precedence
from core.ir.edits import Edit, Grouping, Living, Value, WeightsAsked, What
from core.ir.fixed import Precedence
from core.ir.layout import MemoryLayout, Purpose
from core.ir.schedule import OpPlan, Schedule
from core.target.region import Region


def applied(schedule: Schedule, layout: MemoryLayout, names: Names, edit: Edit) -> Value | None:
    """The value of the edit's decision; None where nothing there has one."""
    found: Value | None
    match edit.what:
        case What.REGION:
            found = living(schedule.maps[map_of(edit.subject, names)].region, layout)
        case What.FORMAT | What.ROLLING:
            plan = schedule.maps[map_of(edit.subject, names)]
            found = dict(of_map(plan, has_two=False)).get(edit.what)
        case What.ADDRESS:
            found = _address(schedule, layout, names, edit)
        case What.CASCADE:
            found = _grouping(schedule, ops_of(edit.subject, names), edit)
        case What.PROCESSOR:
            found = None
        case What.RESERVE:
            found = _reserved(layout, names, edit)
        case What.BEFORE | What.AFTER:
            found = edit.value if _runs_so(schedule, layout, precedence(edit, names)) else None
        case _:
            last = ops_of(edit.subject, names)[-1]
            found = dict(of_plan(_plan(schedule, last))).get(edit.what)
    return found


def living(region: Region, layout: MemoryLayout) -> Living:
    """The word for a region; where fast storage is the arena, all maps are in it."""
    is_one = any({Region.SCRATCH, Region.SCRATCH_FAST} <= {*area.regions} for area in layout.areas)
    return Living.FAST if is_one and not region.is_permanent else Living.of(region)


def holds(edit: Edit, found: Value | None) -> bool:
    """Whether that is what the edit asks for."""
    if isinstance(edit.value, WeightsAsked) and isinstance(found, WeightsAsked):
        asked = edit.value
        return (
            asked.buffers in (None, found.buffers)
            and asked.depths in (None, found.depths)
            and asked.prefetch in (None, found.prefetch)
        )
    if edit.what is What.RESERVE and isinstance(found, int) and isinstance(edit.value, int):
        return found >= edit.value
    return edit.value == found


def _plan(schedule: Schedule, op: NpuOpId) -> OpPlan:
    return next(plan for plan in schedule.ops if plan.op == op)


def _address(schedule: Schedule, layout: MemoryLayout, names: Names, edit: Edit) -> int | None:
    fm = map_of(edit.subject, names)
    region = schedule.maps[fm].region
    return next(
        (
            placement.address
            for area in layout.areas
            if region in area.regions
            for placement in area.placements
            if fm in placement.fms
        ),
        None,
    )


def _runs_so(schedule: Schedule, layout: MemoryLayout, wish: Precedence) -> bool:
    """Whether one operator comes before another, be it in one cascade."""
    place = {plan.op: at for each in schedule.islands for at, plan in enumerate(each.ops)}
    first, then = ((layout.op_times[op], place[op]) for op in (wish.first, wish.then))
    return first < then


def _grouping(schedule: Schedule, ops: tuple[NpuOpId, ...], edit: Edit) -> Grouping | None:
    islands = {op.op: island.island for island in schedule.islands for op in island.ops}
    cascades = [_plan(schedule, op).cascade for op in ops]
    places = [
        (islands[op], cascade)
        for op, cascade in zip(ops, cascades, strict=True)
        if cascade is not None
    ]
    match edit.value:
        case Grouping.APART:
            return Grouping.APART if len({*places}) == len(places) else Grouping.TOGETHER
        case Grouping.NEVER:
            return Grouping.TOGETHER if places else Grouping.NEVER
        case _ if len(places) == len(ops) and len({*places}) == 1:
            return Grouping.TOGETHER
        case _:
            return Grouping.APART if places else Grouping.NEVER


def _reserved(layout: MemoryLayout, names: Names, edit: Edit) -> int | None:
    """Bytes that are set aside for as long as they were asked for."""
    ops = ops_of(edit.subject, names)
    first, last = sorted((layout.op_times[ops[0]], layout.op_times[ops[-1]]))
    return max(
        (
            placement.size_bytes
            for area in layout.areas
            for placement in area.placements
            if placement.purpose is Purpose.RESERVED
            and placement.start_time <= first
            and placement.end_time >= last
        ),
        default=None,
    )
