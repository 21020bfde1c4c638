"""A program over cycles, as its waits order it, and its cascades stripe by stripe."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.ids import IslandId, NpuOpId
from core.cost.trace_slices import Slices
from core.emit.recover.found import Found, FoundOp, FoundPart
from core.emit.recover.plans import cascade_ops
from core.emit.work import area_of
from core.ir.npugraph import NpuGraph
from core.ir.program import DmaTransfer
from core.ir.schedule import Schedule
from core.ir.trace import (
    NOTHING,
    Activity,
    Analysis,
    CascadeSteps,
    Lane,
    StripeStep,
    Trace,
)
from core.liveness.stripes import fills_of


def analysis_of(found: Found, graph: NpuGraph, schedule: Schedule) -> Analysis:
    """All that is told of a program over time."""
    return Analysis(
        trace=_trace(found),
        cascades=tuple(steps for part in found.parts for steps in _cascades(part, graph, schedule)),
        evictions=(),
        ecosystem=None,
    )


def _trace(found: Found) -> Trace:
    slices = Slices()
    for place, (_, _, cycle) in enumerate(found.cpu_ops):
        slices.add_cpu_op(place, cycle)
    starts, ends = np.zeros(len(found.ops)), np.zeros(len(found.ops))
    for part in found.parts:
        for op in part.ops:
            starts[op.id] = part.clock.free[op.position]
            ends[op.id] = part.clock.end[op.steps.commands[-1]]
            _add_transfers(slices, part, op)
            _add_op(slices, found, part, op)
    columns = slices.sorted()
    return Trace(
        lane=columns["lane"].astype(np.uint8),
        activity=columns["activity"].astype(np.uint8),
        start_cycle=columns["start_cycle"],
        end_cycle=columns["end_cycle"],
        op=columns["op"].astype(np.int32),
        cpu_op=columns["cpu_op"].astype(np.int32),
        stripe=columns["stripe"].astype(np.int32),
        depth_slice=columns["depth_slice"].astype(np.int32),
        op_start_cycle=starts,
        op_end_cycle=ends,
        time_cycle=_time_cycles(found),
        end_cycle_of_all=found.end_cycle,
    )


def _time_cycles(found: Found) -> np.ndarray:
    """A time begins where its operation could; the next one where that ends."""
    edges = np.zeros(found.end_time + 2)
    for part in found.parts:
        for op in part.ops:
            for at in op.steps.commands:
                edges[part.times[at]] = part.clock.free[at]
                edges[part.times[at] + 1] = part.clock.end[at]
    edges[-1] = found.end_cycle
    return np.maximum.accumulate(edges)


def _add_transfers(slices: Slices, part: FoundPart, op: FoundOp) -> None:
    """Weights and tables that come for an operator; empty ones are not drawn."""
    clock = part.clock
    begins = clock.free[op.position]
    for number, at in enumerate(op.steps.loads):
        is_early = clock.start[at] < begins
        activity = Activity.PREFETCH if is_early else Activity.WEIGHTS
        place = min(number, max(op.steps.slices - 1, 0))
        slices.add(Lane.DMA_IN, activity, clock.start[at], clock.end[at], op.id, place)
    for at in op.steps.tables:
        slices.add(Lane.DMA_IN, Activity.TABLE, clock.start[at], clock.end[at], op.id)


def _add_op(slices: Slices, found: Found, part: FoundPart, op: FoundOp) -> None:
    lane, activity = _lane(found, part, op), Activity.COMPUTE
    if op.steps.is_copy:
        activity = Activity.COPY
    rows = list(_pieces(part, op, activity))
    if op.steps.cascade is None:
        for kind, start, end, _ in _merged(rows):
            slices.add(lane, kind, start, end, op.id)
        return
    table = np.array([(kind, start, end, stripe) for kind, start, end, stripe in rows])
    slices.add_stripes(
        np.full(len(rows), int(lane)),
        table[:, 0].astype(np.int64),
        table[:, 1],
        table[:, 2],
        np.full(len(rows), int(op.id)),
        table[:, 3].astype(np.int64),
    )


_Piece = tuple[Activity, float, float, int]


def _pieces(part: FoundPart, op: FoundOp, activity: Activity) -> Iterator[_Piece]:
    """Operation by operation: waiting to begin, working, waiting for a memory."""
    clock = part.clock
    for stripe, at in enumerate(op.steps.commands):
        free, start, end = clock.free[at], clock.start[at], clock.end[at]
        done = start + part.spent[at].own_cycles
        if start > free:
            yield Activity.STALL, free, start, stripe
        yield activity, start, done, stripe
        if end > done:
            yield Activity.STALL, done, end, stripe


def _merged(pieces: list[_Piece]) -> Iterator[_Piece]:
    """The same with neighbours of one kind as one: a layer can have ten thousand operations."""
    last: _Piece | None = None
    for piece in pieces:
        if last is not None and last[0] is piece[0] and last[2] == piece[1]:
            last = (last[0], last[1], piece[2], NOTHING)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _lane(found: Found, part: FoundPart, op: FoundOp) -> Lane:
    if op.first is not None:
        return Lane.ELEMENTWISE if op.first.job.is_elementwise else Lane.MAC
    item = part.study.part.stream.commands[op.position]
    assert isinstance(item, DmaTransfer)
    regions, fast = part.study.part.regions, found.target.fast.area
    comes_from = area_of(found.target, regions, item.source.region)
    goes_to = area_of(found.target, regions, item.destination.region)
    return Lane.DMA_OUT if comes_from is fast is not goes_to else Lane.DMA_IN


def _cascades(part: FoundPart, graph: NpuGraph, schedule: Schedule) -> Iterator[CascadeSteps]:
    for number, ops in enumerate(cascade_ops(part)):
        by_command: dict[int, tuple[NpuOpId, int, FoundOp]] = {
            at: (op.id, stripe, op) for op in ops for stripe, at in enumerate(op.steps.commands)
        }
        steps = []
        for at in sorted(by_command):
            number_of_op, stripe, op = by_command[at]
            assert op.whole is not None
            steps.append(StripeStep(number_of_op, stripe, *op.whole.steps[stripe]))
        cascade = schedule.islands[part.number].cascades[number]
        made = {op.id: graph.ops[op.id].ofm for op in ops}
        yield CascadeSteps(
            island=IslandId(part.number),
            cascade=number,
            steps=tuple(steps),
            fills=fills_of(cascade, steps, made),
        )
