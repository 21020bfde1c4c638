"""What rolling buffers would take if an operator had other stripes: told before it is searched."""

from __future__ import annotations

from dataclasses import replace

from core.base.geometry import ifm_area_required, round_up
from core.base.ids import NpuOpId
from core.ir.npugraph import NpuOp
from core.ir.schedule import RollingBuffer
from core.ir.scheduled import Scheduled
from core.liveness.sizes import rolling_bytes


def rolling_if(scheduled: Scheduled, op: NpuOpId, rows: int) -> tuple[RollingBuffer, ...]:
    """The rolling buffers beside an operator, if its stripes had these rows and all else stayed.

    A search may choose other stripes or cascades around it; where it does not, this is what it has.
    """
    found = []
    for cascade in (c for island in scheduled.schedule.islands for c in island.cascades):
        for buffer in cascade.buffers:
            makers = [each for each in cascade.ops if scheduled.graph.ops[each].ofm.fm == buffer.fm]
            readers = [
                each for each in cascade.ops if buffer.fm == scheduled.graph.ops[each].ifm.fm
            ]
            if op not in (*makers, *readers) or not len(makers) == len(readers) == 1:
                continue
            maker, reader = (scheduled.schedule.ops[each].stripe for each in (*makers, *readers))
            whole = scheduled.graph.ops[makers[0]].made.h
            # Engines may size buffers otherwise: then nothing can be told without a search.
            if buffer.shape.h == _height(maker.ofm.h, reader.ifm.h, whole):
                made = rows if makers[0] == op else maker.ofm.h
                read = _read(scheduled.graph.ops[op], rows) if readers[0] == op else reader.ifm.h
                found.append(_resized(scheduled, buffer, _height(made, read, whole)))
    return tuple(found)


def _height(made: int, read: int, whole: int) -> int:
    """Rows for what is made at once and whole windows of what is read."""
    return min(round_up(made + read, read), whole)


def _resized(scheduled: Scheduled, buffer: RollingBuffer, height: int) -> RollingBuffer:
    shape = buffer.shape.with_hw(height, buffer.shape.w)
    size = rolling_bytes(scheduled.graph.feature_maps[buffer.fm], shape)
    return replace(buffer, shape=shape, size_bytes=size)


def _read(op: NpuOp, rows: int) -> int:
    """Rows of the input that some rows of output need."""
    if rows == op.made.h:
        return op.ifm.shape.h
    needed, _ = ifm_area_required(rows, op.made.w, op.kernel, op.resampling)
    return min(needed, op.ifm.shape.h)
