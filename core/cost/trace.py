"""A schedule over the accelerator's cycles: operators one after the other, DMA beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from core.base.ids import IslandId
from core.cost.rates import Rates
from core.cost.trace_cascade import is_traceable, trace_cascade
from core.cost.trace_dma import DmaIn, Stretch
from core.cost.trace_operator import Member, first_cycles, lane_of, trace_operator
from core.cost.trace_slices import Cycles, Slices
from core.ir.cost import OperatorCost
from core.ir.layout import MemoryLayout
from core.ir.npugraph import CpuOp, NpuGraph
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, brought_ahead, steps_of
from core.ir.trace import CascadeSteps, Trace
from core.target.target import Target


def trace(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    layout: MemoryLayout,
    costs: Sequence[OperatorCost],
    cascades: Sequence[CascadeSteps],
) -> Trace:
    """What each engine does, and when; the steps of all cascades are given."""
    walk = _Walk(graph, target, schedule, costs, cascades)
    for steps in graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                walk.cpu_op()
            else:
                walk.island(step)
    columns = walk.slices.sorted()
    end = math.fsum(cost.total_cycles for cost in costs)
    return Trace(
        lane=columns["lane"].astype(np.uint8),
        activity=columns["activity"].astype(np.uint8),
        start_cycle=columns["start_cycle"],
        end_cycle=columns["end_cycle"],
        op=columns["op"].astype(np.int32),
        cpu_op=columns["cpu_op"].astype(np.int32),
        stripe=columns["stripe"].astype(np.int32),
        depth_slice=columns["depth_slice"].astype(np.int32),
        op_start_cycle=walk.op_starts,
        op_end_cycle=walk.op_ends,
        time_cycle=_time_cycles(layout, walk.op_ends, end),
        end_cycle_of_all=end,
    )


def _time_cycles(layout: MemoryLayout, op_ends: Cycles, end: float) -> Cycles:
    """An operator's time begins where the one before ends; the next time where it ends itself."""
    found = np.zeros(layout.end_time + 2)
    if layout.op_times:
        np.maximum.at(found, np.array(layout.op_times) + 1, op_ends)
    found[-1] = end
    return np.maximum.accumulate(found)


class _Walk:
    """Visits everything that runs, in order."""

    def __init__(
        self,
        graph: NpuGraph,
        target: Target,
        schedule: Schedule,
        costs: Sequence[OperatorCost],
        cascades: Sequence[CascadeSteps],
    ) -> None:
        self.slices = Slices()
        self.op_starts = np.zeros(len(graph.ops))
        self.op_ends = np.zeros(len(graph.ops))
        self._graph = graph
        self._target = target
        self._schedule = schedule
        self._costs = costs
        self._islands = {island.island: island for island in schedule.islands}
        self._cascades = {(each.island, each.cascade): each for each in cascades}
        self._dma = DmaIn(target, Rates.of(target), self.slices)
        self._edges = _edges(graph, self._islands, costs)
        self._begun = 0
        self._now = self._edges[0]
        self._cpu_ops = 0

    def cpu_op(self) -> None:
        """An operator on the CPU, which takes no time that is known."""
        self.slices.add_cpu_op(self._cpu_ops, self._now)
        self._cpu_ops += 1

    def island(self, number: IslandId) -> None:
        """Operators in their order; those of one cascade together."""
        island = self._islands[number]
        steps = tuple(steps_of(island.ops))
        ahead = brought_ahead(steps)
        for place, plans in enumerate(steps):
            begin = self._now
            self._step(number, [self._member(plan) for plan in plans], plans[0].cascade)
            # It begins beside the step that runs when it is told, and that is the one before.
            for early in (*(ahead.get(0, ()) if not place else ()), *ahead.get(place + 1, ())):
                if early not in plans and early.weights is not None:
                    self._dma.come_ahead(early.op, first_cycles(self._dma, early.weights))
            self._dma.fill(Stretch(begin, self._now))

    def _step(self, number: IslandId, members: Sequence[Member], cascade: int | None) -> None:
        steps = None if cascade is None else self._cascades[number, cascade]
        if steps is not None and is_traceable(members, steps):
            self._cascade(members, steps)
            return
        for member in members:
            self._operator(member)

    def _next_edge(self) -> float:
        self._begun += 1
        return self._edges[self._begun]

    def _operator(self, member: Member) -> None:
        window = Stretch(self._now, self._next_edge())
        trace_operator(self._dma, member, window)
        self._ran(member, window)
        self._now = window.end

    def _cascade(self, members: Sequence[Member], steps: CascadeSteps) -> None:
        edges = [self._next_edge() for _ in members]
        window = Stretch(self._now, edges[-1])
        windows = trace_cascade(self._dma, members, steps, window)
        for member, own in zip(members, windows, strict=True):
            self._ran(member, own)
        self._now = window.end

    def _ran(self, member: Member, window: Stretch) -> None:
        self.op_starts[member.op.id], self.op_ends[member.op.id] = window

    def _member(self, plan: OpPlan) -> Member:
        cost = self._costs[plan.op]
        return Member(
            op=self._graph.ops[plan.op],
            plan=plan,
            lane=lane_of(self._target, self._graph, self._schedule, plan),
            own_cycles=float(cost.own_cycles),
            total_cycles=cost.total_cycles,
        )


def _edges(
    graph: NpuGraph, islands: dict[IslandId, IslandSchedule], costs: Sequence[OperatorCost]
) -> list[float]:
    """When operators begin, in the order in which they run, and the end of the last."""
    plans: Iterator[OpPlan] = (
        plan
        for steps in graph.steps
        for step in steps
        if not isinstance(step, CpuOp)
        for plan in islands[step].ops
    )
    totals = [costs[plan.op].total_cycles for plan in plans]
    edges = np.concatenate([[0.0], np.cumsum(totals)]) if totals else np.zeros(1)
    end = math.fsum(totals)
    edges = np.minimum(edges, end)
    edges[-1] = end
    found: list[float] = edges.tolist()
    return found
