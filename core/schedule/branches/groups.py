"""Which operators run together: parts of the order, found by dynamic programming.

Whole maps beside a part do not depend on how the rest is cut, so the best cuts up to each operator
are part of the best cuts of all. Rows are played only for parts that a bound has not ruled out: a
part is taken to need what its windows need at least, until it is on the best way and is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field
from core.base.ids import FmId, NpuOpId
from core.base.progress import Progress
from core.ir.schedule import Overlay
from core.liveness.stripes import player_of
from core.schedule.branches.ends import End
from core.schedule.branches.flow import Flow, Integers, Rolling, Truths, covered
from core.schedule.branches.tape import Strip, Tape
from core.schedule.problem import Node

Numbers = npt.NDArray[np.float64]

_MOST_LOOKS = 400
"""How often the best way is looked for; the best that is known for certain is taken then."""

_TOO_MUCH = float("inf")


class Part(NamedTuple):
    """Neighbouring nodes, both ends included; a single one runs by itself."""

    first: int
    last: int


class Played(NamedTuple):
    """A part with the rows of its rings."""

    size_bytes: int
    """Of all that is live while it runs."""
    rings: tuple[tuple[FmId, int], ...]
    overlays: tuple[Overlay, ...] = ()


class Rolled(NamedTuple):
    """What rolls in a part, whatever is live beside it."""

    saved_bytes: int
    """Of what all its maps would take whole."""
    rings: tuple[tuple[FmId, int], ...]
    overlays: tuple[Overlay, ...]


class Player(Changing):
    """Plays parts, each once for the heights of its nodes."""

    flow: Flow
    asked_rows: dict[FmId, int] = field(default_factory=dict)
    asked_heights: Mapping[NpuOpId, int] = field(default_factory=dict)
    lays_over: bool = False
    """Whether outputs may be written over rows that nobody reads any more."""
    _strips: dict[tuple[int, int], Strip] = field(default_factory=dict)
    _rolled: dict[tuple[Part, tuple[int, ...]], Rolled] = field(default_factory=dict)
    _known: dict[tuple[Part, tuple[int, ...]], Played] = field(default_factory=dict)

    def beside(self, flow: Flow) -> Player:
        """The same where other bytes are live beside the parts."""
        return Player(
            flow, self.asked_rows, self.asked_heights, self.lays_over, self._strips, self._rolled
        )

    def play(self, part: Part, heights: list[int]) -> Played:
        """The rings of a part, and what it takes."""
        key = part, tuple(heights)
        known = self._known.get(key)
        if known is None:
            rolled = self._rolled.get(key)
            if rolled is None:
                rolled = self._rolled[key] = self._play(part, heights)
            size = self.flow.whole_bytes(*part) - rolled.saved_bytes
            known = self._known[key] = Played(size, rolled.rings, rolled.overlays)
        return known

    def has_room(self, played: Played, limit_bytes: float) -> bool:
        """Whether it is within a limit, and rings have no more rows than are asked for."""
        return played.size_bytes <= limit_bytes and all(
            rows <= self.asked_rows.get(fm, rows) for fm, rows in played.rings
        )

    def _play(self, part: Part, heights: list[int]) -> Rolled:
        flow, tape = self.flow, Tape()
        nodes = flow.nodes[part.first : part.last + 1]
        rolls = {
            fm: each
            for fm in dict.fromkeys(node.ofm.fm for node in nodes)
            if (each := flow.rolling.get(fm)) is not None
            and each.first >= part.first
            and each.last <= part.last
        }
        for node, height in zip(reversed(nodes), reversed(heights), strict=True):
            tape.add(self.strip(node, height), is_rolling=node.ofm.fm in rolls)
        rings: dict[FmId, int] = {}
        for fm, each in rolls.items():
            rings[fm] = self.ring_rows(each, tape)
        saved = sum(flow.saved_bytes(each, rings[fm]) for fm, each in rolls.items())
        overlays = self.overlays(part, rolls, tape)
        return Rolled(saved + flow.laid_over_bytes(overlays), tuple(rings.items()), overlays)

    def ring_rows(self, each: Rolling, tape: Tape) -> int:
        """The rows of a ring all of whose makers are on a tape."""
        return min(max(tape.rows_of(each.fm), self.asked_rows.get(each.fm, 1)), each.height)

    def overlays(self, part: Part, rolls: Container[FmId], tape: Tape) -> tuple[Overlay, ...]:
        """What a part lays over each other."""
        may_lay = self.lays_over and part.first < part.last
        return self.flow.ends.overlays(*part, rolls, tape) if may_lay else ()

    def strip(self, node: Node, height: int) -> Strip:
        """The stripes of a node."""
        key = node.index, height
        known = self._strips.get(key)
        if known is None:
            player = player_of(node.op, height, is_rolling=True)
            known = self._strips[key] = Strip.of(player)
        return known


Bounds = Sequence[Numbers]
"""By the last node of a part, from the earliest first node on: what the part costs at least. The
last of them is the node by itself, and what it costs."""


class Ways(Changing):
    """For each last node of a part, what parts that begin earlier cost; first a bound, then what it
    is."""

    flow: Flow
    cost: list[Numbers]
    is_known: list[npt.NDArray[np.bool_]]
    _found: Numbers
    """By node: the least that all nodes before it cost."""
    _begins: list[int]
    """By last node: where its part begins on the way of least cost."""
    _settled: int = 0
    """Before this node, both hold."""

    @classmethod
    def of(cls, flow: Flow, bounds: Bounds) -> Ways:
        """With bounds for all parts."""
        known = [np.zeros(len(costs), dtype=np.bool_) for costs in bounds]
        for is_known in known:
            is_known[-1] = True
        count = len(known)
        return cls(flow, [each.copy() for each in bounds], known, np.zeros(count + 1), [0] * count)

    def know(self, part: Part, cost: float) -> None:
        """What a part costs."""
        place = part.first - self.flow.earliest[part.last]
        self.cost[part.last][place] = cost
        self.is_known[part.last][place] = True
        self._settled = min(self._settled, part.last)

    def is_certain(self, part: Part) -> bool:
        """Whether a part has been looked at."""
        return bool(self.is_known[part.last][part.first - self.flow.earliest[part.last]])

    def best(self) -> tuple[float, list[Part]]:
        """The parts of the way of least cost, where the highest counts."""
        count = len(self.cost)
        found, begins = self._found, self._begins
        for last in range(self._settled, count):
            first = self.flow.earliest[last]
            total = np.maximum(found[first : last + 1], self.cost[last])
            # Of ways that cost alike, the one with the shorter part at its end.
            place = len(total) - 1 - int(total[::-1].argmin())
            begins[last] = first + place
            found[last + 1] = total[place]
        self._settled = count
        parts: list[Part] = []
        last = count - 1
        while last >= 0:
            parts.append(Part(begins[last], last))
            last = begins[last] - 1
        return float(found[-1]), parts[::-1]

    def search(self, look: Callable[[Part], float], progress: Progress) -> tuple[float, list[Part]]:
        """The best way of which each part has been looked at."""
        for number in range(_MOST_LOOKS):
            progress.advance("grouping operators", number, _MOST_LOOKS)
            cost, parts = self.best()
            unknown = [part for part in parts if not self.is_certain(part)]
            if not unknown:
                return cost, parts
            for part in unknown:
                self.know(part, look(part))
        return self._certain().best()

    def _certain(self) -> Ways:
        """The same without parts that nobody has looked at."""
        pairs = zip(self.cost, self.is_known, strict=True)
        return Ways.of(self.flow, [np.where(known, cost, _TOO_MUCH) for cost, known in pairs])


def least_bytes(flow: Flow, *, lays_over: bool = False) -> Bounds:
    """What each part needs at least: its windows in rings, all else whole, and what may be laid
    over each other once; too much where it can be none."""
    count = len(flow.nodes)
    ending: list[list[Rolling]] = [[] for _ in range(count)]
    for each in flow.rolling.values():
        ending[each.last].append(each)
    saved = np.zeros(count + 1)
    over = _Overlap.of(flow) if lays_over else None
    bonds = flow.problem.bonds
    is_inside = np.array(
        [bonds.are_one(index - 1, index) for index in range(count)], dtype=np.bool_
    )
    rings = _Rings.of(flow)

    def bound(first: int, last: int) -> Numbers:
        for each in ending[last]:
            # No part that ends later begins earlier.
            saved[first : each.first + 1] += flow.saved_bytes(each, each.least_rows)
            rings.add(each)
        if over is not None:
            over.add(first, last)
        if not bonds.may_end(last):
            return np.full(last - first + 1, _TOO_MUCH)
        if first == last:
            is_asked = last in bonds.chains
            return np.array([_TOO_MUCH if is_asked else flow.alone_bytes[last]], dtype=np.float64)
        whole = flow.whole_bytes_ending(first, last) - saved[first:last]
        if over is not None:
            whole -= over.most_bytes(first, last)
        found = np.append(whole, flow.alone_bytes[last])
        cannot_be = is_inside[first : last + 1] | flow.are_lonely(first, last)
        cannot_be[:-1] |= rings.miss(first, last)
        found[cannot_be] = _TOO_MUCH
        if last in bonds.chains:
            found[-1] = _TOO_MUCH
        return found

    return [bound(first, last) for last, first in enumerate(flow.earliest)]


class _Rings(Changing):
    """Which parts have a node that shares no ring with others, and so nothing to do in a cascade
    unless somebody asks for it, or only some makers of a map that rolls; asked for one last node
    after the other."""

    flow: Flow
    linked_from: Integers
    """By node: where parts begin at the latest in which it shares a ring."""
    is_torn: Truths
    """By first node."""

    @classmethod
    def of(cls, flow: Flow) -> _Rings:
        """Before the first node."""
        linked_from = np.full(len(flow.nodes), -1, dtype=np.int64)
        asked = list(flow.problem.bonds.chains)
        linked_from[asked] = asked
        return cls(flow, linked_from, np.zeros(len(flow.nodes), dtype=np.bool_))

    def add(self, each: Rolling) -> None:
        """A map that parts may have from now on from its first maker to its last reader."""
        users = list(self.flow.users_of(each.fm))
        self.linked_from[users] = np.maximum(self.linked_from[users], each.first)
        self.is_torn[each.first + 1 : each.made_last + 1] = True

    def miss(self, first: int, last: int) -> Truths:
        """Of parts of several nodes that end here and begin at one of those from the first on."""
        idle = covered(
            np.maximum(self.linked_from[first : last + 1] + 1 - first, 0),
            np.arange(1, last - first + 2),
            last - first,
        )
        return self.is_torn[first:last] | idle


class _Overlap(Changing):
    """The most that parts can save by laying outputs over inputs; asked for one last node after
    the other."""

    given: Numbers
    """By first node: bytes of inputs that the parts up to now read for the last time."""
    made: Numbers
    """By first node: bytes of maps that they begin, and that do not roll in them."""
    dying: dict[int, list[End]]
    born: dict[int, list[End]]
    rolling: dict[int, list[End]]
    """By last reader: maps that roll from there on where their makers are in the part too."""

    @classmethod
    def of(cls, flow: Flow) -> _Overlap:
        """Before the first node."""
        count = len(flow.nodes) + 1
        found = cls(np.zeros(count), np.zeros(count), {}, {}, {})
        near = flow.near
        for end in flow.ends.of.values():
            if end.fm not in near:
                continue
            if end.may_be_given:
                found.dying.setdefault(end.last, []).append(end)
            if end.may_be_made:
                found.born.setdefault(end.first, []).append(end)
                if end.fm in flow.rolling:
                    found.rolling.setdefault(end.last, []).append(end)
        return found

    def add(self, first: int, last: int) -> None:
        """What comes with one more node, in parts that begin at one of the nodes from the first
        on."""
        for end in self.dying.get(last, ()):
            self.given[max(end.made_last + 1, first) : last + 1] += end.size_bytes
        for end in self.born.get(last, ()):
            self.made[first : last + 1] += end.size_bytes
        for end in self.rolling.get(last, ()):
            self.made[first : end.first + 1] -= end.size_bytes

    def most_bytes(self, first: int, last: int) -> Numbers:
        """For parts that end with the last node and begin at one from the first on."""
        return np.minimum(self.given[first:last], self.made[first:last])
