"""Slices of an operator that is in no cascade: it waits for its table and weights, and computes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.base.frozen import Changing, NamedTuple
from core.base.geometry import round_up
from core.cost.from_graph import uses_table
from core.cost.trace_dma import DmaIn, Stretch
from core.cost.trace_slices import Slices
from core.ir.npugraph import NpuGraph, NpuOp
from core.ir.schedule import OpPlan, Schedule, WeightPlan
from core.ir.trace import Activity, Lane
from core.target.format import ALIGNMENT_BYTES
from core.target.region import memory_of
from core.target.target import Area, Target
from core.target.unit import Unit


class Member(NamedTuple):
    """An operator, and what it costs."""

    op: NpuOp
    plan: OpPlan
    lane: Lane
    own_cycles: float
    """In which its engine works; in the others it waits."""
    total_cycles: float


def lane_of(target: Target, graph: NpuGraph, schedule: Schedule, plan: OpPlan) -> Lane:
    """The engine that an operator keeps busy."""
    op = graph.ops[plan.op]
    if op.kind.unit is Unit.DMA:
        goes_to = memory_of(target, schedule.maps[op.ofm.fm].region).area
        comes_from = memory_of(target, schedule.maps[op.ifm.fm].region).area
        leaves = comes_from is target.fast.area is not goes_to
        return Lane.DMA_OUT if leaves else Lane.DMA_IN
    return Lane.ELEMENTWISE if op.kind.is_elementwise else Lane.MAC


def table_cycles(dma: DmaIn, op: NpuOp) -> int:
    """Cycles in which an operator's look-up table is brought; none where it has no table."""
    activation = op.activation
    if activation is None or activation.table is None or not uses_table(op):
        return 0
    size = round_up(activation.table.size_bytes, ALIGNMENT_BYTES)
    return dma.rates.table_cycles(_permanent(dma), size)


def _permanent(dma: DmaIn) -> Area:
    return dma.target.permanent.area


def first_cycles(dma: DmaIn, weights: WeightPlan) -> float:
    """Cycles of the transfer of the first slice."""
    return float(dma.weight_cycles(weights.slice_bytes[:1])[0])


def bring_first(dma: DmaIn, op: NpuOp, plan: OpPlan, window: Stretch) -> float:
    """The transfers before an operator can begin; when they are done."""
    ready, table = window.start, table_cycles(dma, op)
    weights = plan.weights
    left = 0.0
    if weights is not None and weights.buffer_bytes:
        ahead = dma.left_of(op.id)
        left = first_cycles(dma, weights) if ahead is None else ahead
    if table:
        ready = dma.bring(Activity.TABLE, op.id, table, window)
    if left:
        ready = dma.bring(Activity.WEIGHTS, op.id, left, window, 0)
    return ready


class _Engine(Changing):
    """Writes down when an engine computes and when it waits, for as long as it may."""

    slices: Slices
    lane: Lane
    op: NpuOp
    now: float
    may_wait: float
    computes_since: float

    def wait_until(self, cycle: float) -> None:
        wait = min(cycle - self.now, self.may_wait)
        if wait > 0.0:
            self.stop()
            self.slices.add(self.lane, Activity.STALL, self.now, self.now + wait, self.op.id)
            self.may_wait -= wait
            self.now = self.computes_since = self.now + wait

    def stop(self) -> None:
        if self.now > self.computes_since:
            self.slices.add(self.lane, Activity.COMPUTE, self.computes_since, self.now, self.op.id)
            self.computes_since = self.now

    def finish(self, end: float) -> None:
        """What is left of the time is waiting for a memory."""
        self.now = min(self.now, end)
        is_waiting = self.may_wait > 1e-6 and end > self.now
        if not is_waiting:
            self.now = end
        self.stop()
        if is_waiting:
            self.slices.add(self.lane, Activity.STALL, self.now, end, self.op.id)


def trace_operator(dma: DmaIn, member: Member, window: Stretch) -> None:
    """Write down all that happens while one operator runs."""
    start, end = window
    op, plan, lane, own, _ = member
    if op.kind.unit is Unit.DMA or end <= start:
        is_copy = op.kind.unit is Unit.DMA
        dma.slices.add(lane, Activity.COPY if is_copy else Activity.COMPUTE, start, end, op.id)
        if lane is Lane.DMA_IN:
            dma.occupy(end)
        return
    engine = _Engine(dma.slices, lane, op, start, end - start - own, start)
    ready = bring_first(dma, op, plan, window)
    weights = plan.weights
    if weights is None or not weights.buffer_bytes:
        engine.wait_until(ready)
        engine.now += own
        engine.finish(end)
        return
    further = enumerate(dma.weight_cycles(weights.slice_bytes[1:]), 1)
    for depth_share in _shares(weights.depth_slices):
        engine.wait_until(ready)
        begins, engine.now = engine.now, engine.now + own * depth_share
        following = next(further, None)
        if following is not None:
            # With two buffers, one is filled while the other is used.
            earliest = begins if weights.is_double_buffered else engine.now
            number, cycles = following
            ready = dma.bring(Activity.WEIGHTS, op.id, cycles, Stretch(earliest, end), number)
    engine.finish(end)


def _shares(depth_slices: tuple[int, ...]) -> Iterator[float]:
    """How much of the work is done with each slice."""
    depth = max(depth_slices[-1], 1)
    for first, following in pairwise(depth_slices):
        yield (following - first) / depth
