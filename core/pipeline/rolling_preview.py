"""What rolling buffers would take if an operator had other stripes: told before it is searched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from core.base.frozen import replace
from core.base.geometry import ifm_area_required, round_up
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.schedule import Cascade, RollingBuffer
from core.ir.scheduled import Scheduled
from core.liveness.sizes import rolling_bytes
from core.liveness.stripes import players_of, ring_rows

_Heights = Mapping[NpuOpId, int]
_Rule = Callable[[NpuGraph, Cascade, RollingBuffer, _Heights], int | None]
"""Rows of a buffer for the rows that each operator makes at once."""


def rolling_if(scheduled: Scheduled, op: NpuOpId, rows: int) -> tuple[RollingBuffer, ...]:
    """The rolling buffers beside an operator, if its stripes had these rows and all else stayed.

    A search may choose other stripes or cascades around it; where it does not, this is what it has.
    Engines size buffers by more than one rule: where none gives what is there now, nothing is told.
    """
    plans = scheduled.schedule.ops
    found: list[RollingBuffer] = []
    for island in scheduled.schedule.islands:
        for cascade in island.cascades:
            now = {each: plans[each].stripe.ofm.h for each in cascade.ops}
            for buffer in cascade.buffers if op in now else ():
                if buffer.fm in {view.fm for view in scheduled.graph.ops[op].views}:
                    found += _resized(scheduled, cascade, buffer, now, {**now, op: rows})
    return tuple(found)


def _resized(
    scheduled: Scheduled, cascade: Cascade, buffer: RollingBuffer, now: _Heights, then: _Heights
) -> Iterator[RollingBuffer]:
    """A buffer for other heights, by the rule that gives what it has for those of now."""
    graph = scheduled.graph
    for rule in (_between_two, _of_all, _of_windows):
        if rule(graph, cascade, buffer, now) == buffer.shape.h:
            rows = rule(graph, cascade, buffer, then) or buffer.shape.h
            shape = buffer.shape.with_hw(rows, buffer.shape.w)
            size = rolling_bytes(graph.feature_maps[buffer.fm], shape)
            yield replace(buffer, shape=shape, size_bytes=size)
            return


def _of_all(
    graph: NpuGraph, cascade: Cascade, buffer: RollingBuffer, heights: _Heights
) -> int | None:
    """What is needed where all of a cascade runs."""
    rings = {each.fm for each in cascade.buffers}
    players = players_of(
        [graph.ops[op] for op in cascade.ops], [heights[op] for op in cascade.ops], rings
    )
    return min(ring_rows(players)[buffer.fm], _whole_rows(graph, buffer.fm))


def _between_two(
    graph: NpuGraph, cascade: Cascade, buffer: RollingBuffer, heights: _Heights
) -> int | None:
    """What is needed where the maker and the reader are alone, and a row beside what is made."""
    pair = _pair(graph, cascade, buffer.fm)
    if pair is None:
        return None
    made = [heights[op.id] for op in pair]
    rows = max(ring_rows(players_of(pair, made, {buffer.fm}))[buffer.fm], made[0] + 1)
    return min(rows, _whole_rows(graph, buffer.fm))


def _of_windows(
    graph: NpuGraph, cascade: Cascade, buffer: RollingBuffer, heights: _Heights
) -> int | None:
    """Whole windows of what is read, as the ecosystem's compiler has them."""
    pair = _pair(graph, cascade, buffer.fm)
    if pair is None:
        return None
    maker, reader = pair
    read = _read(reader, heights[reader.id])
    return min(round_up(heights[maker.id] + read, read), _whole_rows(graph, buffer.fm))


def _pair(graph: NpuGraph, cascade: Cascade, fm: FmId) -> tuple[NpuOp, NpuOp] | None:
    """Who makes and who reads a map, where that is one operator each."""
    ops = [graph.ops[op] for op in cascade.ops]
    makers = [op for op in ops if op.ofm.fm == fm]
    readers = [op for op in ops if fm in {view.fm for view in op.views[:-1]}]
    return (makers[0], readers[0]) if len(makers) == len(readers) == 1 else None


def _whole_rows(graph: NpuGraph, fm: FmId) -> int:
    return graph.feature_maps[fm].shape[-3]


def _read(op: NpuOp, rows: int) -> int:
    """Rows of the input that some rows of output need."""
    if rows == op.made.h:
        return op.ifm.shape.h
    needed, _ = ifm_area_required(rows, op.made.w, op.kernel, op.resampling)
    return min(needed, op.ifm.shape.h)
