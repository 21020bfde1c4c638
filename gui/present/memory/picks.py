"""From a selection to what a memory map shows of it, and back."""

from __future__ import annotations

from collections.abc import Sequence

from core.api.schedules import Scheduled
from core.base.ids import FmId, NpuOpId
from core.ir.layout import Purpose
from gui.document.selection import NOTHING_SELECTED, BufferRef, Selection
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap
from gui.present.memory.ranges import MemoryRange


def selection_of(part: MemoryRange) -> Selection:
    """What is picked when a range is clicked."""
    placement = part.placement
    if placement.fms:
        return Selection(fm=placement.fms[0])
    if placement.op is None:
        return NOTHING_SELECTED
    if placement.purpose is Purpose.WEIGHTS and not placement.region.is_permanent:
        return Selection(buffer=BufferRef(placement.op, placement.buffer))
    return Selection(op=placement.op)


def selected_ranges(scheduled: Scheduled, drawn: AreaMap, selection: Selection) -> frozenset[int]:
    """Positions of the ranges that a selection means."""
    fms, ops = _touched(scheduled, selection)
    found = {key for fm in fms for key in drawn.by_fm.get(fm, ())}
    found.update(key for op in ops for key in drawn.by_op.get(op, ()))
    if selection.buffer is None:
        return frozenset(found)
    return frozenset(key for key in found if _is_buffer(drawn.ranges[key], selection.buffer))


def _is_buffer(part: MemoryRange, buffer: BufferRef) -> bool:
    """Whether a range of the operator is the buffer, or what is brought to it."""
    return part.placement.region.is_permanent or part.placement.buffer == buffer.buffer


def selected_ghosts(
    scheduled: Scheduled, ghosts: Sequence[Ghost], selection: Selection
) -> frozenset[int]:
    """Positions of the ghosts that a selection means."""
    fms, _ = _touched(scheduled, selection)
    return frozenset(
        key for key, ghost in enumerate(ghosts) if not fms.isdisjoint(ghost.evicted.fms)
    )


def selected_times(scheduled: Scheduled, selection: Selection) -> tuple[int, int] | None:
    """From when to when the selected operators run; none for anything but operators."""
    ops = _ops(scheduled, selection)
    if not ops or selection.buffer is not None:
        return None
    times = [scheduled.layout.op_times[op] for op in ops]
    return min(times), max(times)


def _ops(scheduled: Scheduled, selection: Selection) -> frozenset[NpuOpId]:
    if selection.op is not None:
        return frozenset(selection.ops)
    if selection.buffer is not None:
        return frozenset({selection.buffer.op})
    if selection.cascade is not None:
        for island in scheduled.schedule.islands:
            is_meant = island.island == selection.cascade.island
            if is_meant and selection.cascade.cascade < len(island.cascades):
                return frozenset(island.cascades[selection.cascade.cascade].ops)
    return frozenset()


def _touched(
    scheduled: Scheduled, selection: Selection
) -> tuple[frozenset[FmId], frozenset[NpuOpId]]:
    """Feature maps, and operators with their buffers."""
    graph = scheduled.run.graph
    if selection.fm is not None:
        return frozenset({selection.fm}), frozenset()
    if selection.cpu_op is not None and selection.cpu_op < len(graph.cpu_ops):
        cpu_op = graph.cpu_ops[selection.cpu_op]
        return frozenset({*cpu_op.inputs, *cpu_op.outputs}), frozenset()
    ops = _ops(scheduled, selection)
    if selection.buffer is not None:
        return frozenset(), ops
    return frozenset(view.fm for op in ops for view in graph.ops[op].views), ops


def area_with(scheduled: Scheduled, selection: Selection) -> int | None:
    """Position of the first area that holds a selected live range or weight buffer."""
    fm, buffer = selection.fm, selection.buffer
    for position, area in enumerate(scheduled.layout.areas):
        for placement in area.placements:
            if fm is not None and fm in placement.fms:
                return position
            if buffer is not None and (placement.op, placement.buffer) == buffer:
                return position
    return None
