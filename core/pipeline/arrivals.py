"""Addresses beside which weights can arrive earlier, where memory is free and time is gained.

Weights that come to a buffer while the operator before runs could often come sooner, but for the
bytes: a transfer waits for all that still read or write where it goes. Who has memory left can
keep those bytes free for longer, over as many operators as pays.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence, Set
from functools import partial
from operator import add, attrgetter

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.geometry import ceil_div
from core.base.ids import NpuOpId
from core.base.memo import Memo
from core.cost.island import schedule_cost, schedule_cycles
from core.ir.addresses_tried import ArrivalsTried
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.held import NOTHING_HELD, Held
from core.ir.layout import MemoryLayout
from core.ir.options import Engine, Options, Strategy
from core.ir.schedule import Schedule
from core.memory.packing import AllocationOptions
from core.pipeline.early_weights import Ahead, EarlyWeights, live_of, roomy_of
from core.pipeline.gaps import in_gaps
from core.pipeline.within import Stages

_EFFORT = AllocationOptions(patience=48, patience_above_limit=48)
"""What such addresses gain is worth tens of orders of ranges, not hundreds."""
_MOST_ROUNDS = 6
"""So often leads are chosen for a limit, each time with less memory where addresses lose it."""
_SUNK_AT_ONCE = 4
"""The part of what is above the room that has to go at once; of halves, early weights lose more."""
_WORTH = 0.999
"""Less than a thousandth of the cycles is not worth memory."""
_NOBODY: Set[NpuOpId] = frozenset()


class Prices(NamedTuple):
    """What each operator costs, and all of them."""

    costs: tuple[OperatorCost, ...]
    total: NetworkCost


class Placed(NamedTuple):
    """A schedule with addresses, and what both cost."""

    schedule: Schedule
    layout: MemoryLayout
    prices: Prices


class Early(NamedTuple):
    """How weights arrive earlier, at which addresses, and how long all takes then."""

    ahead: Ahead
    layout: MemoryLayout
    cycles: float

    def gains(self, other_cycles: float) -> bool:
        """Whether it is worth memory, where that may cost so much."""
        return self.cycles <= _WORTH * other_cycles


class Priced(NamedTuple):
    """What commands cost at their addresses, and with what arrives earlier, at others."""

    own: Prices
    early: Early | None
    early_prices: Prices | None
    """Where early arrivals are worth memory."""

    def placed(self, usual: Placed) -> Placed | None:
        """The schedule with what arrives earlier, if that is worth memory, under the limits that it
        was made for."""
        if self.early is None or self.early_prices is None:
            return None
        layout = self.early.layout.within(usual.layout)
        return Placed(self.early.ahead.of(usual.schedule), layout, self.early_prices)


PricedBefore = Memo[Hashable, Priced]
"""By target, commands, addresses, the room that there is for more, what edits ask of weights, and
all options but edits, which are in these already."""


def with_arrivals(
    stages: Stages, schedule: Schedule, layout: MemoryLayout, known: PricedBefore
) -> Iterator[Placed]:
    """A schedule with the faster addresses within the limit, and then with others, that may suit
    other limits; who saves memory gives none for that.

    Most limits ask for commands that another had too, at the same addresses.
    """
    options = stages.options
    is_tried = options.freedoms.early_arrivals and not stages.fixed.addresses
    asked = is_tried, stages.fixed.weights, replace(options, edits=())
    key = stages.target.with_limit(None), schedule.commands, layout.addresses, asked

    def priced(room_bytes: float) -> Priced:
        work_out = partial(_priced, stages, schedule, layout, room_bytes, is_tried=is_tried)
        return known.answer((*key, room_bytes), work_out)

    room_bytes = _room_bytes(options, schedule, layout)
    within = priced(room_bytes)
    own = Placed(schedule, layout, within.own)
    if within.early is None:
        yield own
        return
    taken = within.placed(own)
    yield _told(own, within.early, taken or own)
    free = priced(math.inf)
    early = free.early or within.early
    other = free.placed(own)
    if other is not None and early.layout.fast_bytes > room_bytes:
        yield _told(own, early, other)
    elif taken is not None:
        yield _told(own, early, own)


def _room_bytes(options: Options, schedule: Schedule, layout: MemoryLayout) -> float:
    """How high addresses may be; what is needed anyway may be above the limit. Where all weights
    have room beside all else, it is as good as no limit."""
    if _saves_memory(options):
        return layout.fast_bytes
    limit_bytes = layout.fast_area.limit_bytes
    all_bytes = sum(plan.weights.stream_bytes for plan in schedule.ops if plan.weights)
    if limit_bytes is None or limit_bytes >= layout.fast_bytes + all_bytes:
        return math.inf
    return max(limit_bytes, layout.fast_bytes)


def _priced(
    stages: Stages, schedule: Schedule, layout: MemoryLayout, room_bytes: float, *, is_tried: bool
) -> Priced:
    prices = stages.prepared.prices
    own = Prices(*schedule_cost(prices, schedule, layout))
    if not (is_tried and stages.target.has_far_constants):
        return Priced(own, None, None)
    priced = Priced(own, None, None)
    for early in _ways(stages, schedule, layout, room_bytes):
        found = early.ahead.of(schedule)
        plans = (plan.weights for plan in found.ops if plan.weights is not None)
        if early.ahead.changed or any(weights.is_prefetched for weights in plans):
            priced = Priced(own, early, None)
            if early.gains(own.total.total_cycles):
                stages.judge(found, early.layout)
                return Priced(own, early, Prices(*schedule_cost(prices, found, early.layout)))
    return priced


def _ways(
    stages: Stages, schedule: Schedule, layout: MemoryLayout, room_bytes: float
) -> Iterator[Early]:
    """As early as has addresses, and as the search has it; so are all points of the front that the
    Pareto engine tells."""
    if stages.options.engine is not Engine.PARETO:
        yield _earliest(stages, schedule, layout, room_bytes)
    early = _Trial(stages, Ahead({}, {}), schedule, room_bytes)
    roomy = early.roomy(live_of(layout), layout.op_times)
    yield early.at(roomy if roomy.fast_bytes <= room_bytes else layout)


def _earliest(stages: Stages, schedule: Schedule, layout: MemoryLayout, room_bytes: float) -> Early:
    """With addresses within the room, all anew, or where those that are there leave gaps. Where new
    ones lose too many bytes, weights come less early there. What waits for room is known with
    addresses, so other ways are tried as far as they may take less."""
    weights = EarlyWeights(stages, schedule, layout)
    nothing_lost = [0] * len(live_of(layout))

    def trial(ahead: Ahead, lost: Sequence[int]) -> tuple[_Trial, MemoryLayout]:
        found = _Trial(stages, ahead, ahead.of(schedule), room_bytes)
        live = list(map(add, ahead.live(schedule, layout), lost))
        return found, found.roomy(live, layout.op_times)

    lost, found = nothing_lost, list[Early]()
    for _ in range(_MOST_ROUNDS):
        best, *ways = weights.within(room_bytes, lost)
        early, roomy = trial(best.ahead, lost)
        if roomy.fast_bytes <= room_bytes:
            found.append(early.worth(roomy))
            break
        ahead, held = in_gaps(best.ahead, schedule, layout, int(room_bytes))
        beside, roomy_beside = trial(ahead, nothing_lost)
        is_roomy = roomy_beside.fast_bytes <= room_bytes
        found.append(beside.worth(roomy_beside) if is_roomy else beside.in_gaps(held))
        before, lost = lost, _with_losses(lost, roomy, room_bytes)
        if lost == before:
            break
    least = min(found, key=attrgetter("cycles"))
    if any(lost):
        ways = [weights.within((room_bytes + layout.fast_bytes) / 2, nothing_lost)[0], *ways]
    for ahead, cycles in ways:
        if cycles < least.cycles:
            other, roomy = trial(ahead, nothing_lost)
            if roomy.fast_bytes <= room_bytes:
                least = min(least, other.worth(roomy), key=attrgetter("cycles"))
    return least


def _with_losses(lost: Sequence[int], layout: MemoryLayout, room_bytes: float) -> list[int]:
    """Bytes by time that addresses lose: while a range stands above the room, the most that is live
    has to be less by a part of what is above: the rest may sink with it."""
    found, live = [*lost], live_of(layout)
    for place in layout.fast_area.placements:
        excess_bytes = int(place.address + place.size_bytes - room_bytes)
        if excess_bytes > 0:
            times = slice(place.start_time, place.end_time + 1)
            most_bytes = max(live[times]) - ceil_div(excess_bytes, _SUNK_AT_ONCE)
            found[times] = [max(each, int(room_bytes) - most_bytes) for each in found[times]]
    return found


class _Trial(Frozen, kw_only=False):
    """A schedule whose weights come early, and the room for its addresses.

    Which are taken depends on the schedule, not on how it was found, wherever usual ones have room.
    """

    stages: Stages
    ahead: Ahead
    schedule: Schedule
    """With what comes ahead."""
    room_bytes: float

    def at(self, layout: MemoryLayout) -> Early:
        """With what it costs at some addresses."""
        prices = self.stages.prepared.prices
        return Early(self.ahead, layout, schedule_cycles(prices, self.schedule, layout))

    def placed(self, roomy: Set[NpuOpId], held: Held) -> MemoryLayout:
        """Addresses beside which the weights of some operators wait for nobody."""
        return self.stages.with_room_ahead(self.schedule, roomy, _EFFORT, held)

    def roomy(self, live: Sequence[int], op_times: Sequence[int]) -> MemoryLayout:
        """The same, of as many as bytes that are live at a time allow."""
        return self.placed(roomy_of(self.schedule, live, op_times, self.room_bytes), NOTHING_HELD)

    def usual(self) -> MemoryLayout | None:
        """Addresses beside which they may wait, if these have room."""
        usual = self.stages.place(self.schedule, self.stages.options.allocator)
        return usual if usual.fast_bytes <= self.room_bytes else None

    def in_gaps(self, held: Held) -> Early:
        """In gaps of the usual addresses, where these have room and it gains; or as it is held."""
        usual = self.usual()
        if usual is None:
            return self.at(self.placed(_NOBODY, held))
        leads = {
            plan.op: plan.weights.lead_steps
            for plan in self.schedule.ops
            if plan.weights is not None and plan.weights.is_prefetched
        }
        _, held = in_gaps(Ahead({}, leads), self.schedule, usual, int(self.room_bytes))
        early, waiting = self.at(self.placed(_NOBODY, held)), self.at(usual)
        return early if early.gains(waiting.cycles) else waiting

    def worth(self, roomy: MemoryLayout) -> Early:
        """At addresses beside which few wait, or at the usual ones, where these are as good."""
        early = self.at(roomy)
        if early.gains(self.at(self.placed(_NOBODY, NOTHING_HELD)).cycles):
            return early
        usual = self.usual()
        if usual is None or early.gains((waiting := self.at(usual)).cycles):
            return early
        return waiting


def _saves_memory(options: Options) -> bool:
    """Whether memory within the limit is not to be had for time alone."""
    pareto = options.pareto
    is_chosen = pareto.most_bytes is not None or pareto.weights.are_given
    if options.engine is Engine.PARETO and is_chosen:
        return True
    return options.strategy is Strategy.SIZE


def _told(own: Placed, early: Early, taken: Placed) -> Placed:
    """What is taken, with the record of what was tried."""
    record = ArrivalsTried(
        size_bytes=early.layout.fast_bytes,
        size_bytes_before=own.layout.fast_bytes,
        cycles=early.cycles,
        cycles_before=own.prices.total.total_cycles,
        is_taken=taken is not own,
    )
    decisions = (*taken.schedule.decisions, record)
    return taken._replace(schedule=replace(taken.schedule, decisions=decisions))
