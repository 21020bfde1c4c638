"""From a selection to slices of the timeline and back, and the steps from one to another."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from core.api.schedules import Scheduled
from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import CpuOp, NpuGraph
from core.ir.trace import NOTHING, Activity, Trace
from gui.document.selection import NOTHING_SELECTED, BufferRef, Selection
from gui.present.timeline.data import TimelineData

Positions = npt.NDArray[np.intp]

_WEIGHT_TRANSFERS = (Activity.WEIGHTS, Activity.PREFETCH)


class Picked(NamedTuple):
    """What a selection means in the timeline."""

    slices: Positions
    cascades: frozenset[int]
    """Positions in the timeline's data."""


def selection_of(scheduled: Scheduled, trace: Trace, position: int) -> Selection:
    """What is picked when a slice is clicked."""
    if trace.op[position] == NOTHING:
        return Selection(cpu_op=int(trace.cpu_op[position]))
    op = NpuOpId(int(trace.op[position]))
    if trace.activity[position] in _WEIGHT_TRANSFERS:
        buffers = _buffers(scheduled, op)
        if buffers:
            return Selection(buffer=BufferRef(op, int(trace.depth_slice[position]) % buffers))
    return Selection(op=op)


def picked(scheduled: Scheduled, data: TimelineData, selection: Selection) -> Picked:
    """The slices and cascades that a selection means."""
    trace = data.trace
    cascades = frozenset(
        position
        for position, cascade in enumerate(data.cascades)
        if cascade.ref == selection.cascade
    )
    if selection.buffer is not None:
        op, buffer = selection.buffer
        buffers = max(_buffers(scheduled, op), 1)
        is_meant = (trace.op == op) & np.isin(trace.activity, _WEIGHT_TRANSFERS)
        is_meant &= trace.depth_slice % buffers == buffer
        return Picked(np.flatnonzero(is_meant), cascades)
    ops, cpu_ops = _ops(scheduled.run.graph, data, selection)
    is_meant = np.isin(trace.op, list(ops)) & (trace.op != NOTHING)
    if cpu_ops:
        is_meant |= np.isin(trace.cpu_op, list(cpu_ops))
    return Picked(np.flatnonzero(is_meant), cascades)


def _ops(graph: NpuGraph, data: TimelineData, selection: Selection) -> tuple[set[int], set[int]]:
    if selection.op is not None:
        return set(selection.ops), set()
    if selection.cpu_op is not None:
        return set(), {selection.cpu_op}
    if selection.cascade is not None:
        found = (part.ops for part in data.cascades if part.ref == selection.cascade)
        return {op for ops in found for op in ops}, set()
    if selection.fm is not None and selection.fm < len(graph.feature_maps):
        return _users(graph, selection.fm)
    return set(), set()


def _users(graph: NpuGraph, fm: FmId) -> tuple[set[int], set[int]]:
    """Who makes or reads a feature map, or another that has the same bytes."""
    maps = graph.feature_maps
    same = {each.id for each in maps if each.storage == maps[fm].storage}
    ops = {int(op.id) for op in graph.ops if any(view.fm in same for view in op.views)}
    cpu_ops = {
        position
        for position, op in enumerate(graph.cpu_ops)
        if not same.isdisjoint((*op.inputs, *op.outputs))
    }
    return ops, cpu_ops


def _buffers(scheduled: Scheduled, op: NpuOpId) -> int:
    plans = scheduled.schedule.ops
    weights = plans[op].weights if op < len(plans) else None
    return 0 if weights is None else len(weights.buffer_bytes)


def main_slice(trace: Trace, slices: Positions) -> int:
    """The slice of some that stands for all: the first that computes; -1 for none."""
    if not len(slices):
        return NOTHING
    computes = slices[np.isin(trace.activity[slices], (Activity.COMPUTE, Activity.CPU))]
    return int(computes[0] if len(computes) else slices[0])


def neighbour(trace: Trace, position: int, step: int) -> int:
    """The next (1) or previous (-1) slice of the lane that is another operator's; -1 for none."""
    lane = np.flatnonzero((trace.lane == trace.lane[position]) & (trace.activity != Activity.STALL))
    is_other = (trace.op[lane] != trace.op[position]) | (
        trace.cpu_op[lane] != trace.cpu_op[position]
    )
    others = lane[is_other]
    place = int(np.searchsorted(others, position)) + (0 if step > 0 else -1)
    return int(others[place]) if 0 <= place < len(others) else NOTHING


def producer(graph: NpuGraph, selection: Selection) -> Selection:
    """Who made the input of an operator: of several, the one that ran last."""
    order = order_of_execution(graph)
    here = _place(order, selection)
    if here is None:
        return NOTHING_SELECTED
    wanted = storages_of(graph, inputs_of(graph, order[here]))
    for node in reversed(order[:here]):
        if not wanted.isdisjoint(storages_of(graph, outputs_of(graph, node))):
            return node
    return NOTHING_SELECTED


def consumer(graph: NpuGraph, selection: Selection) -> Selection:
    """Who reads the output of an operator: of several, the one that runs first."""
    order = order_of_execution(graph)
    here = _place(order, selection)
    if here is None:
        return NOTHING_SELECTED
    wanted = storages_of(graph, outputs_of(graph, order[here]))
    for node in order[here + 1 :]:
        if not wanted.isdisjoint(storages_of(graph, inputs_of(graph, node))):
            return node
    return NOTHING_SELECTED


def order_of_execution(graph: NpuGraph) -> list[Selection]:
    """Everything that runs, in order."""
    found, cpu_ops = [], 0
    for steps in graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                found.append(Selection(cpu_op=cpu_ops))
                cpu_ops += 1
            else:
                found += [Selection(op=op) for op in graph.islands[step].ops]
    return found


def _place(order: list[Selection], selection: Selection) -> int | None:
    if selection.buffer is not None:
        selection = Selection(op=selection.buffer.op)
    return order.index(selection) if selection in order else None


def inputs_of(graph: NpuGraph, node: Selection) -> Iterable[FmId]:
    """What a node of the order reads."""
    if node.cpu_op is not None:
        return graph.cpu_ops[node.cpu_op].inputs
    return () if node.op is None else (view.fm for view in graph.ops[node.op].views[:-1])


def outputs_of(graph: NpuGraph, node: Selection) -> Iterable[FmId]:
    """What it makes."""
    if node.cpu_op is not None:
        return graph.cpu_ops[node.cpu_op].outputs
    return () if node.op is None else (graph.ops[node.op].ofm.fm,)


def storages_of(graph: NpuGraph, fms: Iterable[FmId]) -> set[FmId]:
    """Whose bytes maps have; constants have none."""
    return {graph.feature_maps[fm].storage for fm in fms if graph.feature_maps[fm].data is None}
