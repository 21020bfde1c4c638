"""Judges the places of feature maps: large enough, long enough, and nobody writes over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from core.base.ids import FmId, NpuOpId
from core.check.finding import Finding
from core.check.lifetimes import Uses, map_name, op_name, overwritable, stored_bytes, uses_of
from core.check.snapshot import Span
from core.ir.layout import MemoryLayout, Placement
from core.ir.npugraph import FeatureMap, NpuGraph
from core.ir.schedule import MapPlan, Schedule
from core.target.format import Format
from core.target.region import Region
from core.target.target import Target

Touched = Mapping[FmId, Sequence[NpuOpId]]
"""The operators that read or write each map, in their order."""


def verify(
    graph: NpuGraph, target: Target, schedule: Schedule, layout: MemoryLayout
) -> Iterator[Finding]:
    """Everything that is wrong with the places of feature maps."""
    touched: dict[FmId, list[NpuOpId]] = {}
    for op in sorted(graph.ops, key=lambda op: layout.op_times[op.id]):
        for view in op.views:
            touched.setdefault(view.fm, []).append(op.id)
    uses = uses_of(graph, schedule)
    yield from _places(graph, target, schedule, uses, layout, touched)
    in_cascades = frozenset(plan.op for plan in schedule.ops if plan.cascade is not None)

    def writes_over(op: NpuOpId, fm: FmId) -> bool:
        given = overwritable(graph, target, schedule, uses, graph.ops[op])
        return op not in in_cascades and fm in {item.id for item in given}

    for one, other in _successions(graph, layout, touched):
        last, first = touched[one][-1], touched[other][0]
        is_late = layout.op_times[last] < layout.op_times[first]
        is_before = is_late and _is_dead(uses, one, uses.moments[first])
        if not (is_before or (last == first and writes_over(first, one))):
            text = f"has the bytes of {map_name(graph, other)} while both are in use"
            yield Finding(map_name(graph, one), f"{text}, at {op_name(graph, first)}")


def _places(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    uses: Uses,
    layout: MemoryLayout,
    touched: Touched,
) -> Iterator[Finding]:
    """Each map has one place, of its size and for as long as it is in use."""
    found: dict[FmId, list[Placement]] = defaultdict(list)
    for area in layout.areas:
        for item in area.placements:
            for number in item.fms:
                found[number].append(item)
    spans = _spans(graph, layout, touched)
    used = {*uses.reads, *uses.writes, *uses.outside}
    for fm in graph.feature_maps:
        where, places = map_name(graph, fm.id), found[fm.id]
        if fm.data is not None or fm.id not in used:
            continue
        if len(places) != 1:
            yield Finding(where, f"has {len(places)} places in memory")
            continue
        yield from _place(target, schedule.maps[fm.id], fm, where, places[0])
        if places[0] not in found[fm.storage]:
            text = f"is not where {map_name(graph, fm.storage)} is, whose bytes it shares"
            yield Finding(where, text)
        if fm.id in spans:
            yield from outlived(where, places[0], spans[fm.id])


def outlived(where: str, place: Placement, span: Span) -> Iterator[Finding]:
    """A finding where bytes are in use before or after they are given."""
    if span.start < place.start_time or place.end_time < span.end:
        text = f"is in use at {tuple(span)}, but has its bytes"
        yield Finding(where, f"{text} from {place.start_time} to {place.end_time}")


def _place(
    target: Target, plan: MapPlan, fm: FeatureMap, where: str, place: Placement
) -> Iterator[Finding]:
    if place.region is Region.SEPARATE_IO:
        yield from _separate(plan, where, place)
    elif not _fits(target, plan, place.region):
        yield Finding(where, f"is in {place.region.value} instead of {plan.region.value}")
    if place.size_bytes < (needed := stored_bytes(fm, plan)):
        yield Finding(where, f"has {place.size_bytes} bytes for {needed}")


def _separate(plan: MapPlan, where: str, place: Placement) -> Iterator[Finding]:
    """A buffer of the application's holds one whole map, in the order of its elements."""
    if len(place.fms) > 1:
        yield Finding(where, "shares a buffer of the application's")
    if plan.rolling is not None or plan.format is not Format.LINEAR:
        yield Finding(where, "is in a buffer of the application's, which cannot read it")


def _fits(target: Target, plan: MapPlan, region: Region) -> bool:
    is_same_memory = not (target.is_spilling or region.is_permanent or plan.region.is_permanent)
    return region is plan.region or is_same_memory


def _spans(graph: NpuGraph, layout: MemoryLayout, touched: Touched) -> dict[FmId, Span]:
    """From the first to the last time that NPU operators, or the application, see a map.

    When operators on the CPU run is not known here, and so a result that they make is left out.
    """
    times: dict[FmId, list[int]] = defaultdict(list)
    for fm, ops in touched.items():
        times[fm] += (layout.op_times[op] + end for op in ops for end in (0, 1))
    states = [fm.id for fm in graph.feature_maps if fm.is_variable and fm.id in times]
    # The first subgraph is what the application calls; others are given theirs on the way.
    main = [step for step in graph.steps[0] if isinstance(step, int)]
    last = max((layout.op_times[op] for at in main for op in graph.islands[at].ops), default=-1) + 1
    for fm in (*graph.inputs[0], *states):
        times[fm] += [0]
    for fm in (*graph.outputs[0], *states):
        if fm in times:
            times[fm] += [last]
    return {fm: Span(min(found), max(found)) for fm, found in times.items()}


def _successions(
    graph: NpuGraph, layout: MemoryLayout, touched: Touched
) -> Iterator[tuple[FmId, FmId]]:
    """Maps that have the same bytes one after the other, in the order in which they are seen."""
    places = (item for area in layout.areas for item in area.placements if len(item.fms) > 1)
    for item in places:
        known = sorted(
            (fm for fm in item.fms if fm in touched),
            key=lambda fm: (layout.op_times[touched[fm][0]], touched[fm][0]),
        )
        for one, other in combinations(known, 2):
            if graph.feature_maps[one].storage != graph.feature_maps[other].storage:
                yield one, other


def _is_dead(uses: Uses, fm: FmId, moment: int) -> bool:
    """Whether nobody, be it on the CPU, reads a map from this moment on."""
    return fm not in uses.results and max(uses.reads.get(fm, (-1,))) < moment
