"""Judges maps that lie over each other: whatever is written, no row is lost that is still read.

A cascade is run once more, row by row. Rows from the first that is still to be read on count as
needed, and nothing that is written may reach them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.check.finding import Finding
from core.check.lifetimes import Uses, inputs_of, map_name, op_name, stored_bytes
from core.check.rings import Runs, played
from core.ir.npugraph import NpuGraph, View
from core.ir.schedule import Cascade, Overlay, Schedule, Stripe


def verify(
    graph: NpuGraph,
    schedule: Schedule,
    uses: Uses,
    cascade: Cascade,
    stripes: Mapping[NpuOpId, Stripe],
    known: Runs,
) -> Iterator[Finding]:
    """Everything that is wrong with the overlays of a cascade."""
    members = {uses.moments[op] for op in cascade.ops}
    seen: set[FmId] = set()
    for overlay in cascade.overlays:
        where = map_name(graph, overlay.made)
        if not seen.isdisjoint((overlay.given, overlay.made)):
            yield Finding(where, "lies over maps that lie over others too")
        seen.update((overlay.given, overlay.made))
        fault = _fault(schedule, uses, members, overlay)
        if fault is not None:
            yield Finding(where, f"lies over {map_name(graph, overlay.given)}, which {fault}")
            continue
        yield from collisions(graph, schedule, cascade, stripes, overlay, known)


def _fault(schedule: Schedule, uses: Uses, members: set[int], overlay: Overlay) -> str | None:
    """Why two maps may not share bytes, whatever their rows are."""
    given, made, _ = overlay
    if given in uses.results or given in uses.fixed or made in uses.fixed:
        return "has to stay as it is"
    if any(schedule.maps[fm].rolling is not None for fm in (given, made)):
        return "is no whole map, or has none over it"
    if not members.issuperset({max(uses.reads.get(given, (-1,)))}):
        return "is not read for the last time there"
    if any(moment >= min(members) for moment in uses.writes.get(given, ())):
        return "is written there"
    touched = (*uses.writes.get(made, ()), *uses.reads.get(made, ()))
    if min(touched, default=-1) < min(members) or not members.intersection(uses.writes[made]):
        return "is there together with it before"
    return None


def collisions(
    graph: NpuGraph,
    schedule: Schedule,
    cascade: Cascade,
    stripes: Mapping[NpuOpId, Stripe],
    overlay: Overlay,
    known: Runs,
) -> Iterator[Finding]:
    """The first stripe that writes over rows which are still to be read, with one map so many
    bytes before the other."""
    steps = played(graph, cascade, stripes, known).strides
    given, made = overlay.given, overlay.made
    old, new = (_row_bytes(graph, schedule, cascade, fm) for fm in (given, made))
    if old is None or new is None:
        yield Finding(map_name(graph, made), "lies over a map, and is not made row by row")
        return
    needed = old.height
    for step in reversed(steps):
        op = graph.ops[step.op]
        for view, rows in zip(inputs_of(op), step.reads, strict=True):
            if view.fm == given:
                needed = min(needed, rows.start)
        if op.ofm.fm != made:
            continue
        end = (op.ofm.start.h + step.made.end) * new.row_bytes - overlay.lead_bytes
        if end > needed * old.row_bytes:
            text = f"writes over row {needed} of {map_name(graph, given)}, which is read then"
            yield Finding(op_name(graph, step.op), f"{text} or later")
            return


class _MapRows(NamedTuple):
    height: int
    row_bytes: int


def _row_bytes(graph: NpuGraph, schedule: Schedule, cascade: Cascade, fm: FmId) -> _MapRows | None:
    """The rows of a map in memory; None where a cascade sees it in several ways."""
    views = [view for op in cascade.ops for view in graph.ops[op].views if view.fm == fm]
    heights = {view.shape.h for view in views}
    writes = [graph.ops[op].ofm for op in cascade.ops if graph.ops[op].ofm.fm == fm]
    if len(heights) != 1 or not all(map(_is_plain, views)) or any(v.step_h > 1 for v in writes):
        return None
    (height,) = heights
    source = graph.feature_maps[fm]
    # What is aligned behind the last row makes rows no longer.
    elements = stored_bytes(source, schedule.maps[fm]) // height
    exact = views[0].shape
    depth = exact.c if schedule.maps[fm].format.depth_multiple == 1 else -(-exact.c // 16) * 16
    row = exact.w * depth * source.dtype.size_bytes
    return _MapRows(height, row) if row <= elements else None


def _is_plain(view: View) -> bool:
    is_down = view.shape.n == 1 and view.step_h >= 1 and view.step_w == 1
    return is_down and not view.is_transposed and not view.base_offset_bytes
