"""What a schedule decides, decision by decision, and where it has everything: by names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from core.base.ids import FmId, NpuOpId
from core.edits.freeze import freeze
from core.edits.grouping import groups_of
from core.edits.names import Names
from core.edits.plans import of_map, of_op
from core.ir.edits import Grouping, OpsNamed, What
from core.ir.held import Held, Spot
from core.ir.layout import MemoryLayout, Placement
from core.ir.npugraph import NpuGraph
from core.ir.schedule import IslandSchedule, Schedule
from core.ir.scheduled import Scheduled
from core.ir.shown import Aspect, At, Decided, Shown
from core.target.region import Region


def shown_of(scheduled: Scheduled) -> Shown:
    """A schedule as what edits are around."""
    graph, layout = scheduled.graph, scheduled.layout
    names = Names.of(graph)
    return Shown(
        decisions=freeze(graph, scheduled.schedule, scheduled.target),
        places=tuple(_places(layout, names)),
    )


def decided(
    graph: NpuGraph, schedule: Schedule, layout: MemoryLayout, *, has_two: bool
) -> dict[Aspect, Decided]:
    """Every decision of a schedule, and every address."""
    names = Names.of(graph)
    found: dict[Aspect, Decided] = {}
    for island in schedule.islands:
        found.update(_of_groups(island, names))
        for plan in island.ops:
            name = names.ops[plan.op]
            found.update(((what, name), value) for what, value in of_op(graph.ops[plan.op], plan))
    for fm in dict.fromkeys(op.ofm.fm for op in graph.ops):
        decisions = of_map(schedule.maps[fm], has_two=has_two)
        found.update(((what, names.maps[fm]), value) for what, value in decisions)
    for at in _places(layout, names):
        subject = at.fm or at.op
        if subject is not None and at.buffer == 0:
            found[What.ADDRESS, subject] = at.address
    return found


def held_by(shown: Shown, names: Names) -> Held:
    """Where everything of it lies, by the ids of a lowered network."""
    maps: dict[tuple[FmId, bool], Spot] = {}
    buffers: dict[tuple[NpuOpId, int], Spot] = {}
    for at in shown.places:
        spot = Spot(at.address, at.size_bytes, at.ahead_times)
        if at.fm in names.map_ids:
            maps[names.map_ids[at.fm], at.is_fast] = spot
        if at.op in names.op_ids:
            buffers[names.op_ids[at.op], at.buffer] = spot
    return Held(maps=maps, buffers=buffers)


def _places(layout: MemoryLayout, names: Names) -> Iterator[At]:
    for area in layout.areas:
        if {Region.SCRATCH, Region.SCRATCH_FAST}.isdisjoint(area.regions):
            continue
        is_fast = Region.SCRATCH_FAST in area.regions
        for item in area.placements:
            ahead = 0 if item.op is None else max(layout.op_times[item.op] - item.start_time, 0)
            yield from _places_of(item, names, ahead, is_fast=is_fast)


def _places_of(item: Placement, names: Names, ahead: int, *, is_fast: bool) -> Iterator[At]:
    maps = [None] if item.op is not None else [names.maps[fm] for fm in item.fms]
    for fm in maps:
        yield At(
            fm=fm,
            op=None if item.op is None else names.ops[item.op],
            buffer=item.buffer,
            is_fast=is_fast,
            address=item.address,
            size_bytes=item.size_bytes,
            ahead_times=ahead,
        )


def _of_groups(island: IslandSchedule, names: Names) -> Iterator[tuple[Aspect, Decided]]:
    for group in groups_of(island):
        named = tuple(names.ops[op] for op in group)
        for op in named:
            value = OpsNamed(named) if len(named) > 1 else Grouping.NEVER
            yield (What.CASCADE, op), value
    for before, after in pairwise(island.ops):
        yield (What.BEFORE, names.ops[before.op]), names.ops[after.op]


def changes(
    before: Mapping[Aspect, Decided], now: Mapping[Aspect, Decided]
) -> dict[Aspect, tuple[Decided, Decided]]:
    """What is decided otherwise, and how on both sides; None where there is no such decision."""
    aspects = dict.fromkeys((*before, *now))
    return {
        each: (before.get(each), now.get(each))
        for each in aspects
        if before.get(each) != now.get(each)
    }
