"""The commands of an island as they are told, and whose they are: the clock says what each takes.

Nothing needs an address. What waits for what is as overlaps say: those of addresses, or those that
addresses will have.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from core.base.frozen import Changing, Frozen, field
from core.base.geometry import round_up
from core.cost.by_place import Operations
from core.cost.clock import Told, Turn, clock
from core.cost.from_graph import uses_table
from core.cost.overlaps import Overlaps, Use
from core.cost.spent import (
    Run,
    Spent,
    cost_of_commands,
    cycles_of_operator,
    operation_told,
    summed,
    transfer_spent,
    transfer_told,
)
from core.cost.stripes import MapOf, StripePrices
from core.ir.cost import Direction, OperatorCost, Purpose
from core.ir.npugraph import NpuOp, OpKind
from core.ir.schedule import OpPlan
from core.liveness.stripes import order_of, player_of
from core.target.format import ALIGNMENT_BYTES
from core.target.region import memory_of
from core.target.tables import SlotState, TableSlots
from core.target.target import Area

Running = tuple[OpPlan, int]
"""An operator, and which slice of its weights it may still read."""


class Left(Frozen, cache_hash=True):
    """What may still run when a step begins, and what is in tables' slots."""

    running: tuple[Running, ...]
    """The oldest first."""
    slots: SlotState


class Member(Changing):
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


class Script:
    """The commands of an island, and whose they are."""

    def __init__(self, prices: StripePrices, map_of: MapOf, overlaps: Overlaps) -> None:
        self._overlaps = overlaps
        self._prices = prices
        self._graph = prices.graph
        self._rates = prices.model.rates
        self._target = prices.model.target
        self._map_of = map_of
        self._slots = TableSlots(self._target.accelerator.tables)
        self._members: list[Member] = []
        self.told: list[Told] = []
        """What the clock is told."""
        kernels = self._target.accelerator.family.concurrency.kernels
        self._running: deque[Running] = deque(maxlen=kernels)
        self.owners: list[Member | None] = []
        """By command, if it is an operator's."""
        self._transfers = 0

    def go_on(self, left: Left) -> None:
        """Let what is left of others run on."""
        self._running += left.running
        self._slots = TableSlots.of(self._slots.memory, left.slots)

    @property
    def left(self) -> Left:
        """What may still run."""
        return Left(running=tuple(self._running), slots=self._slots.state)

    def member(self, plan: OpPlan) -> Member:
        """The next operator."""
        op = self._graph.ops[plan.op]
        if op.kind is OpKind.COPY:
            work = self._copy(op)
        else:
            height = plan.stripe.ofm.h
            work = self._prices.of(op, height, plan.block, plan.weights, self._map_of)
        found = Member(plan, op, work)
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

    def run(self, members: Sequence[Member]) -> None:
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

    def step(self, members: Sequence[Member]) -> tuple[Told, ...]:
        """What the clock is told of one step."""
        first = len(self.told)
        self.run(members)
        return tuple(self.told[first:])

    def bring_ahead(self, member: Member) -> None:
        """The transfer of the first slice, while others run."""
        if self._bring_weights(member, 0):
            member.awaited = self._transfers

    def _brings_again(self, members: Sequence[Member]) -> bool:
        """Whether stripes after the first need what others have taken the place of."""
        uses_tables = any(uses_table(member.op) for member in members)
        if uses_tables and not self._slots.memory.is_apart:
            return True
        return any(0 < len(member.buffers) < member.slices for member in members)

    def _stripe(self, member: Member, stripe: int) -> None:
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

    def _bring_weights(self, member: Member, number: int) -> bool:
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

    def _await_place(self, member: Member, number: int, buffer: int) -> None:
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

    def _bring_table(self, member: Member) -> bool:
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
        self, member: Member, size: int, purpose: Purpose, ends: dict[Direction, Area]
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

    def _operate(self, member: Member, costs: Sequence[Spent], number: int = 0) -> None:
        self._running.append((member.plan, number))
        self._tell(member, operation_told(costs))

    def _tell(self, member: Member | None, told: Told) -> None:
        self.told.append(told)
        self.owners.append(member)

    def costs(self) -> list[OperatorCost]:
        """The cost of each operator."""
        self._keep_time()
        return [
            cost_of_commands(member.work.sums, member.loads, waits=member.waits, lasts=member.lasts)
            for member in self._members
        ]

    def cycles(self) -> list[float]:
        """The cycles of each operator."""
        self._keep_time()
        return [
            cycles_of_operator(member.work.sums, waits=member.waits, lasts=member.lasts).total
            for member in self._members
        ]

    def _keep_time(self) -> None:
        """Tell each operator for how long it waits, and how long it lasts."""
        ticks = clock(self._target.accelerator.family.concurrency, self.told)
        for owner, free, start, end in zip(
            self.owners, ticks.free, ticks.start, ticks.end, strict=True
        ):
            if owner is not None:
                owner.waits += start - free
                owner.lasts += end - free
