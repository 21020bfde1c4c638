"""How and how early weights arrive, decided once more for a schedule that has addresses.

The search lets weights come while the operator before runs. What a channel could bring before that
is idle, though a later operator may wait for it. So once more: what comes in slices, or is read
where it is stored, may come whole, and everything may come steps ahead (`core/cost/ahead.py`), as
far as there is room for it. The clock says which of a few ways takes least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

from core.base.frozen import Frozen, replace
from core.base.ids import NpuOpId
from core.cost.ahead import MOST_STEPS, Arrivals, Leads
from core.cost.island import arrivals_of
from core.cost.overlaps import Laid
from core.ir.decisions import Buffering, WeightsBuffered, WeightsReason
from core.ir.edits import WeightsAsked
from core.ir.layout import MemoryLayout
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, WeightPlan
from core.liveness.lives import TIMES_PER_STEP, Buffers, spans_of
from core.pipeline.within import Stages
from core.schedule.problem import Node

_WORTH, _WORTH_WHOLE = 0.999, 0.99
"""Of the cycles of what takes less memory, what a longer lead may take at most, and what weights
that come whole may."""

Wholes = dict[NpuOpId, WeightPlan]
"""By operator: weights that come whole, and not as the search has it."""


class Ahead(Frozen, kw_only=False):
    """How weights arrive."""

    wholes: Wholes
    leads: Leads

    def of(self, schedule: Schedule) -> Schedule:
        """The schedule with weights that arrive so."""
        islands = tuple(self.in_island(island) for island in schedule.islands)
        decisions = tuple(
            self._record(each)
            if isinstance(each, WeightsBuffered) and each.op in self.wholes
            else each
            for each in schedule.decisions
        )
        return replace(schedule, islands=islands, decisions=decisions)

    def in_island(self, island: IslandSchedule) -> IslandSchedule:
        """The same for one island."""
        live, ops = list(island.snapshot), []
        for plan in island.ops:
            weights = self._weights(plan)
            if weights is not plan.weights:
                _count(live, plan.time, plan.weights, -1)
                _count(live, plan.time, weights, 1)
            ops.append(plan if weights is plan.weights else replace(plan, weights=weights))
        return replace(island, ops=tuple(ops), snapshot=tuple(live))

    def _weights(self, plan: OpPlan) -> WeightPlan | None:
        weights = self.wholes.get(plan.op, plan.weights)
        lead_steps = self.leads.get(plan.op)
        if weights is None or lead_steps is None:
            return weights
        return replace(weights, lead_steps=lead_steps)

    def _record(self, record: WeightsBuffered) -> WeightsBuffered:
        weights = self.wholes[record.op]
        return replace(
            record,
            buffering=Buffering.SINGLE,
            reason=WeightsReason.WHOLE_AHEAD,
            depth_slices=weights.depth_slices,
            stream_bytes=weights.stream_bytes,
            buffer_bytes=sum(weights.buffer_bytes),
            transfer_cycles=weights.transfer_cycles,
            is_prefetched=True,
        )


def ahead_of(stages: Stages, schedule: Schedule, layout: MemoryLayout, room_bytes: float) -> Ahead:
    """The way that takes least of those that have room."""
    choice = _Choice(stages, schedule, schedule.ops, layout, room_bytes)
    problems = {each.island.id: each for each in stages.prepared.stored.problems}
    wholes: Wholes = {}
    leads: Leads = {}
    for island in schedule.islands:
        nodes = {node.op.id: node for node in problems[island.island].nodes}
        found = choice.of_island(island, nodes)
        wholes |= found.wholes
        leads |= found.leads
    return Ahead(wholes=wholes, leads=leads)


class _Choice(Frozen, kw_only=False):
    stages: Stages
    schedule: Schedule
    plans: tuple[OpPlan, ...]
    """By operator."""
    layout: MemoryLayout
    room_bytes: float

    def of_island(self, island: IslandSchedule, nodes: Mapping[NpuOpId, Node]) -> Ahead:
        """Few come whole and late first: whoever takes more memory has to be faster."""
        best, least_cycles = Ahead(wholes={}, leads={}), math.inf
        tried: list[Wholes] = []
        later = [plan for plan in island.ops[1:] if self._is_open(plan)]
        sliced = [plan for plan in later if plan.weights and plan.weights.buffer_bytes]
        for plans in ([], sliced, later):
            live = self._live()
            wholes = dict(self._wholes(plans, live))
            if wholes in tried:
                continue
            tried.append(wholes)
            arrivals = self._arrivals(Ahead(wholes=wholes, leads={}).in_island(island))
            for most_steps in MOST_STEPS:
                leads = self._leads(arrivals, wholes, most_steps, live.copy())
                cycles = arrivals.cycles(leads)
                worth = _WORTH if wholes == best.wholes else _WORTH_WHOLE
                if cycles <= worth * least_cycles:
                    best, least_cycles = Ahead(wholes=wholes, leads=leads), cycles
        return replace(best, wholes={op: self._encoded(nodes[op], op, best) for op in best.wholes})

    def _is_open(self, plan: OpPlan) -> bool:
        """Whether weights come neither whole and early yet, nor as somebody asks for it."""
        weights, asked = plan.weights, self.stages.fixed.weights_of.get(plan.op)
        is_far = self.stages.target.has_far_constants
        if weights is None or plan.cascade is not None or not is_far:
            return False
        is_whole = weights.is_prefetched and len(weights.slice_bytes) == 1
        return not is_whole and (asked is None or asked == WeightsAsked())

    def _live(self) -> list[int]:
        """Bytes by time, with the addresses that there are."""
        changes = [0] * (self.layout.end_time + 3)
        for place in self.layout.fast_area.placements:
            changes[place.start_time] += place.size_bytes
            changes[place.end_time + 1] -= place.size_bytes
        return list(accumulate(changes))

    def _wholes(
        self, plans: Iterable[OpPlan], live: list[int]
    ) -> Iterator[tuple[NpuOpId, WeightPlan]]:
        """Those for which there is room while their operators run; it is taken."""
        for plan in plans:
            time, weights = self.layout.op_times[plan.op], plan.weights
            assert weights is not None
            whole = self._whole(weights, weights.stream_bytes)
            _count(live, time, weights, -1)
            if self._has_room(live, time, whole):
                yield plan.op, whole
            else:
                whole = weights
            _count(live, time, whole, 1)

    def _has_room(self, live: list[int], time: int, weights: WeightPlan) -> bool:
        ((size_bytes, times),) = spans_of(time, Buffers.of(weights))
        return all(live[time] + size_bytes <= self.room_bytes for time in times)

    def _whole(self, weights: WeightPlan, size_bytes: int) -> WeightPlan:
        target, rates = self.stages.target, self.stages.prepared.prices.model.rates
        return replace(
            weights,
            depth_slices=(0, weights.depth_slices[-1]),
            slice_bytes=(size_bytes,),
            buffer_bytes=(size_bytes,),
            lead_steps=1,
            transfer_cycles=rates.copy_cycles(target.permanent.area, target.fast.area, size_bytes),
        )

    def _encoded(self, node: Node, op: NpuOpId, best: Ahead) -> WeightPlan:
        """With the size that the stream has, which was the sum of its slices until then."""
        plan, weights = self.plans[op], best.wholes[op]
        estimates = self.stages.prepared.stored.estimates
        stream = estimates.stream(node, plan.block, weights.depth_slices)
        return replace(self._whole(weights, stream.stream_bytes), encoding=stream.encoding)

    def _arrivals(self, island: IslandSchedule) -> Arrivals:
        prices = self.stages.prepared.prices
        overlaps = Laid(prices.graph, self.layout)
        return arrivals_of(prices, island, self.schedule.maps.__getitem__, overlaps)

    def _leads(self, arrivals: Arrivals, wholes: Wholes, most_steps: int, live: list[int]) -> Leads:
        """Those for which there is room, of the first operators first; others are as much shorter
        as it takes."""
        asked = self.stages.fixed.weights_of
        leads: Leads = {}
        for op, lead_steps in arrivals.latest(most_steps).items():
            edit = asked.get(op)
            if edit is None or edit.lead_steps is None:
                leads[op] = lead_steps
        return {
            op: self._with_room(op, wholes, lead_steps, live)
            for op, lead_steps in sorted(leads.items(), key=lambda item: self._time(item[0]))
        }

    def _time(self, op: NpuOpId) -> int:
        return self.layout.op_times[op]

    def _with_room(self, op: NpuOpId, wholes: Wholes, lead_steps: int, live: list[int]) -> int:
        weights = wholes.get(op, self.plans[op].weights)
        assert weights is not None
        size_bytes, usual = weights.buffer_bytes[0], self._time(op) - 1
        taken = range(0)
        for steps in range(lead_steps, 0, -1):
            # A step more: a transfer waits for all that still read or write where it goes.
            taken = range(max(usual - steps * TIMES_PER_STEP, 0), usual)
            if steps == 1 or all(live[time] + size_bytes <= self.room_bytes for time in taken):
                lead_steps = steps
                break
        for time in taken:
            live[time] += size_bytes
        return lead_steps


def _count(live: list[int], time: int, weights: WeightPlan | None, sign: int) -> None:
    """Add or take away the buffers of an operator that runs at a time."""
    if weights is None:
        return
    for size_bytes, times in spans_of(time, Buffers.of(weights)):
        for each in times:
            live[each] += sign * size_bytes
