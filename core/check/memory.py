"""Judges a memory layout: all that a schedule needs has bytes of its own while it lives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.check import layout as layout_check
from core.check import mapplaces
from core.check.finding import Finding
from core.check.lifetimes import inputs_of, map_name, op_name
from core.check.overlays import collisions
from core.check.rings import Runs
from core.check.snapshot import Span, weight_spans
from core.ir.edits import What
from core.ir.fixed import NOTHING_FIXED, Fixed
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import OpPlan, Overlay, Schedule
from core.target.region import Region, memory_of
from core.target.target import Target

_LEAST_ALIGNMENT = 16


def verify(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    layout: MemoryLayout,
    fixed: Fixed = NOTHING_FIXED,
    known: Runs | None = None,
) -> tuple[Finding, ...]:
    """Everything that is wrong with the layout of a schedule that is right, and obeys.

    Cascades of the network that are known are not played again.
    """
    runs = {} if known is None else known
    late = tuple(_times(graph, schedule, layout))
    if late:
        return late
    return (
        *(
            finding
            for area in layout.areas
            for finding in _area(target, area, _shared(graph, schedule, layout, area, runs))
        ),
        *_regions(layout),
        *mapplaces.verify(graph, target, schedule, layout),
        *_buffers(graph, target, schedule, layout),
        *_permanent(graph, schedule, layout),
        *_asked_addresses(graph, layout, fixed),
        *_reserves(graph, layout, fixed),
    )


def _asked_addresses(graph: NpuGraph, layout: MemoryLayout, fixed: Fixed) -> Iterator[Finding]:
    """Each map is where it was asked to be, or it is said why it is not."""
    said = {fm for each in layout.against if each.what is What.ADDRESS for fm in each.ids}
    found = {
        fm: item.address for area in layout.areas for item in area.placements for fm in item.fms
    }
    for fm, address in fixed.addresses:
        if fm not in said and found.get(fm) != address:
            yield Finding(map_name(graph, fm), f"is at {found.get(fm)} instead of {address}")


def _reserves(graph: NpuGraph, layout: MemoryLayout, fixed: Fixed) -> Iterator[Finding]:
    """Each range that others need is there, in fast storage, for as long as operators run."""
    left = [
        item
        for area in layout.areas
        if Region.SCRATCH_FAST in area.regions
        for item in area.placements
        if item.purpose is Purpose.RESERVED
    ]
    for reserve in fixed.reserves:
        first, last = sorted((layout.op_times[reserve.first], layout.op_times[reserve.last]))
        mine = [
            item
            for item in left
            if item.start_time <= first and item.end_time >= last
            if item.size_bytes == reserve.size_bytes
        ]
        if mine:
            left.remove(mine[0])
            continue
        where = f"{op_name(graph, reserve.first)} to {op_name(graph, reserve.last)}"
        yield Finding(where, f"has no {reserve.size_bytes} bytes that are reserved")


def _times(graph: NpuGraph, schedule: Schedule, layout: MemoryLayout) -> Iterator[Finding]:
    """Islands run one behind the other, each as its schedule says."""
    if len(layout.op_times) != len(graph.ops):
        yield Finding("op_times", f"{len(layout.op_times)} times for {len(graph.ops)} operators")
        return
    before = -1
    order = [step for steps in graph.steps for step in steps if isinstance(step, int)]
    for number in order:
        plans = schedule.islands[number].ops
        first = layout.op_times[plans[0].op] - plans[0].time
        if first <= before:
            yield Finding(f"island {number}", f"begins at time {first}, but {before} is taken")
        for plan in plans:
            time = layout.op_times[plan.op]
            if time != first + plan.time:
                text = f"runs at time {time} instead of {first + plan.time}"
                yield Finding(op_name(graph, plan.op), text)
        before = first + max(plan.time for plan in plans) + 1
    if before > layout.end_time:
        yield Finding("end_time", f"is {layout.end_time}, but operators run until {before}")


def _shared(
    graph: NpuGraph, schedule: Schedule, layout: MemoryLayout, area: AreaLayout, known: Runs
) -> layout_check.MayShare | None:
    """Whether a cascade may write over rows of a map where both lie in an area; None without
    such a map."""
    places = {fm: item for item in area.placements for fm in item.fms}
    at: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for island in schedule.islands:
        stripes = {plan.op: plan.stripe for plan in island.ops}
        for cascade in island.cascades:
            now = layout.op_times[cascade.ops[0]]
            for given, made, _ in cascade.overlays:
                if given not in places or made not in places:
                    continue
                old, new = places[given], places[made]
                lead = Overlay(given, made, old.address - new.address)
                is_now = new.start_time == now and old.end_time <= now + 1
                if is_now and not any(collisions(graph, schedule, cascade, stripes, lead, known)):
                    at.setdefault((new.name, new.address), set()).add((old.name, old.address))
    if not at:
        return None
    return lambda low, high: (high.name, high.address) in at.get((low.name, low.address), ())


def _area(
    target: Target, area: AreaLayout, may_share: layout_check.MayShare | None
) -> Iterator[Finding]:
    where = f"{area.area.value} {' and '.join(region.value for region in area.regions)}"
    placed = [
        layout_check.Placed(
            item.name,
            item.address,
            item.size_bytes,
            item.start_time,
            item.end_time,
            max(item.alignment, _LEAST_ALIGNMENT),
            item.content,
        )
        for item in area.placements
    ]
    for finding in layout_check.verify(placed, area.height_bytes, may_share=may_share):
        yield Finding(f"{where} {finding.where}", finding.message)
    if area.lower_bound_bytes > area.height_bytes:
        text = f"no layout is below {area.lower_bound_bytes}, but this is {area.height_bytes} high"
        yield Finding(where, text)
    for region in area.regions:
        if (expected := memory_of(target, region).area) is not area.area:
            yield Finding(where, f"{region.value} is in {expected.value}")
    for item in area.placements:
        if item.region not in area.regions:
            yield Finding(f"{where} {item.name}", f"is of region {item.region.value}")


def _regions(layout: MemoryLayout) -> Iterator[Finding]:
    listed = [region for area in layout.areas for region in area.regions]
    for region in dict.fromkeys(listed):
        if listed.count(region) > 1:
            yield Finding(region.value, f"is laid out {listed.count(region)} times")


def _buffers(
    graph: NpuGraph, target: Target, schedule: Schedule, layout: MemoryLayout
) -> Iterator[Finding]:
    """Each weight buffer has its place, for as long as slices go through it."""
    found: dict[tuple[NpuOpId | None, int], list[Placement]] = defaultdict(list)
    for area in layout.areas:
        for item in area.placements:
            if item.purpose is Purpose.WEIGHTS and not item.region.is_permanent:
                found[item.op, item.buffer].append(item)
    for plan in schedule.ops:
        for number, (size, span) in enumerate(_weight_spans(plan, layout)):
            where, places = f"{op_name(graph, plan.op)} buffer {number}", found[plan.op, number]
            if len(places) != 1:
                yield Finding(where, f"has {len(places)} places in memory")
                continue
            (place,) = places
            if target.is_spilling and place.region is not Region.SCRATCH_FAST:
                yield Finding(where, f"is in {place.region.value}, which is not fast")
            if place.size_bytes < size:
                yield Finding(where, f"has {place.size_bytes} bytes for {size}")
            yield from mapplaces.outlived(where, place, span)


def _weight_spans(plan: OpPlan, layout: MemoryLayout) -> Iterator[tuple[int, Span]]:
    shift = layout.op_times[plan.op] - plan.time
    for size, span in weight_spans(plan, plan.time):
        yield size, Span(span.start + shift, span.end + shift)


def _permanent(graph: NpuGraph, schedule: Schedule, layout: MemoryLayout) -> Iterator[Finding]:
    """Everything that NPU operators read, never changes, and has no place."""
    places = [item for area in layout.areas for item in area.placements if item.region.is_permanent]
    yield from _streams(graph, schedule, places)
    yield from _tables(graph, places)
    yield from _constants(graph, places)


def _streams(graph: NpuGraph, schedule: Schedule, places: list[Placement]) -> Iterator[Finding]:
    streams = [item for item in places if item.purpose is Purpose.WEIGHTS]
    largest = _largest((item.op, item.size_bytes) for item in streams)
    by_content = _largest((item.content, item.size_bytes) for item in streams)
    for plan in schedule.ops:
        if plan.weights is None:
            continue
        size = max(largest.get(plan.op, 0), by_content.get(plan.weights.encoding, 0))
        if size < plan.weights.stream_bytes:
            text = f"its weight stream has {size} bytes for {plan.weights.stream_bytes}"
            yield Finding(op_name(graph, plan.op), text)


def _tables(graph: NpuGraph, places: list[Placement]) -> Iterator[Finding]:
    tables = [item for item in places if item.purpose is Purpose.TABLE]
    largest = _largest((item.op, item.size_bytes) for item in tables)
    by_content = _largest((item.content, item.size_bytes) for item in tables)
    for op in graph.ops:
        table = None if op.activation is None else op.activation.table
        if table is None:
            continue
        size = max(largest.get(op.id, 0), by_content.get(table.digest, 0))
        if size < table.size_bytes:
            text = f"its table has {size} bytes for {table.size_bytes}"
            yield Finding(op_name(graph, op.id), text)


def _constants(graph: NpuGraph, places: list[Placement]) -> Iterator[Finding]:
    """A scalar is part of a command and needs no place."""
    largest = _largest((fm, item.size_bytes) for item in places for fm in item.fms)
    by_content = _largest((item.content, item.size_bytes) for item in places)
    read = {view.fm for op in graph.ops for view in inputs_of(op)}
    for fm in graph.feature_maps:
        if fm.data is None or fm.id not in read or fm.is_scalar:
            continue
        size = max(largest.get(fm.id, 0), by_content.get(fm.data.digest, 0))
        if size < fm.data.size_bytes:
            text = f"is read by the accelerator, but has {size} bytes for {fm.data.size_bytes}"
            yield Finding(map_name(graph, fm.id), text)


def _largest(sizes: Iterator[tuple[object, int]]) -> dict[object, int]:
    """The largest size under each key."""
    found: dict[object, int] = {}
    for key, size in sizes:
        if key is not None:
            found[key] = max(found.get(key, 0), size)
    return found
