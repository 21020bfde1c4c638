"""How and how early weights arrive, decided once more for a schedule that has addresses.

The search lets weights come while the operator before runs. What a channel could bring before that
is idle, though a later operator may wait for it. So once more: what comes in slices, or is read
where it is stored, may come whole, and everything may come steps ahead (`core/cost/ahead.py`), as
far as there is room for it; and what keeps others waiting may be read where it is stored. The clock
says which of a few ways takes least.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from operator import add, attrgetter

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.ids import NpuOpId
from core.cost.ahead import MOST_STEPS, Arrivals, Leads
from core.cost.island import Steps
from core.cost.overlaps import Laid
from core.ir.decisions import Buffering, WeightsBuffered, WeightsReason
from core.ir.edits import WeightsAsked
from core.ir.layout import MemoryLayout
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, WeightPlan, steps_of
from core.liveness.lives import TIMES_PER_STEP, Buffers, spans_of
from core.pipeline.within import Stages
from core.schedule.problem import Node

_WORTH, _WORTH_WHOLE = 0.999, 0.99
"""Of the cycles of what takes less memory, what a longer lead may take at most, and what weights
that come whole may."""

_MOST_OTHERS = 2
"""Of so many ways beside the best it is tried what they take at addresses."""
_MOST_DIRECT = 16
"""Of so many operators it is tried what reading their weights where they are stored takes."""

Changed = dict[NpuOpId, WeightPlan]
"""By operator: weights that come otherwise than the search has it, whole or without a buffer."""


class Ahead(Frozen, kw_only=False):
    """How weights arrive."""

    changed: Changed
    leads: Leads

    def of(self, schedule: Schedule) -> Schedule:
        """The schedule with weights that arrive so."""
        islands = tuple(self.in_island(island) for island in schedule.islands)
        decisions = tuple(
            self._record(each)
            if isinstance(each, WeightsBuffered) and each.op in self.changed
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

    def live(self, schedule: Schedule, layout: MemoryLayout) -> list[int]:
        """Bytes by time, given the addresses of the schedule without what arrives so."""
        live = live_of(layout)
        for plan in schedule.ops:
            weights = self._weights(plan)
            if weights is not plan.weights:
                _count(live, layout.op_times[plan.op], plan.weights, -1)
                _count(live, layout.op_times[plan.op], weights, 1)
        return live

    def _weights(self, plan: OpPlan) -> WeightPlan | None:
        weights = self.changed.get(plan.op, plan.weights)
        lead_steps = self.leads.get(plan.op)
        if weights is None or lead_steps is None:
            return weights
        return replace(weights, lead_steps=lead_steps)

    def _record(self, record: WeightsBuffered) -> WeightsBuffered:
        weights = self.changed[record.op]
        is_direct = not weights.buffer_bytes
        return replace(
            record,
            buffering=Buffering.DIRECT if is_direct else Buffering.SINGLE,
            reason=WeightsReason.FASTEST if is_direct else WeightsReason.WHOLE_AHEAD,
            depth_slices=weights.depth_slices,
            stream_bytes=weights.stream_bytes,
            buffer_bytes=sum(weights.buffer_bytes),
            transfer_cycles=weights.transfer_cycles,
            is_prefetched=weights.is_prefetched,
        )


class Way(NamedTuple):
    """How weights arrive, and how long all takes then, if nothing waits for room."""

    ahead: Ahead
    cycles: float


class EarlyWeights(Frozen, kw_only=False, dict=True):
    """How and how early the weights of a schedule can arrive, given its addresses."""

    stages: Stages
    schedule: Schedule
    layout: MemoryLayout

    @cached_property
    def _steps(self) -> Steps:
        prices = self.stages.prepared.prices
        map_of = self.schedule.maps.__getitem__
        return Steps(prices, map_of, Laid(prices.graph, self.layout))

    def within(self, room_bytes: float, lost: Sequence[int]) -> list[Way]:
        """The way that takes least of those that have room, of which addresses lose some bytes by
        time; then the others, as long as they take if nothing waits for room."""
        schedule = self.schedule
        live = tuple(map(add, live_of(self.layout), lost))
        choice = _Choice(self.stages, schedule.ops, self.layout, room_bytes, live, self._steps)
        problems = {each.island.id: each for each in self.stages.prepared.stored.problems}
        by_island: list[list[Way]] = []
        for island in schedule.islands:
            nodes = {node.op.id: node for node in problems[island.island].nodes}
            by_island.append(choice.of_island(island, nodes))
        most = max(map(len, by_island), default=1)
        return [
            _together([ways[min(at, len(ways) - 1)] for ways in by_island]) for at in range(most)
        ]


def _together(ways: Sequence[Way]) -> Way:
    """Those of all islands."""
    changed: Changed = {}
    leads: Leads = {}
    for each in ways:
        changed |= each.ahead.changed
        leads |= each.ahead.leads
    return Way(Ahead(changed, leads), sum(each.cycles for each in ways))


def roomy_of(
    schedule: Schedule, live: Sequence[int], op_times: Sequence[int], room_bytes: float
) -> frozenset[NpuOpId]:
    """Operators whose early weights have room a step before, too, so that their transfer waits for
    nobody who was in that place; that of the first ones is taken first, of what is live by time."""
    live, roomy = [*live], set[NpuOpId]()
    for plan in sorted(schedule.ops, key=lambda plan: op_times[plan.op]):
        weights = plan.weights
        if weights is None or not weights.is_prefetched:
            continue
        size_bytes, times = next(spans_of(op_times[plan.op], Buffers.of(weights)))
        before = range(max(times.start - TIMES_PER_STEP, 0), times.start)
        if all(live[time] + size_bytes <= room_bytes for time in before):
            roomy.add(plan.op)
            for time in before:
                live[time] += size_bytes
    return frozenset(roomy)


class _Choice(Frozen, kw_only=False):
    stages: Stages
    plans: tuple[OpPlan, ...]
    """By operator."""
    layout: MemoryLayout
    room_bytes: float
    live: tuple[int, ...]
    """Bytes by time that are of no use to what comes ahead."""
    steps: Steps

    def of_island(self, island: IslandSchedule, nodes: Mapping[NpuOpId, Node]) -> list[Way]:
        """Few come whole and late first: whoever takes more memory has to be faster. The others are
        told behind the best."""
        best, least_cycles = Ahead({}, {}), math.inf
        found: list[Way] = []
        later = [plan for plan in island.ops[1:] if self._is_open(plan)]
        sliced = [plan for plan in later if plan.weights and plan.weights.buffer_bytes]
        choices = {len(plans): plans for plans in ([], sliced, later)}
        for plans in choices.values():
            for ahead, cycles in self._fewer_and_fewer(island, plans):
                found.append(Way(ahead, cycles))
                is_more = len(ahead.changed) > len(best.changed)
                if cycles <= (_WORTH_WHOLE if is_more else _WORTH) * least_cycles:
                    best, least_cycles = ahead, cycles
        others = sorted((each for each in found if each.ahead != best), key=attrgetter("cycles"))
        ways = [self._read_where_stored(island, best, least_cycles), *others[:_MOST_OTHERS]]
        return [Way(self._with_streams(ahead, nodes), cycles) for ahead, cycles in ways]

    def _with_streams(self, ahead: Ahead, nodes: Mapping[NpuOpId, Node]) -> Ahead:
        """With weights as they are encoded so."""
        changed = {op: self._encoded(nodes[op], op, ahead) for op in ahead.changed}
        return replace(ahead, changed=changed)

    def _read_where_stored(self, island: IslandSchedule, best: Ahead, least_cycles: float) -> Way:
        """Without buffers where that is faster: a transfer may keep others waiting for longer than
        it takes to read the weights where they are stored."""
        for op, direct in self._direct(Ahead(best.changed, {}).in_island(island)):
            leads = {other: steps for other, steps in best.leads.items() if other != op}
            ahead = Ahead(best.changed | {op: direct}, leads)
            arrivals = self.steps.arrivals(Ahead(ahead.changed, {}).in_island(island))
            cycles = arrivals.cycles(leads)
            if cycles <= _WORTH * least_cycles:
                best, least_cycles = ahead, cycles
        return Way(best, least_cycles)

    def _direct(self, island: IslandSchedule) -> list[tuple[NpuOpId, WeightPlan]]:
        """Weights that are read where they are stored, the transfers first that take longer than
        that by most."""
        direct = {
            plan.op: _as_stored(plan.weights)
            for plan in island.ops
            if plan.weights is not None and self._is_buffered(plan)
        }
        ways = (island, Ahead(direct, {}).in_island(island))
        steps = zip(*(self.steps.arrivals(each).steps for each in ways), strict=True)
        saved: dict[NpuOpId, float] = {}
        for (plan, *_), (own, other) in zip(steps_of(island.ops), steps, strict=True):
            if plan.op in direct:
                more_cycles = max(other.own_cycles - own.own_cycles, 0.0)
                saved[plan.op] = own.transfer_cycles - more_cycles
        most = sorted(saved, key=saved.__getitem__, reverse=True)[:_MOST_DIRECT]
        return [(op, direct[op]) for op in most if saved[op] > 0]

    def _is_buffered(self, plan: OpPlan) -> bool:
        """Whether weights come to a buffer, as nobody asks for it."""
        weights, asked = plan.weights, self.stages.fixed.weights_of.get(plan.op)
        is_buffered = weights is not None and bool(weights.buffer_bytes) and plan.cascade is None
        return is_buffered and (asked is None or asked == WeightsAsked())

    def _fewer_and_fewer(
        self, island: IslandSchedule, plans: Sequence[OpPlan]
    ) -> Iterator[tuple[Ahead, float]]:
        """With as many whole as have room, and then without those that are waited for longest, as
        long as that is faster: each keeps the channel and takes room from those behind it. One by
        one at first; of very many, more at a time."""
        late: set[NpuOpId] = set()
        before, rises = math.inf, 0
        while True:
            self.stages.progress.advance("choosing early weights", len(late), len(plans))
            live = [*self.live]
            wholes = dict(self._wholes((plan for plan in plans if plan.op not in late), live))
            arrivals = self.steps.arrivals(Ahead(wholes, {}).in_island(island))
            ahead, cycles = self._with_leads(arrivals, wholes, live)
            yield ahead, cycles
            rises = rises + 1 if cycles > before else 0
            if rises > 1 or not wholes:
                return
            before = cycles
            waits = arrivals.waits(ahead.leads)
            longest = sorted(wholes, key=waits.__getitem__, reverse=True)
            late.update(longest[: max(len(late) // 4, 1)])

    def _with_leads(
        self, arrivals: Arrivals, wholes: Changed, live: Sequence[int]
    ) -> tuple[Ahead, float]:
        """The shortest leads of which longer ones gain too little, and the cycles with them."""
        best, least_cycles = Ahead(wholes, {}), math.inf
        before: Leads | None = None
        longest_steps = max(arrivals.latest.values(), default=1)
        for most_steps in MOST_STEPS[: bisect_left(MOST_STEPS, longest_steps) + 1]:
            ahead = self._ahead(arrivals, wholes, most_steps, [*live])
            if ahead.leads == before:
                # There is no room for longer ones.
                continue
            before = ahead.leads
            cycles = arrivals.cycles(before)
            if cycles <= _WORTH * least_cycles:
                best, least_cycles = ahead, cycles
        return best, least_cycles

    def _is_open(self, plan: OpPlan) -> bool:
        """Whether weights come neither whole and early yet, nor as somebody asks for it."""
        weights, asked = plan.weights, self.stages.fixed.weights_of.get(plan.op)
        is_far = self.stages.target.has_far_constants
        if weights is None or plan.cascade is not None or not is_far:
            return False
        is_whole = weights.is_prefetched and len(weights.slice_bytes) == 1
        return not is_whole and (asked is None or asked == WeightsAsked())

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
        plan, weights = self.plans[op], best.changed[op]
        estimates = self.stages.prepared.stored.estimates
        stream = estimates.stream(node, plan.block, weights.depth_slices)
        if not weights.buffer_bytes:
            return replace(weights, slice_bytes=(stream.stream_bytes,), encoding=stream.encoding)
        return replace(self._whole(weights, stream.stream_bytes), encoding=stream.encoding)

    def _ahead(
        self, arrivals: Arrivals, wholes: Changed, most_steps: int, live: list[int]
    ) -> Ahead:
        """Leads for which there is room, of the first operators first; others are as much shorter
        as it takes."""
        leads: Leads = {}
        for op in sorted(arrivals.latest, key=self.layout.op_times.__getitem__):
            weights = wholes.get(op, self.plans[op].weights)
            assert weights is not None
            edit = self.stages.fixed.weights_of.get(op)
            is_open = edit is None or edit.lead_steps is None
            least_steps = 1 if is_open else weights.lead_steps
            most = min(arrivals.latest[op], most_steps) if is_open else least_steps
            more_steps = self._more_steps(op, weights.buffer_bytes[0], least_steps, most, live)
            leads[op] = max(least_steps + more_steps - 1, least_steps)
        return Ahead(wholes, leads)

    def _more_steps(
        self, op: NpuOpId, size_bytes: int, least_steps: int, most_steps: int, live: list[int]
    ) -> int:
        """For how many steps more there is room, which is taken; the first of these for the end of
        whoever reads or writes where the bytes go."""
        last = self.layout.op_times[op] + 1 - TIMES_PER_STEP * least_steps
        for more_steps in range(most_steps - least_steps + 1, 0, -1):
            taken = range(max(last - TIMES_PER_STEP * more_steps, 0), max(last, 0))
            if all(live[time] + size_bytes <= self.room_bytes for time in taken):
                for time in taken:
                    live[time] += size_bytes
                return more_steps
        return 0


def _as_stored(weights: WeightPlan) -> WeightPlan:
    """The same weights, read where they are stored."""
    return replace(
        weights,
        depth_slices=(0, weights.depth_slices[-1]),
        slice_bytes=(weights.stream_bytes,),
        buffer_bytes=(),
        lead_steps=0,
    )


def live_of(layout: MemoryLayout) -> list[int]:
    """Bytes by time."""
    changes = [0] * (layout.end_time + 3)
    for place in layout.fast_area.placements:
        changes[place.start_time] += place.size_bytes
        changes[place.end_time + 1] -= place.size_bytes
    for both in layout.fast_area.common:
        changes[both.start_time] -= both.size_bytes
        changes[both.end_time + 1] += both.size_bytes
    return list(accumulate(changes))


def _count(live: list[int], time: int, weights: WeightPlan | None, sign: int) -> None:
    """Add or take away the buffers of an operator that runs at a time."""
    if weights is None:
        return
    for size_bytes, times in spans_of(time, Buffers.of(weights)):
        for each in times:
            live[each] += sign * size_bytes
