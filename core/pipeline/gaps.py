"""Early weights in the gaps that a layout leaves: all else stays where it is.

Each weight buffer keeps its own place until it finds a better one, so there are always addresses
within the room: who finds no gap for as long as it would like comes later, or as the search has it.
"""

from __future__ import annotations

from collections.abc import Hashable

from core.base.frozen import Changing
from core.base.geometry import round_up
from core.base.ids import NpuOpId
from core.cost.ahead import Leads
from core.ir.held import Held, Spot
from core.ir.layout import MemoryLayout, Purpose
from core.ir.schedule import Schedule, WeightPlan
from core.liveness.lives import TIMES_PER_STEP, Buffers, spans_of
from core.pipeline.early_weights import Ahead, Changed
from core.target.format import ALIGNMENT_BYTES


def in_gaps(
    ahead: Ahead, schedule: Schedule, layout: MemoryLayout, room_bytes: int
) -> tuple[Ahead, Held]:
    """As much of what is to come ahead as finds gaps, and where all is then; the first operators
    choose first."""
    gaps = _Gaps.of(layout, room_bytes)
    changed: Changed = {}
    leads: Leads = {}
    for plan in sorted(schedule.ops, key=lambda plan: layout.op_times[plan.op]):
        own, other = plan.weights, ahead.changed.get(plan.op)
        if own is None:
            continue
        steps = ahead.leads.get(plan.op, 1)
        if other is not None and gaps.moves(plan.op, own, other, steps):
            changed[plan.op] = other
        elif own.is_prefetched:
            gaps.moves(plan.op, own, own, max(steps, own.lead_steps))
        if plan.op in gaps.leads:
            leads[plan.op] = gaps.leads[plan.op]
    return Ahead(changed, leads), Held(maps=Held.maps_of(layout).maps, buffers=gaps.spots)


_Taken = dict[Hashable, tuple[int, int]]
"""First address and end of everything that is there at a time."""


class _Gaps(Changing):
    room_bytes: int
    op_times: tuple[int, ...]
    taken: list[_Taken]
    """By time."""
    spots: dict[tuple[NpuOpId, int], Spot]
    """Of weight buffers."""
    leads: Leads

    @classmethod
    def of(cls, layout: MemoryLayout, room_bytes: int) -> _Gaps:
        """Those of a layout."""
        taken: list[_Taken] = [{} for _ in range(layout.end_time + 3)]
        gaps = cls(room_bytes, layout.op_times, taken, {}, {})
        for number, place in enumerate(layout.fast_area.placements):
            times = range(place.start_time, place.end_time + 1)
            spot = Spot(place.address, place.size_bytes)
            if place.op is None or place.purpose is not Purpose.WEIGHTS:
                gaps._take(number, spot, times)
            else:
                gaps._put((place.op, place.buffer), spot, times)
        return gaps

    def moves(self, op: NpuOpId, own: WeightPlan, other: WeightPlan, most_steps: int) -> bool:
        """Whether an operator's weights can come in another way, so many steps ahead at most."""
        spans = dict(enumerate(spans_of(self.op_times[op], Buffers.of(own))))
        moved = spans if other is not own else {0: spans[0]}
        before = {at: self._drop((op, at), times) for at, (_, times) in moved.items()}
        if not other.buffer_bytes or self._finds(op, other, most_steps):
            return True
        for at, spot in before.items():
            self._put((op, at), spot, moved[at][1])
        return False

    def _finds(self, op: NpuOpId, weights: WeightPlan, most_steps: int) -> bool:
        """Whether there is a gap; the first of the steps for which it is free is for the end of
        whoever reads or writes there before."""
        time, least_steps = self.op_times[op], max(weights.lead_steps, 1)
        size_bytes, times = next(spans_of(time, Buffers.of(weights)))
        for steps in range(most_steps + 1, least_steps - 1, -1):
            start = max(time + 1 - TIMES_PER_STEP * steps, 0)
            address = self._gap(size_bytes, range(start, times.stop))
            if address is not None:
                self.leads[op] = max(steps - 1, least_steps)
                start = max(time + 1 - TIMES_PER_STEP * self.leads[op], 0)
                self._put((op, 0), Spot(address, size_bytes), range(start, times.stop))
                return True
        return False

    def _gap(self, size_bytes: int, times: range) -> int | None:
        """The address of the smallest gap that is large enough."""
        taken = sorted({each for time in times for each in self.taken[time].values()})
        gaps, end = list[tuple[int, int]](), 0
        for start, stop in (*taken, (self.room_bytes, self.room_bytes)):
            if start - end >= size_bytes:
                gaps.append((start - end, end))
            end = max(end, round_up(stop, ALIGNMENT_BYTES))
        return min(gaps)[1] if gaps else None

    def _put(self, buffer: tuple[NpuOpId, int], spot: Spot, times: range) -> None:
        self.spots[buffer] = spot
        self._take(buffer, spot, times)

    def _take(self, key: Hashable, spot: Spot, times: range) -> None:
        for time in times:
            self.taken[time][key] = spot.address, spot.address + spot.size_bytes

    def _drop(self, buffer: tuple[NpuOpId, int], times: range) -> Spot:
        for time in times:
            del self.taken[time][buffer]
        return self.spots.pop(buffer)
