"""What an island costs: its commands in their order, told to the clock.

Nothing has an address yet. What waits for what is assumed to be what addresses will ask for: a
buffer that is filled early overwrites nothing that an operation before it needs, and one that is
not waits for all of them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from core.base.frozen import Changing, Frozen, field
from core.base.geometry import round_up
from core.base.ids import NpuOpId
from core.cost.ahead import Arrival, Arrivals, Step
from core.cost.by_place import Operations
from core.cost.clock import Told, Turn, clock
from core.cost.from_graph import uses_table
from core.cost.network import network_cost
from core.cost.overlaps import Assumed, Laid, Overlaps, Use
from core.cost.spent import (
    Cycles,
    Run,
    Spent,
    Sums,
    cost_of_commands,
    cycles_of_operator,
    operation_told,
    summed,
    transfer_spent,
    transfer_told,
)
from core.cost.stripes import MapOf, OperationsKey, StripePrices
from core.ir.cost import Direction, NetworkCost, OperatorCost, Purpose
from core.ir.layout import MemoryLayout
from core.ir.npugraph import NpuOp, OpKind
from core.ir.schedule import IslandSchedule, OpPlan, Schedule, brought_ahead, steps_of
from core.liveness.stripes import order_of, player_of
from core.target.format import ALIGNMENT_BYTES
from core.target.region import memory_of
from core.target.tables import NO_TABLES, SlotState, TableSlots
from core.target.target import Area


def schedule_cost(
    prices: StripePrices, schedule: Schedule, layout: MemoryLayout | None
) -> tuple[tuple[OperatorCost, ...], NetworkCost]:
    """The cost of each operator, and of all of them; without addresses, overlaps are assumed."""
    overlaps = None if layout is None else Laid(prices.graph, layout)
    costs = {
        plan.op: cost
        for island in schedule.islands
        for plan, cost in zip(
            island.ops,
            costs_of_commands(prices, island.ops, schedule.maps.__getitem__, overlaps),
            strict=True,
        )
    }
    by_op = [costs[op] for op in sorted(costs)]
    return tuple(by_op), network_cost(prices.model.rates, by_op)


def costs_of_commands(
    prices: StripePrices,
    plans: Sequence[OpPlan],
    map_of: MapOf,
    overlaps: Overlaps | None = None,
) -> list[OperatorCost]:
    """The cost of each operator of an island; without addresses, overlaps are assumed."""
    script = _Script(prices, map_of, overlaps or Assumed(prices.graph, map_of))
    steps = tuple(steps_of(plans))
    members = {plan.op: script.member(plan) for plan in plans}
    ahead = brought_ahead(steps)
    for number, step in enumerate(steps):
        for plan in ahead.get(number, ()):
            script.bring_ahead(members[plan.op])
        script.run([members[plan.op] for plan in step])
    return script.costs()


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

    def _tell(self, plans: Sequence[OpPlan], before: _Left) -> _StepTold:
        script = _Script(self.prices, self.map_of, self.overlaps)
        script.go_on(before)
        return _StepTold(_step(script, plans), script.left)


class _Left(Frozen, cache_hash=True):
    """What may still run when a step begins, and what is in tables' slots."""

    running: tuple[_Running, ...]
    """The oldest first."""
    slots: SlotState


class _StepTold(NamedTuple):
    """A step, and what it leaves to the next one."""

    step: Step
    left: _Left


_NOTHING_BEFORE = _Left(running=(), slots=NO_TABLES)


def _step(script: _Script, plans: Sequence[OpPlan]) -> Step:
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
                script = _Script(self.prices, map_of, Assumed(self.prices.graph, map_of))
                script.after(made[max(group.start - 1, 0)], scene)
                piece = self._pieces[scene] = script.piece(made[group], len(self._pieces))
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


_Running = tuple[OpPlan, int]
"""An operator, and which slice of its weights it may still read."""


class _Member(Changing):
    """An operator, and what it has brought so far."""

    plan: OpPlan
    op: NpuOp
    work: Operations
    held: dict[int, int] = field(default_factory=dict)
    """By weight buffer: the slice that is in it."""
    loads: list[Spent] = field(default_factory=list)
    lasts: float = 0.0
    waits: float = 0.0
    awaited: int | None = None
    """Of its first slice, which came ahead and has not been waited for: its number among all
    transfers."""

    @property
    def buffers(self) -> tuple[int, ...]:
        """Its weight buffers."""
        return self.plan.weights.buffer_bytes if self.plan.weights is not None else ()

    @property
    def slices(self) -> int:
        """Into how many slices its weights are cut."""
        return len(self.plan.weights.slice_bytes) if self.plan.weights is not None else 1


class _Script:
    """The commands of an island, and whose they are."""

    def __init__(self, prices: StripePrices, map_of: MapOf, overlaps: Overlaps) -> None:
        self._overlaps = overlaps
        self._prices = prices
        self._graph = prices.graph
        self._rates = prices.model.rates
        self._target = prices.model.target
        self._map_of = map_of
        self._slots = TableSlots(self._target.accelerator.tables)
        self._members: list[_Member] = []
        self._told: list[Told] = []
        kernels = self._target.accelerator.family.concurrency.kernels
        self._running: deque[_Running] = deque(maxlen=kernels)
        self._owners: list[_Member | None] = []
        self._transfers = 0

    def after(self, before: OpPlan, scene: Scene) -> None:
        """Let others have run; of these their number matters, but not who they are."""
        self.go_on(_Left(running=((before, 0),) * scene.running, slots=scene.slots))

    def go_on(self, left: _Left) -> None:
        """Let what is left of others run on."""
        self._running += left.running
        self._slots = TableSlots.of(self._slots.memory, left.slots)

    @property
    def left(self) -> _Left:
        """What may still run."""
        return _Left(running=tuple(self._running), slots=self._slots.state)

    def piece(self, group: Sequence[OpPlan], number: int) -> Piece:
        """The commands of a group."""
        members = [self.member(plan) for plan in group]
        self.run(members)
        places = {id(member): place for place, member in enumerate(members)}
        return Piece(
            number=number,
            told=tuple(self._told),
            owners=tuple(-1 if owner is None else places[id(owner)] for owner in self._owners),
            sums=tuple(member.work.sums for member in members),
            running=len(self._running),
            slots=self._slots.state,
        )

    def member(self, plan: OpPlan) -> _Member:
        """The next operator."""
        op = self._graph.ops[plan.op]
        if op.kind is OpKind.COPY:
            work = self._copy(op)
        else:
            height = plan.stripe.ofm.h
            work = self._prices.of(op, height, plan.block, plan.weights, self._map_of)
        found = _Member(plan, op, work)
        self._members.append(found)
        return found

    def _copy(self, op: NpuOp) -> Operations:
        """The one transfer of a copy; bytes that are where they should be need none."""
        if self._overlaps.is_in_place(op.ifm.fm, op.ofm.fm):
            return Operations((), summed(()))
        bits = self._graph.fm(op.ofm).dtype.bits
        size = round_up(op.ofm.touched.elements * bits // 8, ALIGNMENT_BYTES)
        ends = {
            way: memory_of(self._target, self._map_of(view.fm).region).area
            for way, view in ((Direction.READ, op.ifm), (Direction.WRITE, op.ofm))
        }
        cycles = self._rates.copy_cycles(ends[Direction.READ], ends[Direction.WRITE], size)
        spent = transfer_spent(self._rates, cycles, size, Purpose.FEATURE_MAP, ends)
        return Operations(((spent,),), summed((Run(spent, 1),)))

    def run(self, members: Sequence[_Member]) -> None:
        """Operators that run stripe by stripe, or a single one."""
        if len(members) == 1 and len(members[0].work.stripes) == 1:
            self._stripe(members[0], 0)
            return
        players = [
            player_of(
                member.op,
                member.plan.stripe.ofm.h,
                is_rolling=self._map_of(member.op.ofm.fm).rolling is not None,
            )
            for member in members
        ]
        started, done = 0, [0] * len(members)
        for place, stripe in order_of(players):
            self._stripe(members[place], stripe)
            started += stripe == 0
            done[place] += 1
            if started == len(members) and not self._brings_again(members):
                break
        left = [
            list(member.work.stripes[first:]) for member, first in zip(members, done, strict=True)
        ]
        # Nothing is brought beside what is left, so only of the last stripe the place matters.
        last = left[-1].pop() if left[-1] else ()
        for member, stripes_left in zip((*members, members[-1]), (*left, [last]), strict=True):
            costs = [spent for stripe in stripes_left for spent in stripe]
            if costs:
                self._operate(member, costs)

    def step(self, members: Sequence[_Member]) -> tuple[Told, ...]:
        """What the clock is told of one step."""
        first = len(self._told)
        self.run(members)
        return tuple(self._told[first:])

    def bring_ahead(self, member: _Member) -> None:
        """The transfer of the first slice, while others run."""
        if self._bring_weights(member, 0):
            member.awaited = self._transfers

    def _brings_again(self, members: Sequence[_Member]) -> bool:
        """Whether stripes after the first need what others have taken the place of."""
        uses_tables = any(uses_table(member.op) for member in members)
        if uses_tables and not self._slots.memory.is_apart:
            return True
        return any(0 < len(member.buffers) < member.slices for member in members)

    def _stripe(self, member: _Member, stripe: int) -> None:
        if member.op.kind is OpKind.COPY:
            if member.work.stripes:
                self._tell(member, Told(Turn.COPY, member.work.sums.cycles))
            return
        for number, spent in enumerate(member.work.stripes[stripe]):
            is_brought = self._bring_weights(member, number)
            is_brought |= self._bring_table(member)
            if is_brought:
                self._tell(None, Told(Turn.AWAIT_TRANSFERS))
            elif member.awaited is not None:
                later = self._transfers - member.awaited
                self._tell(None, Told(Turn.AWAIT_TRANSFERS, outstanding=later))
            member.awaited = None
            self._operate(member, (spent,), number)

    def _bring_weights(self, member: _Member, number: int) -> bool:
        """The transfer of a slice, unless it is there or needs none."""
        weights = member.plan.weights
        if weights is None or not member.buffers:
            return False
        buffer = number % len(member.buffers)
        if member.held.get(buffer) == number:
            return False
        self._await_place(member, number, buffer)
        member.held[buffer] = number
        ends = {
            Direction.READ: self._target.permanent.area,
            Direction.WRITE: self._target.fast.area,
        }
        self._transfer(member, weights.slice_bytes[number], Purpose.WEIGHTS, ends)
        return True

    def _await_place(self, member: _Member, number: int, buffer: int) -> None:
        """Wait until what was read from a buffer, or lay in its place, is done with."""
        if buffer in member.held:
            self._tell(None, Told(Turn.AWAIT_OPERATIONS, outstanding=len(member.buffers) - 1))
            return
        brought = Use.of(member.plan, number)
        for newer, (before, read) in enumerate(reversed(self._running)):
            cascade = before.cascade
            is_beside = before.op == member.op.id or cascade is member.plan.cascade is not None
            if not is_beside and self._overlaps.disturbs(brought, Use.of(before, read)):
                self._tell(None, Told(Turn.AWAIT_OPERATIONS, outstanding=newer))
                return

    def _bring_table(self, member: _Member) -> bool:
        """The transfer of a look-up table, unless it is there."""
        table = member.op.activation.table if member.op.activation is not None else None
        if table is None:
            self._slots.forget_without_table()
            return False
        if self._slots.take(table.digest, table.size_bytes) is None:
            return False
        if not self._slots.memory.is_apart:
            self._tell(None, Told(Turn.AWAIT_OPERATIONS))
        size = round_up(table.size_bytes, ALIGNMENT_BYTES)
        self._transfer(member, size, Purpose.TABLE, {Direction.READ: self._target.permanent.area})
        return True

    def _transfer(
        self, member: _Member, size: int, purpose: Purpose, ends: dict[Direction, Area]
    ) -> None:
        source, goal = ends[Direction.READ], ends.get(Direction.WRITE)
        if goal is None:
            cycles = self._rates.table_cycles(source, size)
        else:
            cycles = self._rates.copy_cycles(source, goal, size)
        spent = transfer_spent(self._rates, cycles, size, purpose, ends)
        member.loads.append(spent)
        self._transfers += 1
        self._tell(None, transfer_told(spent))

    def _operate(self, member: _Member, costs: Sequence[Spent], number: int = 0) -> None:
        self._running.append((member.plan, number))
        self._tell(member, operation_told(costs))

    def _tell(self, member: _Member | None, told: Told) -> None:
        self._told.append(told)
        self._owners.append(member)

    def costs(self) -> list[OperatorCost]:
        """The cost of each operator."""
        ticks = clock(self._target.accelerator.family.concurrency, self._told)
        for owner, free, start, end in zip(
            self._owners, ticks.free, ticks.start, ticks.end, strict=True
        ):
            if owner is not None:
                owner.waits += start - free
                owner.lasts += end - free
        return [
            cost_of_commands(member.work.sums, member.loads, waits=member.waits, lasts=member.lasts)
            for member in self._members
        ]
