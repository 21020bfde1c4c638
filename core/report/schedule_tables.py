"""What a schedule comes to as tables: operators, cascades, command streams, memory, traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.geometry import ceil_div
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.ir.cost import Bound, Direction, Limit, NetworkCost, OperatorCost, Purpose
from core.ir.decisions import Fate, FrontFound
from core.ir.layout import AreaLayout
from core.ir.npugraph import CpuOp
from core.ir.schedule import Cascade, IslandSchedule, OpPlan, RollingBuffer, WeightPlan
from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes
from core.report.ecosystem_names import AREA_TITLES
from core.report.tables import Listing, Row
from core.report.words import KIB, Count, kib_text, ranges_text, shape_text
from core.target.region import memory_of
from core.target.target import Area

_OPERATOR_HEADERS = (
    "#",
    "time",
    "kind",
    "output",
    "rows",
    "cascade",
    "block",
    "weights",
    "slices",
    "buffer",
    "live",
    "cycles",
    "ecosystem",
    "waits for",
)
_STREAMS = "streams"
BOUND_TITLES = {
    Bound.NPU: "NPU",
    Bound.SRAM: AREA_TITLES[Area.SRAM],
    Bound.DRAM: AREA_TITLES[Area.DRAM],
    Bound.ON_CHIP_FLASH: AREA_TITLES[Area.ON_CHIP_FLASH],
    Bound.OFF_CHIP_FLASH: AREA_TITLES[Area.OFF_CHIP_FLASH],
}
_CASCADE_HEADERS = (
    "cascade",
    "operators",
    "stripes",
    "counted",
    "rolling map",
    "buffer",
    "bytes",
    "instead of",
)
_REGION_HEADERS = ("memory", "what", "bytes", "", "limit", "free", "least possible")
_STREAM_HEADERS = ("stream", "operators", "schedule", "limit", "fast storage used")
_COMBINATIONS = "combinations of strategies"
EVICTED_TITLE = "Maps that could be in fast storage and are not"
_EVICTED_HEADERS = ("map", "shape", "bytes", "from", "to", "lives in", "because")
_TRAFFIC_HEADERS = (
    "memory",
    "maps read",
    "maps written",
    "weights read",
    "weights written",
    "other",
    "bytes",
    "busy cycles",
)


def operators(material: Scheduled) -> Listing:
    """One row for each operator, on the NPU or on the CPU, in order of execution.

    Where there is no number in the first column, it is the CPU's.
    """
    rows: list[Row] = []
    cascades, ecosystem = material.cascade_numbers(), ecosystem_estimate(material)
    streaming = material.schedule.streaming
    for steps in material.graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                rows.append((*_cpu_operator(material, step), *[None] * bool(streaming)))
                continue
            island = material.schedule.islands[step]
            for plan in island.ops:
                number = None if plan.cascade is None else cascades[step, plan.cascade]
                estimate = None if ecosystem is None else ecosystem.cycles[plan.op]
                row = _operator(material, island, plan, number, estimate)
                streams = streaming.get(plan.op)
                rows.append((*row, *[streams and streams.value] * bool(streaming)))
    return Listing((*_OPERATOR_HEADERS, *[_STREAMS] * bool(streaming)), rows)


def _cpu_operator(material: Scheduled, op: CpuOp) -> Row:
    shapes = (shape_text(material.graph.feature_maps[fm].shape) for fm in op.outputs)
    row = (None, None, f"CPU: {op.kind}", ", ".join(shapes))
    return (*row, *[None] * (len(_OPERATOR_HEADERS) - len(row)))


def _operator(
    material: Scheduled,
    island: IslandSchedule,
    plan: OpPlan,
    cascade: int | None,
    ecosystem: float | None,
) -> Row:
    op, cost = material.op(plan), material.cost(plan)
    is_striped = plan.stripe.ofm.h < op.ofm.touched.h
    return (
        int(plan.op),
        material.layout.op_times[plan.op],
        op.kind.value,
        shape_text(op.ofm.touched),
        plan.stripe.ofm.h if is_striped else None,
        cascade,
        shape_text(plan.block.ofm_block),
        *_weights(plan.weights),
        Count(island.snapshot[plan.time]),
        Count(round(cost.total_cycles)),
        None if ecosystem is None else Count(round(ecosystem)),
        _bound(cost),
    )


def _weights(weights: WeightPlan | None) -> Iterator[object]:
    """Bytes of the stream, the number of slices it is cut into, and how they reach fast storage."""
    if weights is None:
        yield from (None, None, None)
        return
    yield Count(weights.stream_bytes)
    yield len(weights.slice_bytes) if len(weights.slice_bytes) > 1 else None
    buffering = ("direct", "single", "double")[len(weights.buffer_bytes)]
    yield buffering + weights.early_text


def _bound(cost: OperatorCost) -> str:
    """The slowest memory; where the accelerator itself is slowest, what its blocks wait for."""
    if cost.bound is not Bound.NPU:
        return BOUND_TITLES[cost.bound]
    return "scales, biases" if cost.limit is Limit.SCALES else cost.limit.value


def cascades(material: Scheduled) -> Listing:
    """One row for each rolling buffer; what holds for the whole cascade stands in its first row."""
    rows: list[Row] = []
    for (place, position), number in material.cascade_numbers().items():
        island = material.schedule.islands[place]
        rows += _cascade(material, island, island.cascades[position], number)
    return Listing(_CASCADE_HEADERS, rows)


def _cascade(
    material: Scheduled, island: IslandSchedule, cascade: Cascade, number: int
) -> Iterator[Row]:
    head: Row = (
        number,
        ranges_text(cascade.ops),
        _stripes(material, island, cascade),
        Count(cascade.size_bytes),
    )
    for buffer in cascade.buffers:
        yield (*head, *_buffer(material, buffer))
        head = (None, "", None, None)


def _stripes(material: Scheduled, island: IslandSchedule, cascade: Cascade) -> int:
    """In how many stripes the cascade makes its last map."""
    last = next(plan for plan in island.ops if plan.op == cascade.ops[-1])
    return ceil_div(material.op(last).ofm.touched.h, last.stripe.ofm.h)


def _buffer(material: Scheduled, buffer: RollingBuffer) -> Row:
    fm = material.graph.feature_maps[buffer.fm]
    return (
        material.graph.titles.map(fm.id),
        shape_text(buffer.shape),
        Count(buffer.size_bytes),
        Count(map_bytes(fm, material.schedule.maps[fm.id].format)),
    )


def streams(material: Scheduled) -> Listing:
    """One row for each command stream: which schedule was taken, and for which limit."""
    searched = {
        record.island: Count(record.combinations)
        for record in material.schedule.decisions
        if isinstance(record, FrontFound)
    }
    rows = [
        (
            int(island.island),
            ranges_text([plan.op for plan in island.ops]),
            island.candidate.value,
            Count(island.limit_bytes) if material.compiled_by is None else None,
            Count(island.peak_bytes),
            *[searched.get(island.island)] * bool(searched),
        )
        for island in material.schedule.islands
    ]
    return Listing((*_STREAM_HEADERS, *[_COMBINATIONS] * bool(searched)), rows)


def regions(material: Scheduled) -> Listing:
    """One row for each range of addresses that is used."""
    most = material.target.accelerator.max_address
    rows = [_region(area, most) for area in material.layout.areas if area.height_bytes]
    return Listing(_REGION_HEADERS, rows)


def _region(area: AreaLayout, most_bytes: int) -> Row:
    """What can be addressed is not told as a limit: nobody asked for it."""
    limit = area.limit_bytes if area.limit_bytes != most_bytes else None
    is_least = area.height_bytes == area.lower_bound_bytes
    return (
        AREA_TITLES[area.area],
        " + ".join(region.value for region in area.regions),
        Count(area.height_bytes),
        kib_text(area.height_bytes) if area.height_bytes >= KIB else None,
        None if limit is None else Count(limit),
        None if limit is None else Count(limit - area.height_bytes),
        "this, proven" if is_least else f"{Count(area.lower_bound_bytes)} or more",
    )


_ABSENCES: Mapping[Fate | None, str] = {
    Fate.LOST: "others took the room",
    Fate.NEVER_FITS: "never has room",
    Fate.ASKED: "an edit asks for it",
    Fate.SHOWN: "as it was shown",
    Fate.CASCADED: "a cascade makes it",
    Fate.FASTER_AWAY: "faster where it is",
}


def evicted_maps(material: Scheduled) -> Listing:
    """One row for each group of maps that could be in fast storage, by the first of them."""
    rows: list[Row] = []
    fates = material.schedule.fates
    for island in material.schedule.islands:
        start = material.start_time(island)
        for evicted in island.evicted:
            fm = material.graph.feature_maps[evicted.fms[0]]
            region = material.schedule.maps[evicted.fms[0]].region
            rows.append(
                (
                    material.graph.titles.map(fm.id),
                    shape_text(fm.shape),
                    Count(evicted.size_bytes),
                    start + evicted.start_time,
                    start + evicted.end_time,
                    AREA_TITLES[memory_of(material.target, region).area],
                    _ABSENCES.get(fates.get(evicted.fms[0])),
                )
            )
    return Listing(_EVICTED_HEADERS, rows)


def traffic(total: NetworkCost) -> Listing:
    """One row for each memory that is read or written."""
    cycles = {
        Area.SRAM: total.sram_cycles,
        Area.DRAM: total.dram_cycles,
        Area.ON_CHIP_FLASH: total.on_chip_flash_cycles,
        Area.OFF_CHIP_FLASH: total.off_chip_flash_cycles,
    }
    rows = [_traffic(total, area, cycles[area]) for area in Area if total.moved_bytes(area)]
    return Listing(_TRAFFIC_HEADERS, rows)


def _traffic(total: NetworkCost, area: Area, cycles: float) -> Row:
    parts = [
        total.moved_bytes(area, purpose, direction)
        for purpose in (Purpose.FEATURE_MAP, Purpose.WEIGHTS)
        for direction in Direction
    ]
    moved = total.moved_bytes(area)
    numbers = (*parts, moved - sum(parts), moved, cycles)
    return (AREA_TITLES[area], *(Count(round(number)) or None for number in numbers))
