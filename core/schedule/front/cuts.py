"""Where an island is cut into parts, so that it takes the fewest cycles within a limit.

The best cuts up to each operator are part of the best cuts of all, given which side the map that
crosses the border is on. Parts are looked at from the last operator back, as long as a bound leaves
them any hope to be on the best way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from itertools import accumulate
from operator import eq

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field, later
from core.base.ids import FmId
from core.base.memo import Memo
from core.base.progress import Progress
from core.schedule.branches.groups import Bounds, Part
from core.schedule.front.endings import (
    TOGETHER,
    Ending,
    Numbers,
    Rows,
    first_rows,
    rows_beside,
)
from core.schedule.front.ground import TOO_MUCH, Ground
from core.schedule.front.reels import Reel
from core.schedule.problem import Node

_SIDES = np.array([0.0, 1.0])

_MOST_BESIDE = 8
"""Sets of maps that live on, of which what is live beside parts is kept."""


class Piece(NamedTuple):
    """A part of the best way."""

    part: Part
    heights: tuple[int, ...]
    """Rows that each node makes at once; of a single one, nothing."""
    kept: frozenset[int] = frozenset()
    """Nodes whose weights stay near while all of them run."""
    reel: Reel | None = None
    room_bytes: float = 0.0
    """The limit without maps that are near beside it and at its borders."""


class Cut(NamedTuple):
    """An island in parts."""

    cycles: float
    pieces: tuple[Piece, ...]
    near: frozenset[FmId]
    """Whole maps that are near."""


class Cuts(Changing):
    """The parts of one island, whatever the limit is and whichever maps are near that live on."""

    ground: Ground
    least: Bounds
    """Bytes that parts take at least."""
    before: Cuts | None = None
    """Those of another question, of which as many are taken over as are the same."""
    traits: list[Hashable] = later()
    """By node."""
    alike: list[int] = later()
    """By last node: how many nodes up to it are as they were before."""
    endings: dict[int, Ending] = field(default_factory=dict)
    until: Numbers = later()
    """Before each node: cycles that all those before it take at least."""
    crossing_bytes: Numbers = later()
    _first_rows: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _beside: Memo[frozenset[FmId], Beside] = field(default_factory=lambda: Memo(_MOST_BESIDE))

    def __post_init__(self) -> None:
        ground = self.ground
        sizes = ground.flow.problem.sizes
        self.crossing_bytes = np.array(
            [0.0 if fm is None else sizes[fm] for fm in ground.crossing.at], dtype=np.float64
        )
        self.traits = [ground.traits(node) for node in ground.flow.nodes]
        theirs = [] if self.before is None else self.before.traits
        self.alike = list(accumulate(map(eq, self.traits, theirs), _in_a_row, initial=0))[1:]
        self.alike += [0] * (len(self.traits) - len(self.alike))
        lowest = [ground.nearest_cost(node, 0).kept_cycles for node in ground.flow.nodes]
        self.until = np.concatenate([[0.0], np.cumsum(lowest)])

    def best(self, near: frozenset[FmId], limit_bytes: float, progress: Progress) -> Cut | None:
        """The fastest cuts within a limit with some maps near; None where there are none."""
        search = _Search(self, self.beside(near), near, limit_bytes)
        cut = search.run(progress)
        while cut is not None and search.opens_beside(cut):
            # Scales between those that are looked at first matter for parts that may be taken.
            cut = search.run(progress)
        return cut

    def beside(self, near: frozenset[FmId]) -> Beside:
        """What is live where some maps are near that live on."""
        return self._beside.answer(near, lambda: Beside.of(self.ground, near))

    def piece(self, part: Part, reel: Reel, room_bytes: float) -> Piece:
        """A part in the stripes of a reel, with weights kept near as far as there is room."""
        heights = tuple(reel.heights.of[index] for index in range(part.first, part.last + 1))
        left_bytes = room_bytes - reel.sizes[part.last - part.first]
        kept = frozenset(self._kept(part, heights, left_bytes))
        return Piece(part, heights, kept, reel, room_bytes)

    def _kept(self, part: Part, heights: tuple[int, ...], room_bytes: float) -> Iterator[int]:
        """Nodes whose weights stay near: those that save most for their bytes come first."""
        ground = self.ground
        nodes = ground.flow.nodes[part.first : part.last + 1]
        costs = [
            (node, height, ground.nearest_cost(node, height))
            for node, height in zip(nodes, heights, strict=True)
        ]
        worth = [
            ((cost.cycles - cost.kept_cycles) / cost.kept_bytes, node.index, node, height)
            for node, height, cost in costs
            if cost.kept_bytes
        ]
        for _, index, node, height in sorted(worth, reverse=True):
            size = ground.prices.kept_plan(node, height).buffer_bytes
            if size <= room_bytes:
                room_bytes -= size
                yield index

    def first_rows(self, last: int) -> tuple[int, ...]:
        """The rows that are looked at first of parts that end with a node."""
        if last not in self._first_rows:
            self._first_rows[last] = first_rows(self.ground, last)
        return self._first_rows[last]

    def ending(self, last: int, length: int) -> Ending:
        """Parts that end with a node, up to some length."""
        if self.before is not None and length <= self.alike[last]:
            return self.before.ending(last, length)
        if last not in self.endings:
            self.endings[last] = Ending(self.ground, last)
        return self.endings[last]


def _in_a_row(count: int, is_alike: bool) -> int:  # noqa: FBT001 - what is counted
    return count + 1 if is_alike else 0


class Beside(NamedTuple):
    """What is live beside parts where some maps are near that live on, and each node by itself."""

    alone: Numbers
    """Cycles with weights read where they are stored, and with weights near, by both sides."""
    alone_bytes: Numbers
    lasting_bytes: list[Numbers]
    """By last and first node."""

    @classmethod
    def of(cls, ground: Ground, near: frozenset[FmId]) -> Beside:
        """With these maps near."""
        nodes, crossing = ground.flow.nodes, ground.crossing
        alone = np.full((2, len(nodes), 2, 2), TOO_MUCH)
        sizes = np.full((2, len(nodes), 2, 2), TOO_MUCH)
        live_bytes = _live_bytes(ground, near)
        for node in nodes:
            index = node.index
            if index in ground.flow.problem.bonds.chains:
                continue
            there = near.intersection(node.fms)
            for before in range(1 + (crossing.at[index] is not None)):
                for behind in range(1 + (crossing.at[index + 1] is not None)):
                    own = {
                        fm
                        for side, border in ((before, index), (behind, index + 1))
                        if side and (fm := crossing.at[border]) is not None
                    }
                    cost = ground.cost(node, 0, there | own)
                    size = live_bytes[index] + _own_bytes(ground, node, own, there)
                    alone[:, index, before, behind] = cost.cycles, cost.kept_cycles
                    sizes[:, index, before, behind] = size, size + cost.kept_bytes
        return cls(alone, sizes, _lasting_bytes(ground, near))


def _live_bytes(ground: Ground, near: frozenset[FmId]) -> list[int]:
    """By node: what is live while it runs by itself, without what crosses a border beside it."""
    crossing, flow = ground.crossing, ground.flow
    changes = [0] * (len(flow.nodes) + 1)
    for fm in near:
        changes[crossing.first[fm]] += flow.problem.sizes[fm]
        changes[crossing.last[fm] + 1] -= flow.problem.sizes[fm]
    pairs = zip(accumulate(changes), flow.alone_bytes, strict=False)
    return [size + alone for size, alone in pairs]


def _own_bytes(ground: Ground, node: Node, own: set[FmId], near: frozenset[FmId]) -> int:
    """What the maps take that cross borders, less what an output saves that lies on an input."""
    flow, made = ground.flow, node.ofm.fm
    sizes = flow.problem.sizes
    size = sum(sizes[fm] for fm in own)
    there = near | own
    is_new = made in there and ground.crossing.first[made] == node.index
    if is_new and not flow.near and not there.isdisjoint(node.overwrites):
        size -= sizes[made]
    return size


def _lasting_bytes(ground: Ground, near: frozenset[FmId]) -> list[Numbers]:
    """By last and first node: what maps take that live on, unless they roll in the part."""
    flow, crossing = ground.flow, ground.crossing
    begun: defaultdict[int, list[FmId]] = defaultdict(list)
    for fm in near:
        begun[crossing.first[fm]].append(fm)
    live: list[FmId] = []
    found = []
    for last, first in enumerate(flow.earliest):
        live = [fm for fm in (*live, *begun[last]) if crossing.last[fm] >= first]
        own = np.zeros(last - first)
        for fm in live:
            ring = flow.rolling.get(fm)
            rolls = ring is not None and ring.last <= last
            begin = max(ring.first + 1 if ring is not None and rolls else 0, first)
            end = min(crossing.last[fm], last - 1)
            if end >= begin:
                own[begin - first : end - first + 1] += flow.problem.sizes[fm]
        found.append(own)
    return found


class _Begin(NamedTuple):
    """The last part of the best way up to a border."""

    first: int
    before: int
    """The side of the map before it."""
    reel: Reel | None
    """None where it is a single node."""


class _Search:
    """One way through an island.

    It looks at the same parts whatever was asked before: what is known of them only comes sooner.
    """

    def __init__(
        self, cuts: Cuts, beside: Beside, near: frozenset[FmId], limit_bytes: float
    ) -> None:
        count = len(cuts.ground.flow.nodes)
        self._cuts = cuts
        self._beside = beside
        self._near = near
        self._limit = limit_bytes
        self._crossing = cuts.crossing_bytes
        self._rings_alone = not cuts.ground.flow.near
        self._best = np.full((count + 1, 2), TOO_MUCH)
        self._begins: list[list[_Begin]] = []
        self._rows: dict[int, tuple[int, ...]] = {}
        """By last node, those of its table that this search looks at."""
        self._settled = 0
        """Up to this node, the best ways are known."""

    def run(self, progress: Progress) -> Cut | None:
        """The fastest cuts."""
        flow, best = self._cuts.ground.flow, self._best
        count = len(flow.nodes)
        best[0] = 0.0, TOO_MUCH
        self._begins = self._begins[: self._settled + 1] or [[_Begin(0, 0, None)] * 2]
        has_room = self._beside.alone_bytes <= self._limit
        alone = np.where(has_room, self._beside.alone, TOO_MUCH).min(axis=0)
        for last in range(self._settled, count):
            progress.advance("grouping operators", last, count)
            single = best[last][:, None] + alone[last]
            sides = single.argmin(axis=0).tolist()
            best[last + 1] = single.min(axis=0)
            self._begins.append([_Begin(last, side, None) for side in sides])
            if flow.earliest[last] < last:
                self._improve(last)
        side = int(best[count].argmin())
        cycles = float(best[count, side])
        return None if cycles == TOO_MUCH else self._cut(cycles, side)

    def opens_beside(self, cut: Cut) -> bool:
        """Look at the scales next to those of a cut, too; whether there are any."""
        self._settled = len(self._begins)
        for piece in cut.pieces:
            if piece.reel is None:
                continue
            last = piece.part.last
            fresh = set(rows_beside(piece.reel)).difference(self._rows[last])
            if fresh:
                self._rows[last] = *self._rows[last], *sorted(fresh)
                self._settled = min(self._settled, last)
        return self._settled < len(self._begins)

    def _cut(self, cycles: float, side: int) -> Cut:
        pieces, near, end = [], set(self._near), len(self._cuts.ground.flow.nodes)
        while end:
            begin = self._begins[end][side]
            crossing = self._cuts.ground.crossing.at[begin.first]
            if begin.before and crossing is not None:
                near.add(crossing)
            pieces.append(self._piece(Part(begin.first, end - 1), begin, side))
            end, side = begin.first, begin.before
        return Cut(cycles, tuple(pieces[::-1]), frozenset(near))

    def _piece(self, part: Part, begin: _Begin, behind: int) -> Piece:
        (first, last), reel = part, begin.reel
        if reel is None:
            return Piece(part, ())
        room = float(self._room(last)[first - self._cuts.ground.flow.earliest[last]])
        room -= begin.before * self._crossing[first] + behind * self._crossing[last + 1]
        return self._cuts.piece(part, reel, room)

    def _room(self, last: int) -> Numbers:
        """By first node: the limit without what lives on beside a part."""
        return self._limit - self._beside.lasting_bytes[last]

    def _improve(self, last: int) -> None:
        """Let parts of several nodes that end with one be on the best way."""
        cuts, best = self._cuts, self._best
        first = cuts.ground.flow.earliest[last]
        is_hopeless = cuts.least[last][:-1] > self._limit
        hope = best[first:last].min(axis=1) - cuts.until[first:last]
        hope = np.minimum.accumulate(np.where(is_hopeless, TOO_MUCH, hope))
        sides = slice(1 if cuts.ground.crossing.at[last + 1] is None else 2)
        if hope[-1] + cuts.until[last + 1] > best[last + 1, sides].max():
            return
        # By length: what comes before a part that is longer by one, and takes at least.
        before = (hope + cuts.until[first + 1 : last + 1])[::-1]
        most_bytes = self._limit if self._rings_alone else TOO_MUCH
        free = self._free(last, is_hopeless)
        if last not in self._rows:
            self._rows[last] = cuts.first_rows(last)
        rows, start = np.array(self._rows[last]), 0
        while start < len(before) and len(rows):
            stop = min(start + TOGETHER, len(before))
            ending = cuts.ending(last, stop + 1)
            # What is known already is compared at once, which changes nothing but the time.
            known_length = min(map(ending.length, rows.tolist()))
            if known_length > stop + 1 and cuts.ending(last, known_length) is ending:
                stop = min(known_length - 1, len(before))
            places = slice(start, stop)
            most_cycles = float(best[last + 1, sides].max())
            counts = ending.hopes(rows, before[places], places, most_cycles, most_bytes)
            if counts.any():
                self._take(last, ending, rows, counts, start, free)
            rows, start = rows[counts.max(axis=1) == stop - start], stop
        ending.rest()

    def _free(self, last: int, is_hopeless: npt.NDArray[np.bool_]) -> Numbers:
        """By length, and by the sides of the maps before and behind: bytes for parts that end with
        a node."""
        first = self._cuts.ground.flow.earliest[last]
        room = np.where(is_hopeless, -1.0, self._room(last))[::-1, None, None]
        before = self._crossing[first:last][::-1, None, None] * _SIDES[:, None]
        free: Numbers = room - before - self._crossing[last + 1] * _SIDES
        return free

    def _take(
        self, last: int, ending: Ending, rows: Rows, counts: Rows, start: int, free: Numbers
    ) -> None:
        """Let as many lengths of parts as have hope be on the best way; of those that are as fast,
        the shortest is."""
        best, width = self._best[last + 1], int(counts.max())
        places, span = slice(start, start + width), slice(last - start - width, last - start)
        has_hope = np.arange(width) < counts[..., None]
        has_room = ending.sizes[rows, :, places, None, None] <= free[places]
        cycles = ending.cycles_with(self._near, rows, places) + self._best[span][::-1, :, None]
        total = np.where(has_room & has_hope[..., None, None], cycles, TOO_MUCH)
        total = total.transpose(2, 0, 1, 3, 4)
        ways = total.reshape(-1, 2)
        fastest = ways.argmin(axis=0)
        for behind, at in enumerate(fastest.tolist()):
            if ways[at, behind] < best[behind]:
                best[behind] = ways[at, behind]
                place, row, _, side = map(int, np.unravel_index(at, total.shape[:-1]))
                reel = ending.reels[int(rows[row])]
                self._begins[last + 1][behind] = _Begin(last - 1 - start - place, side, reel)
