"""Parts that end with one operator: what they take, whatever the limit is.

Such parts differ in where they begin, and each that begins one operator earlier has all of the
next one: the heights of its stripes, the order in which they run, its rings. So they are found
from the last operator back, each for one operator more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.schedule.branches.ends import overlays_of
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Player
from core.schedule.branches.heights import Heights
from core.schedule.branches.tape import Tape
from core.schedule.front.crossing import Crossing
from core.schedule.front.prices import NodeCost, NodePrices
from core.schedule.problem import Node

Numbers = npt.NDArray[np.float64]

SCALES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Rows that the last operator of a part makes at once; with 0, all make as few as they can."""

FIRST_SCALES = (0, 1, 2, 4, 8, 16, 32)
"""Those that are looked at first; the others where one beside them is on the best way."""

TOO_MUCH = float("inf")

Sides = tuple[tuple[float, float], tuple[float, float]]
"""Cycles by the side of the map before a part, and of that behind it: far, then near."""


class Ground(Frozen, kw_only=False):
    """An island, as far as its parts depend on it."""

    flow: Flow
    player: Player
    crossing: Crossing
    prices: NodePrices
    nearest: frozenset[FmId]
    """All maps that may be near at some time."""

    def cost(self, node: Node, height: int, near: Collection[FmId]) -> NodeCost:
        """A node with these maps near; where all maps are in one memory, none is nearer."""
        return self.prices.of(node, height, () if self.flow.near else near)

    def least_cycles(self, node: Node, height: int) -> float:
        """Cycles of a node with all of its maps near that can be, and its weights."""
        return self.cost(node, height, self.nearest).kept_cycles


@dataclass(slots=True)
class Reel:
    """Parts with one end and stripes of one scale: what they take."""

    ground: Ground
    last: int
    heights: Heights
    tape: Tape = field(default_factory=Tape)
    rolls: list[frozenset[FmId]] = field(default_factory=list)
    """By length: the maps that pass through rings."""
    saved_bytes: list[int] = field(default_factory=list)
    """By these, of whole maps."""
    sizes: list[float] = field(default_factory=list)
    """Of all that is live."""
    _idle: set[int] = field(default_factory=set)
    """Nodes that share no ring with others: they have nothing to do in a cascade."""
    _is_out: bool = False
    """Whether a ring has more rows than somebody asked for."""

    @property
    def first(self) -> int:
        """The first node of the longest part."""
        return self.last - len(self.sizes) + 1

    def grow(self) -> None:
        """One node more, before all others."""
        ground, flow = self.ground, self.ground.flow
        first = self.last - len(self.sizes)
        node = flow.nodes[first]
        height, fm = self.heights.add(node), node.ofm.fm
        ring = flow.rolling.get(fm)
        is_rolling = ring is not None and ring.last <= self.last
        self.tape.add(ground.player.strip(node, height), is_rolling=is_rolling)
        rolls = self.rolls[-1] if self.rolls else frozenset()
        saved = self.saved_bytes[-1] if self.saved_bytes else 0
        if ring is not None and is_rolling and ring.first == first:
            asked = ground.player.asked_rows.get(fm)
            rows = min(max(self.tape.rows_of(fm), asked or 1), ring.height)
            self._is_out |= asked is not None and rows > asked
            saved += flow.saved_bytes(ring, rows)
            rolls |= {fm}
            self._idle.difference_update(flow.users_of(fm))
        if rolls.isdisjoint(node.fms) and first not in flow.problem.bonds.chains:
            self._idle.add(first)
        self.rolls.append(rolls)
        self.saved_bytes.append(saved)
        self.sizes.append(self._size_bytes(first, rolls, saved))

    def _size_bytes(self, first: int, rolls: frozenset[FmId], saved_bytes: int) -> float:
        flow = self.ground.flow
        if self._is_out or self._idle or any(each.last <= self.last for each in flow.torn[first]):
            return TOO_MUCH
        size = flow.whole_bytes(first, self.last) - saved_bytes
        if self.ground.player.lays_over and flow.near and first < self.last:
            nodes = flow.nodes[first : self.last + 1]
            overlays = overlays_of(flow.problem, flow.ends.values(), nodes, rolls, self.tape)
            size -= flow.laid_over_bytes(overlays)
        return size


class _Change(NamedTuple):
    """By how much cycles change from some length on where maps that live on are near together,
    beside what each of them changes by itself."""

    length: int
    fms: frozenset[FmId]
    cycles: float


class _AtBorder(NamedTuple):
    """By how much cycles change at one length where maps that live on are near, and so is the map
    at a border, beside what all of these change by themselves."""

    length: int
    fms: frozenset[FmId]
    sides: tuple[int | slice, int | slice]
    cycles: float


@dataclass(slots=True)
class Lane:
    """The same: what they cost, with weights kept near or not."""

    reel: Reel
    keeps_weights: bool
    length: int = 0
    kept_bytes: int = 0
    """Of weights."""
    least: list[float] = field(default_factory=list)
    """By length: cycles of its nodes with all maps near that can be."""
    ring_bytes: list[int] = field(default_factory=list)
    """What it takes at least where whole maps take nothing, however much longer it is."""
    sizes: list[float] = field(default_factory=list)
    """By length, from that of two nodes on: bytes of all that is live."""
    cycles: list[Sides] = field(default_factory=list)
    _changes: list[_Change] = field(default_factory=list)
    _at_borders: list[_AtBorder] = field(default_factory=list)
    _total: float = 0.0
    _costs: dict[int, float] = field(default_factory=dict)
    """Cycles of each node with nothing near but rings."""
    _gains: dict[int, dict[frozenset[FmId], float]] = field(default_factory=dict)
    _table: LaneTable | None = None

    @property
    def first(self) -> int:
        """The first node of the longest part."""
        return self.reel.last - self.length + 1

    def grow(self) -> None:
        """One node more, before all others."""
        reel = self.reel
        if len(reel.sizes) == self.length:
            reel.grow()
        self.length += 1
        self._table = None
        flow, first = reel.ground.flow, self.first
        before = reel.rolls[self.length - 2] if self.length > 1 else frozenset()
        node, rolls = flow.nodes[first], reel.rolls[self.length - 1]
        cost = reel.ground.cost(node, reel.heights.of[first], reel.ground.nearest)
        if self.keeps_weights:
            self.kept_bytes += cost.kept_bytes
        self.least.append((self.least[-1] if self.least else 0.0) + self._of(cost))
        self.ring_bytes.append(self.kept_bytes - reel.saved_bytes[self.length - 1])
        for index in flow.users_of(node.ofm.fm) if len(rolls) > len(before) else (first,):
            self._price(index, rolls)
        if self.length > 1:
            self._measure(rolls)

    def table(self) -> LaneTable:
        """All that is known, as arrays."""
        if self._table is None:
            cycles = np.array(self.cycles, dtype=np.float64).reshape(-1, 2, 2)
            gains: dict[frozenset[FmId], Numbers] = {}
            for each in self._changes:
                gains.setdefault(each.fms, np.zeros_like(cycles))[each.length :] += each.cycles
            for edge in self._at_borders:
                gain = gains.setdefault(edge.fms, np.zeros_like(cycles))
                gain[(edge.length, *edge.sides)] += edge.cycles
            sizes = np.array(self.sizes, dtype=np.float64)
            rings = np.array(self.ring_bytes, dtype=np.float64)
            self._table = LaneTable(np.array(self.least), rings, sizes, cycles, gains)
        return self._table

    def _of(self, cost: NodeCost) -> float:
        return cost.kept_cycles if self.keeps_weights else cost.cycles

    def _price(self, index: int, rolls: frozenset[FmId]) -> None:
        """A node, now that more of its maps roll."""
        ground, node = self.reel.ground, self.reel.ground.flow.nodes[index]
        height = self.reel.heights.of[index]

        def cycles(near: Collection[FmId]) -> float:
            return self._of(ground.cost(node, height, near))

        cost = cycles(rolls)
        self._total += cost - self._costs.get(index, 0.0)
        self._costs[index] = cost
        gains = _together(cycles, rolls, ground.crossing.lasting, node)
        before = self._gains.get(index)
        if not gains and not before:
            return
        self._gains[index] = gains
        before = before or {}
        for fms in (*gains, *(fms for fms in before if fms not in gains)):
            change = gains.get(fms, 0.0) - before.get(fms, 0.0)
            if change:
                self._changes.append(_Change(len(self.sizes), fms, change))

    def _measure(self, rolls: frozenset[FmId]) -> None:
        """The part that begins with the node that was added last."""
        first, last, total = self.first, self.reel.last, self._total
        self.sizes.append(self.reel.sizes[self.length - 1] + self.kept_bytes)
        begins = self._at_border(first, first, rolls, (1, slice(None)))
        ends = self._at_border(last, last + 1, rolls, (slice(None), 1))
        self.cycles.append(((total, total + ends), (total + begins, total + begins + ends)))

    def _at_border(
        self,
        index: int,
        border: int,
        rolls: frozenset[FmId],
        sides: tuple[int | slice, int | slice],
    ) -> float:
        """By how much the cycles of a node change where the map at a border is near."""
        ground = self.reel.ground
        fm = ground.crossing.at[border]
        if fm is None:
            return TOO_MUCH
        node, height = ground.flow.nodes[index], self.reel.heights.of[index]

        def gain(near: Collection[FmId]) -> float:
            with_fm, without = (ground.cost(node, height, fms) for fms in ({*near, fm}, near))
            return self._of(with_fm) - self._of(without)

        length = len(self.sizes) - 1
        self._at_borders += [
            _AtBorder(length, fms, sides, each)
            for fms, each in _together(gain, rolls, ground.crossing.lasting, node).items()
            if each
        ]
        return gain(rolls)


def _together(
    value: Callable[[Collection[FmId]], float],
    rolls: frozenset[FmId],
    lasting: frozenset[FmId],
    node: Node,
) -> dict[frozenset[FmId], float]:
    """What maps of a node that live on add to a value, each set beside what its parts do."""
    own = [fm for fm in dict.fromkeys(node.fms) if fm in lasting and fm not in rolls]
    if not own:
        return {}
    found: dict[frozenset[FmId], float] = {}
    base = value(rolls)
    for count in range(1, len(own) + 1):
        for some in combinations(own, count):
            fms = frozenset(some)
            parts = sum(gain for part, gain in found.items() if part < fms)
            found[fms] = value(rolls | fms) - base - parts
    return found


class LaneTable(NamedTuple):
    """Parts of one lane by length."""

    least: Numbers
    rings: Numbers
    sizes: Numbers
    cycles: Numbers
    """By both sides too."""
    gains: dict[frozenset[FmId], Numbers]
    """Cycles that maps change which live on, where they are near."""

    def with_near(self, near: frozenset[FmId], count: int) -> Numbers:
        """Cycles of the shortest parts with some maps near that live on."""
        cycles = self.cycles[:count]
        for fms, gain in self.gains.items():
            if fms <= near:
                cycles = cycles + gain[:count]
        return cycles


@dataclass(slots=True)
class Ending:
    """Parts of two nodes and more that end with one node, as far back as somebody has asked."""

    ground: Ground
    last: int
    _lanes: dict[int, list[Lane]] = field(default_factory=dict)

    def lanes(self, scale: int) -> list[Lane]:
        """Parts in stripes of a scale; those of a lower one where they are the same."""
        if scale not in self._lanes:
            place = SCALES.index(scale)
            below = SCALES[place - 1] if place > 1 else None
            if below is not None and self._height(scale) == self._height(below):
                self._lanes[scale] = self.lanes(below)
            else:
                self._lanes[scale] = self._begun(scale)
        return self._lanes[scale]

    def lanes_beside(self, lane: Lane) -> list[Lane]:
        """Those of the scales next to one that are not looked at first."""
        own = lane.reel.heights.scale
        first = max((each for each in FIRST_SCALES if each < own), default=0)
        end = min((each for each in FIRST_SCALES if each > own), default=SCALES[-1])
        return [each for scale in SCALES if first < scale < end for each in self.lanes(scale)]

    def _height(self, scale: int) -> int:
        """Rows that the last node makes at once."""
        heights = Heights(scale, self.ground.player.asked_heights)
        return heights.add(self.ground.flow.nodes[self.last])

    def _begun(self, scale: int) -> list[Lane]:
        reel = Reel(self.ground, self.last, Heights(scale, self.ground.player.asked_heights))
        ways = (False, True) if self.ground.prices.compares_weights else (False,)
        lanes = [Lane(reel, keeps_weights) for keeps_weights in ways]
        for lane in lanes:
            lane.grow()
        return lanes
