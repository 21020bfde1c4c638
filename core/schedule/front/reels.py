"""Parts that end with one operator and have stripes of one scale: what they take and cost.

Such parts differ in where they begin, and each that begins one operator earlier has all of the
next one: the heights of its stripes, the order in which they run, its rings. So they are found
from the last operator back, each for one operator more.
"""

from __future__ import annotations

from core.base.frozen import Changing, field
from core.base.ids import FmId
from core.schedule.branches.heights import Heights
from core.schedule.branches.tape import Tape
from core.schedule.front.ground import NO_GAIN, TOO_MUCH, Gains, Ground, Share, TwoWays
from core.schedule.problem import Node


class Reel(Changing):
    """The longest of these parts that somebody has asked for, and what all shorter ones take."""

    ground: Ground
    last: int
    heights: Heights
    rolls: frozenset[FmId] = frozenset()
    """The maps that pass through rings."""
    sizes: list[float] = field(default_factory=list)
    """By length: of all that is live but weights."""
    least: TwoWays = NO_GAIN
    """Cycles with all maps near that can be."""
    kept_bytes: int = 0
    """Of weights that stay near."""
    saved_bytes: int = 0
    """By rings, of whole maps."""
    cycles: TwoWays = NO_GAIN
    """Of the longest that can be, with nothing near but rings."""
    gains: Gains = field(default_factory=dict)
    """What maps change that live on."""
    _changed: dict[frozenset[FmId], None] = field(default_factory=dict)
    """Of gains, those that may have become others since somebody has asked."""
    _shares: dict[int, Share] = field(default_factory=dict)
    _unpriced: set[int] = field(default_factory=set)
    """Nodes, until there is a part of two that can be: alone they cost what others say."""
    _tape: Tape | None = None
    """While the reel grows."""
    _idle: set[int] = field(default_factory=set)
    """Nodes that share no ring with others: they have nothing to do in a cascade."""
    _is_out: bool = False
    """Whether a ring has more rows than somebody asked for."""

    @property
    def length(self) -> int:
        """How many nodes the longest part has."""
        return len(self.sizes)

    @property
    def rings(self) -> tuple[int, int]:
        """Bytes that parts take at least where whole maps take nothing, however much longer they
        are."""
        return -self.saved_bytes, self.kept_bytes - self.saved_bytes

    @property
    def is_possible(self) -> bool:
        """Whether the longest part can be: no ring is torn, and no node idle."""
        return self.sizes[-1] < TOO_MUCH

    @property
    def first(self) -> int:
        """The first node of the longest part."""
        return self.last - self.length + 1

    def grow(self) -> None:
        """One node more, before all others."""
        ground, flow = self.ground, self.ground.flow
        first = self.last - self.length
        node = flow.nodes[first]
        tape = self._tape = self._tape or self._played()
        height, fm = self.heights.add(node), node.ofm.fm
        ring = flow.rolling.get(fm)
        is_rolling = ring is not None and ring.last <= self.last
        tape.add(ground.player.strip(node, height), is_rolling=is_rolling)
        changed: tuple[int, ...] = (first,)
        if ring is not None and is_rolling and ring.first == first:
            asked = ground.player.asked_rows.get(fm)
            rows = min(max(tape.rows_of(fm), asked or 1), ring.height)
            self._is_out |= asked is not None and rows > asked
            self.saved_bytes += flow.saved_bytes(ring, rows)
            self.rolls |= {fm}
            changed = flow.users_of(fm)
            self._idle.difference_update(changed)
        if self.rolls.isdisjoint(node.fms) and first not in flow.problem.bonds.chains:
            self._idle.add(first)
        self.sizes.append(self._size_bytes(first, tape))
        nearest = ground.nearest_cost(node, height)
        direct, kept = self.least
        self.least = direct + nearest.cycles, kept + nearest.kept_cycles
        self.kept_bytes += nearest.kept_bytes
        self._unpriced.update(changed)
        if self.is_possible and self.length > 1:
            for index in sorted(self._unpriced):
                self._price(flow.nodes[index])
            self._unpriced.clear()

    def rest(self) -> None:
        """Let go of what is needed to grow, and soon made again."""
        self._tape = None

    def _played(self) -> Tape:
        """The nodes so far, in the order in which their stripes run."""
        flow, tape = self.ground.flow, Tape()
        for node in reversed(flow.nodes[self.first : self.last + 1]):
            ring = flow.rolling.get(node.ofm.fm)
            strip = self.ground.player.strip(node, self.heights.of[node.index])
            tape.add(strip, is_rolling=ring is not None and ring.last <= self.last)
        return tape

    def at_border(self, index: int, border: int) -> Share:
        """What the map at a border of the longest part changes where it is near, beside a node."""
        node, height = self.ground.flow.nodes[index], self.heights.of[index]
        return self.ground.at_border(node, border, height, self.rolls)

    def changed_gains(self, *borders: Share) -> tuple[frozenset[FmId], ...]:
        """The maps that may change something else than in the part before, given what maps at the
        borders do."""
        at_borders = dict.fromkeys(fms for border in borders for fms in border.gains)
        found = (*self._changed, *at_borders)
        # What they do at these borders, they do no more where a part is longer.
        self._changed = at_borders
        return tuple(dict.fromkeys(found))

    def _price(self, node: Node) -> None:
        """A node, now that more of its maps roll."""
        share = self.ground.share(node, self.heights.of[node.index], self.rolls)
        before = self._shares.get(node.index)
        self._shares[node.index] = share
        direct, kept = self.cycles
        self.cycles = direct + share.cycles[0], kept + share.cycles[1]
        if before is not None:
            self.cycles = self.cycles[0] - before.cycles[0], self.cycles[1] - before.cycles[1]
            for fms, (less, less_kept) in before.gains.items():
                direct, kept = self.gains[fms]
                self.gains[fms] = direct - less, kept - less_kept
                self._changed[fms] = None
        for fms, (more, more_kept) in share.gains.items():
            direct, kept = self.gains.get(fms, NO_GAIN)
            self.gains[fms] = direct + more, kept + more_kept
            self._changed[fms] = None

    def _size_bytes(self, first: int, tape: Tape) -> float:
        flow = self.ground.flow
        if self._is_out or self._idle or any(each.last <= self.last for each in flow.torn[first]):
            return TOO_MUCH
        size = flow.whole_bytes(first, self.last) - self.saved_bytes
        if self.ground.player.lays_over and flow.near and first < self.last:
            overlays = flow.ends.overlays(first, self.last, self.rolls, tape)
            size -= flow.laid_over_bytes(overlays)
        return size
