"""What an island costs: its commands in their order, told to the clock.

Nothing has an address yet. What waits for what is assumed to be what addresses will ask for: a
buffer that is filled early overwrites nothing that an operation before it needs, and one that is
not waits for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby

from core.base.frozen import Changing, Frozen, NamedTuple, field
from core.base.ids import NpuOpId
from core.cost.ahead import Arrival, Arrivals, Step
from core.cost.clock import Told, Turn, clock
from core.cost.operators import network_cost
from core.cost.overlaps import Assumed, Laid, Overlaps
from core.cost.script import Left, Script
from core.cost.spent import Cycles, Sums, cycles_of_operator
from core.cost.stripes import MapOf, OperationsKey, StripePrices
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.layout import MemoryLayout
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, brought_ahead, steps_of
from core.target.tables import NO_TABLES, SlotState


def schedule_cost(
    prices: StripePrices, schedule: Schedule, layout: MemoryLayout | None
) -> tuple[tuple[OperatorCost, ...], NetworkCost]:
    """The cost of each operator, and of all of them; without addresses, overlaps are assumed."""
    map_of = schedule.maps.__getitem__
    overlaps = _overlaps(prices, map_of, layout)
    costs = {
        plan.op: cost
        for island in schedule.islands
        for plan, cost in zip(
            island.ops,
            costs_of_commands(prices, island.ops, map_of, overlaps),
            strict=True,
        )
    }
    by_op = [costs[op] for op in sorted(costs)]
    return tuple(by_op), network_cost(prices.model.rates, by_op)


def schedule_cycles(prices: StripePrices, schedule: Schedule, layout: MemoryLayout | None) -> float:
    """The total of `schedule_cost` alone, which takes less time."""
    map_of = schedule.maps.__getitem__
    overlaps = _overlaps(prices, map_of, layout)
    scripts = [_script_of(prices, island.ops, map_of, overlaps) for island in schedule.islands]
    return math.fsum(cycles for script in scripts for cycles in script.cycles())


def _overlaps(prices: StripePrices, map_of: MapOf, layout: MemoryLayout | None) -> Overlaps:
    return Assumed(prices.graph, map_of) if layout is None else Laid(prices.graph, layout)


def costs_of_commands(
    prices: StripePrices,
    plans: Sequence[OpPlan],
    map_of: MapOf,
    overlaps: Overlaps | None = None,
) -> list[OperatorCost]:
    """The cost of each operator of an island; without addresses, overlaps are assumed."""
    return _script_of(prices, plans, map_of, overlaps or Assumed(prices.graph, map_of)).costs()


def _script_of(
    prices: StripePrices, plans: Sequence[OpPlan], map_of: MapOf, overlaps: Overlaps
) -> Script:
    script = Script(prices, map_of, overlaps)
    steps = tuple(steps_of(plans))
    members = {plan.op: script.member(plan) for plan in plans}
    ahead = brought_ahead(steps)
    for number, step in enumerate(steps):
        for plan in ahead.get(number, ()):
            script.bring_ahead(members[plan.op])
        script.run([members[plan.op] for plan in step])
    return script


class Steps(Changing):
    """The steps of islands that differ in how weights arrive and in nothing else: each is told once
    beside what may still run before it."""

    prices: StripePrices
    map_of: MapOf
    overlaps: Overlaps
    _told: dict[Hashable, _StepTold] = field(default_factory=dict)

    def arrivals(self, island: IslandSchedule) -> Arrivals:
        """What the clock is told of an island, apart from what may come ahead."""
        before, steps = _NOTHING_BEFORE, list[Step]()
        for plans in steps_of(island.ops):
            question = before, tuple([(plan.op, plan.weights) for plan in plans])
            told = self._told.get(question)
            if told is None:
                told = self._told[question] = self._tell(plans, before)
            steps.append(told.step)
            before = told.left
        concurrency = self.prices.model.target.accelerator.family.concurrency
        return Arrivals(tuple(steps), concurrency)

    def _tell(self, plans: Sequence[OpPlan], before: Left) -> _StepTold:
        script = Script(self.prices, self.map_of, self.overlaps)
        script.go_on(before)
        return _StepTold(_step(script, plans), script.left)


class _StepTold(NamedTuple):
    """A step, and what it leaves to the next one."""

    step: Step
    left: Left


_NOTHING_BEFORE = Left(running=(), slots=NO_TABLES)


def _step(script: Script, plans: Sequence[OpPlan]) -> Step:
    told = script.step([script.member(plan) for plan in plans])
    plan, weights = plans[0], plans[0].weights
    if plan.cascade is not None or weights is None or not weights.is_prefetched:
        return Step(None, told)
    first = next(place for place, each in enumerate(told) if each.turn is Turn.TRANSFER)
    # Where a table comes besides, that is what is waited for.
    rest = told[first + 1 :]
    is_waited_for = rest[0].turn is Turn.AWAIT_TRANSFERS
    return Step(Arrival(plan.op, told[first]), rest[is_waited_for:])


def _groups(cascades: Sequence[int | None]) -> Iterator[slice]:
    """Cascades, and operators that are in none, given whose cascade each operator is in."""
    first = 0
    for cascade, group in groupby(cascades):
        end = first + sum(1 for _ in group)
        if cascade is not None:
            yield slice(first, end)
        else:
            yield from (slice(place, place + 1) for place in range(first, end))
        first = end


class Entry(Frozen, kw_only=False):
    """An operator in the order of its island, as far as its price depends on it."""

    op: NpuOpId
    operations: OperationsKey
    cascade: int | None
    """Any number that is the same for those in one cascade."""
    is_rolling: bool
    """Whether its map goes through a ring."""


class Scene(Frozen, kw_only=False):
    """A group of operators, and all of what ran before that its commands depend on."""

    members: tuple[OperationsKey, ...]
    cascaded: tuple[tuple[NpuOpId, bool], ...]
    """Of a cascade: who is in it and whose map rolls, on which the order of stripes depends."""
    running: int
    """Operations that may still run, at most as many as there can be."""
    slots: SlotState


class Piece(Frozen, kw_only=False):
    """The commands of a group of operators, and what they leave to those after them."""

    number: int
    told: tuple[Told, ...]
    owners: tuple[int, ...]
    """By command: whose of the group it is; below 0 where it is nobody's."""
    sums: tuple[Sums, ...]
    """By operator."""
    running: int
    slots: SlotState


def _piece(script: Script, group: Sequence[OpPlan], number: int) -> Piece:
    members = [script.member(plan) for plan in group]
    script.run(members)
    places = {id(member): place for place, member in enumerate(members)}
    left = script.left
    return Piece(
        number=number,
        told=tuple(script.told),
        owners=tuple(-1 if owner is None else places[id(owner)] for owner in script.owners),
        sums=tuple(member.work.sums for member in members),
        running=len(left.running),
        slots=left.slots,
    )


class Pieces(Changing):
    """Prices of finished islands; their pieces are found once, and so is each row of pieces."""

    prices: StripePrices
    _pieces: dict[Scene, Piece] = field(default_factory=dict)
    _cycles: dict[tuple[int, ...], Cycles] = field(default_factory=dict)

    def cycles(
        self, entries: Sequence[Entry], plans: Callable[[], Sequence[OpPlan]], map_of: MapOf
    ) -> Cycles:
        """The sum of the cycles of `costs_of_commands`, without addresses; plans are asked for only
        where some piece is not known."""
        pieces = list(self._row(entries, plans, map_of))
        key = tuple([piece.number for piece in pieces])
        known = self._cycles.get(key)
        if known is None:
            known = self._cycles[key] = self._sum(pieces)
        return known

    def _row(
        self, entries: Sequence[Entry], plans: Callable[[], Sequence[OpPlan]], map_of: MapOf
    ) -> Iterator[Piece]:
        made: Sequence[OpPlan] = ()
        running, slots = 0, NO_TABLES
        for group in _groups([entry.cascade for entry in entries]):
            own = entries[group]
            cascaded: tuple[tuple[NpuOpId, bool], ...] = ()
            if own[0].cascade is not None:
                cascaded = tuple([(entry.op, entry.is_rolling) for entry in own])
            members = tuple([entry.operations for entry in own])
            scene = Scene(members, cascaded, running, slots)
            piece = self._pieces.get(scene)
            if piece is None:
                made = made or plans()
                before = made[max(group.start - 1, 0)]
                script = Script(self.prices, map_of, Assumed(self.prices.graph, map_of))
                # Of others that ran before, the number matters, but not who they are.
                script.go_on(Left(running=((before, 0),) * running, slots=slots))
                piece = _piece(script, made[group], len(self._pieces))
                self._pieces[scene] = piece
            yield piece
            running, slots = piece.running, piece.slots

    def _sum(self, pieces: Sequence[Piece]) -> Cycles:
        told: list[Told] = []
        owners: list[int] = []
        sums: list[Sums] = []
        for piece in pieces:
            first = len(sums)
            told += piece.told
            owners += [owner if owner < 0 else first + owner for owner in piece.owners]
            sums += piece.sums
        ticks = clock(self.prices.model.target.accelerator.family.concurrency, told)
        waits, lasts = [0.0] * len(sums), [0.0] * len(sums)
        for owner, free, start, end in zip(owners, ticks.free, ticks.start, ticks.end, strict=True):
            if owner >= 0:
                waits[owner] += start - free
                lasts[owner] += end - free
        found = [
            cycles_of_operator(each, waits=wait, lasts=last)
            for each, wait, last in zip(sums, waits, lasts, strict=True)
        ]
        return Cycles(
            math.fsum(cycles.total for cycles in found), math.fsum(cycles.dram for cycles in found)
        )
