"""Operators and maps of a schedule, as they can be asked about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.base.query import Fields, Thing, Value
from core.ir.cost import Bound, OperatorCost
from core.ir.npugraph import CpuOp
from core.ir.schedule import IslandSchedule, OpPlan
from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes, rolling_bytes
from core.report.ecosystem_names import AREA_TITLES
from core.report.schedule_tables import BOUND_TITLES
from core.report.words import shape_text
from core.target.format import Format
from core.target.region import memory_of
from core.target.target import Area

FIELDS: Fields = MappingProxyType(
    {
        "name": str,
        "title": str,
        "kind": str,
        "number": float,
        "is": frozenset,
        "cycles": float,
        "share": float,
        "waits": str,
        "decides": str,
        "utilisation": float,
        "macs": float,
        "cascade": float,
        "stripe": float,
        "block": str,
        "weights": float,
        "live": float,
        "sram": float,
        "dram": float,
        "flash": float,
        "bytes": float,
        "shape": str,
        "format": str,
        "memory": str,
    }
)
TAGS = MappingProxyType(
    {
        "operator": "an operator",
        "map": "a feature map",
        "npu": "an operator of the NPU",
        "cpu": "an operator of the CPU",
        "cascaded": "an operator in a cascade",
        "rolling": "a map that exists as a rolling buffer",
        "evicted": "a map that could be in fast storage and is not, or an operator that has one",
        "edited": "decided by an edit",
        "differs": "otherwise than in A",
    }
)
"""What `is` knows."""


class Tagged(Frozen):
    """What is known of things beside the schedule: by tag, operators and maps."""

    ops: Mapping[str, frozenset[NpuOpId]] = MappingProxyType({})
    fms: Mapping[str, frozenset[FmId]] = MappingProxyType({})


NOTHING_TAGGED = Tagged()


class Found(NamedTuple):
    """A thing, and which it is: an operator, a map, or by position an operator of the CPU."""

    thing: Thing
    op: NpuOpId | None = None
    fm: FmId | None = None
    cpu_op: int | None = None


def things_of(scheduled: Scheduled, tagged: Tagged = NOTHING_TAGGED) -> Iterator[Found]:
    """All operators in order of execution, and all maps that live for a time."""
    cascades, cpu = scheduled.cascade_numbers(), 0
    evicted = frozenset(
        fm for island in scheduled.schedule.islands for group in island.evicted for fm in group.fms
    )
    for steps in scheduled.graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                yield Found(_cpu_op(scheduled, step, cpu), cpu_op=cpu)
                cpu += 1
                continue
            island = scheduled.schedule.islands[step]
            for plan in island.ops:
                number = None if plan.cascade is None else cascades[step, plan.cascade]
                tags = _tags(scheduled, plan, evicted, tagged)
                yield Found(_op(scheduled, island, plan, number, tags), op=plan.op)
    yield from _maps(scheduled, evicted, tagged)


def _cpu_op(scheduled: Scheduled, op: CpuOp, place: int) -> Thing:
    title = scheduled.graph.titles.cpu_ops[place]
    values: dict[str, Value] = {
        "name": op.name,
        "title": title,
        "kind": str(op.kind),
        "is": frozenset(("operator", "cpu")),
    }
    return Thing((op.name, title, f"CPU: {op.kind}"), values)


def _op(
    scheduled: Scheduled,
    island: IslandSchedule,
    plan: OpPlan,
    cascade: int | None,
    tags: frozenset[str],
) -> Thing:
    op, cost, title = scheduled.op(plan), scheduled.cost(plan), scheduled.graph.titles.op(plan.op)
    is_striped = plan.stripe.ofm.h < op.ofm.touched.h
    values: dict[str, Value] = {
        "name": op.name,
        "title": title,
        "kind": op.kind.value,
        "number": float(plan.op),
        "is": tags,
        **_costs(scheduled, cost),
        "cascade": math.nan if cascade is None else float(cascade),
        "stripe": float(plan.stripe.ofm.h) if is_striped else math.nan,
        "block": shape_text(plan.block.ofm_block),
        "weights": float(plan.weights.stream_bytes) if plan.weights else math.nan,
        "live": float(island.snapshot[plan.time]),
        **_place(scheduled, op.ofm.fm),
    }
    return Thing((op.name, title, op.kind.value, shape_text(op.ofm.touched)), values)


def _costs(scheduled: Scheduled, cost: OperatorCost) -> dict[str, Value]:
    moved: dict[Area, float] = dict.fromkeys(Area, 0)
    for part in cost.traffic:
        moved[part.area] += part.size_bytes
    whole, cycles = scheduled.total.total_cycles, cost.total_cycles
    possible = cycles * scheduled.total.macs_per_cycle
    is_npu = cost.bound is Bound.NPU
    return {
        "cycles": float(cycles),
        "share": cycles / whole if whole else math.nan,
        "waits": cost.limit.value if is_npu else BOUND_TITLES[cost.bound],
        "decides": "" if cost.decides is None else cost.decides.value,
        "utilisation": cost.macs / possible if possible else math.nan,
        "macs": float(cost.macs),
        "sram": float(moved[Area.SRAM]),
        "dram": float(moved[Area.DRAM]),
        "flash": float(moved[Area.ON_CHIP_FLASH] + moved[Area.OFF_CHIP_FLASH]),
    }


def _place(scheduled: Scheduled, fm: FmId) -> dict[str, Value]:
    """Of a map: how large it is, and how and where it lies."""
    plan = scheduled.schedule.maps[fm]
    part, rolling = scheduled.graph.feature_maps[fm], plan.rolling
    size = map_bytes(part, plan.format) if rolling is None else rolling_bytes(part, rolling)
    return {
        "bytes": float(size),
        "shape": shape_text(part.shape),
        "format": "bricks" if plan.format is Format.BRICKS else "rows",
        "memory": AREA_TITLES[memory_of(scheduled.target, plan.region).area],
    }


def _tags(
    scheduled: Scheduled, plan: OpPlan, evicted: frozenset[FmId], tagged: Tagged
) -> frozenset[str]:
    found = {"operator", "npu", *(tag for tag, ops in tagged.ops.items() if plan.op in ops)}
    if plan.cascade is not None:
        found.add("cascaded")
    if any(view.fm in evicted for view in scheduled.op(plan).views):
        found.add("evicted")
    return frozenset(found)


def _maps(scheduled: Scheduled, evicted: frozenset[FmId], tagged: Tagged) -> Iterator[Found]:
    titles = scheduled.graph.titles
    placed = {fm for area in scheduled.layout.areas for part in area.placements for fm in part.fms}
    touched = {view.fm for op in scheduled.graph.ops for view in op.views}
    for fm in sorted(placed | (touched & evicted)):
        part, plan = scheduled.graph.feature_maps[fm], scheduled.schedule.maps[fm]
        tags = {"map", *(tag for tag, fms in tagged.fms.items() if fm in fms)}
        tags |= {"evicted"} if fm in evicted else set()
        tags |= {"rolling"} if plan.rolling is not None else set()
        values: dict[str, Value] = {
            "name": part.name,
            "title": titles.map(fm),
            "kind": "map" if part.data is None else "constant",
            "number": float(fm),
            "is": frozenset(tags),
            **_place(scheduled, fm),
        }
        yield Found(Thing((part.name, titles.map(fm)), values), fm=fm)
