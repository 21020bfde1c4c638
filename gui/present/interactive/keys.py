"""What can be selected on the page, by a short text for each, which is all that views share."""

from __future__ import annotations

from collections.abc import Iterator

from core.api.schedules import Scheduled
from core.ir.layout import Purpose
from gui.document.selection import BufferRef, CascadeRef, Selection


def key_of(selection: Selection) -> str:
    """The key of one thing; empty where nothing is selected."""
    op, fm, cascade, buffer, cpu_op, _ = selection
    if buffer is not None:
        return f"buffer {buffer.op}.{buffer.buffer}"
    if cascade is not None:
        return f"cascade {cascade.island}.{cascade.cascade}"
    for name, number in (("operator", op), ("map", fm), ("cpu", cpu_op)):
        if number is not None:
            return f"{name} {number}"
    return ""


def selections(scheduled: Scheduled) -> Iterator[Selection]:
    """Everything of a schedule that a view can select."""
    graph = scheduled.run.graph
    for op in graph.ops:
        yield Selection(op=op.id)
        weights = scheduled.schedule.ops[op.id].weights
        for buffer in range(len(weights.buffer_bytes) if weights is not None else 0):
            yield Selection(buffer=BufferRef(op.id, buffer))
    for position in range(len(graph.cpu_ops)):
        yield Selection(cpu_op=position)
    for island in scheduled.schedule.islands:
        for position in range(len(island.cascades)):
            yield Selection(cascade=CascadeRef(island.island, position))
    shown = {view.fm for op in graph.ops for view in op.views}
    shown |= {fm for op in graph.cpu_ops for fm in (*op.inputs, *op.outputs)}
    for area in scheduled.layout.areas:
        for place in area.placements:
            if place.purpose is not Purpose.WEIGHTS:
                shown.update(place.fms)
    yield from (Selection(fm=fm) for fm in sorted(shown))
