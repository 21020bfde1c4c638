"""Single operators of chosen parts in higher stripes or with weights that stay near, where there is
room and that is faster.

Scales say how high the stripes of the last operator are, and others follow; but who is made before
a map shrinks, or begins a part, may make more at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.ir.search_records import PartTaken
from core.schedule.front.cuts import Cut, Cuts, Piece
from core.schedule.front.ground import TOO_MUCH
from core.schedule.front.prices import NodeCost

_MOST_TRIED = 96
"""Changes that are tried in each part."""

_MOST_COMPARED = 6
"""Those that save most, of which the one is taken that saves most for its bytes."""


def raised(cuts: Cuts, cut: Cut) -> Cut:
    """The same cuts with higher stripes."""
    saved, pieces = zip(*(_raised(cuts, cut, piece) for piece in cut.pieces), strict=True)
    return cut._replace(cycles=cut.cycles - sum(saved), pieces=pieces)


def _raised(cuts: Cuts, cut: Cut, piece: Piece) -> tuple[float, Piece]:
    """The stripes that were chosen, or the smallest, whichever are faster once they are higher; and
    the cycles that this saves."""
    if piece.reel is None:
        return 0.0, piece
    begun = [_Climb(cuts, cut, each) for each in (piece, *_smallest(cuts, piece))]
    before = begun[0].cycles()
    cycles, best = min((climb.run() for climb in begun), key=lambda each: each[0])
    return before - cycles, best


def _smallest(cuts: Cuts, piece: Piece) -> Iterator[Piece]:
    """The same part in the smallest stripes with no weights near, if it has room."""
    first, last = piece.part
    length = last - first + 1
    ending = cuts.ending(last, length)
    reel = ending.reel(0, length)
    is_another = piece.reel is None or piece.reel.heights.scale > 0
    if is_another and reel.sizes[length - 1] <= piece.room_bytes:
        yield cuts.piece(piece.part, reel, piece.room_bytes)._replace(kept=frozenset())


class _Move(NamedTuple):
    """A change of one node of a part."""

    place: int
    height: int
    """Of its stripes."""
    is_kept: bool
    """Whether its weights stay near."""


class _Climb:
    """Higher stripes and weights that stay near, whichever saves most for its bytes first."""

    def __init__(self, cuts: Cuts, cut: Cut, piece: Piece) -> None:
        self._cuts = cuts
        self._piece = piece
        self._player = cuts.ground.player
        self._nodes = cuts.ground.flow.nodes[piece.part.first : piece.part.last + 1]
        rings = self._player.play(piece.part, list(piece.heights)).rings
        self._near = cut.near.union(fm for fm, _ in rings)

    def run(self) -> tuple[float, Piece]:
        """The cycles of the part at the end, and the part."""
        size_bytes, left = self._size_bytes(self._piece), _MOST_TRIED
        gains = [self._gains(place) for place in range(len(self._nodes))]
        while True:
            ranked = sorted((-gain, move) for own in gains for move, gain in own.items())
            hopeful = [move for _, move in ranked[:_MOST_COMPARED]]
            if not hopeful or left < len(hopeful):
                return self.cycles(), self._piece
            left -= len(hopeful)
            sizes = {move: self._size_bytes(self._after(move)) for move in hopeful}
            for move in hopeful:
                if sizes[move] == TOO_MUCH:
                    del gains[move.place][move]
            if fitting := [move for move in hopeful if sizes[move] < TOO_MUCH]:
                best = max(
                    fitting,
                    key=lambda at: gains[at.place][at] / max(sizes[at] - size_bytes, 1),
                )
                self._piece, size_bytes = self._after(best), sizes[best]
                gains[best.place] = self._gains(best.place)

    def _gains(self, place: int) -> dict[_Move, float]:
        """Cycles that changes of a node save, of those that save any."""
        now = self._cycles_at(place)
        gains = {
            move: now - self._cycles_of(place, move.height, is_kept=move.is_kept)
            for move in self._moves(place)
        }
        return {move: gain for move, gain in gains.items() if gain > 0}

    def _moves(self, place: int) -> Iterator[_Move]:
        node, height = self._nodes[place], self._piece.heights[place]
        is_kept = node.index in self._piece.kept
        most_rows = min(node.most_rows, node.op.ofm.touched.h - 1)
        if node.op.id not in self._player.asked_heights and height * 2 <= most_rows:
            yield _Move(place, height * 2, is_kept)
        if not is_kept and self._cost(place, height).kept_bytes:
            yield _Move(place, height, is_kept=True)

    def _after(self, move: _Move) -> Piece:
        piece, index = self._piece, self._nodes[move.place].index
        heights = [*piece.heights]
        heights[move.place] = move.height
        kept = piece.kept | {index} if move.is_kept else piece.kept
        return piece._replace(heights=tuple(heights), kept=kept)

    def cycles(self) -> float:
        """What the part takes as it is now."""
        return sum(map(self._cycles_at, range(len(self._nodes))))

    def _cycles_at(self, place: int) -> float:
        is_kept = self._nodes[place].index in self._piece.kept
        return self._cycles_of(place, self._piece.heights[place], is_kept=is_kept)

    def _cycles_of(self, place: int, height: int, *, is_kept: bool) -> float:
        cost = self._cost(place, height)
        return cost.kept_cycles if is_kept else cost.cycles

    def _cost(self, place: int, height: int) -> NodeCost:
        return self._cuts.ground.cost(self._nodes[place], height, self._near)

    def _size_bytes(self, piece: Piece) -> float:
        """What a part takes; too much where it has no room."""
        played = self._player.play(piece.part, list(piece.heights))
        kept_bytes = _kept_bytes(self._cuts, piece)
        has_room = self._player.has_room(played, piece.room_bytes - kept_bytes)
        return played.size_bytes + kept_bytes if has_room else TOO_MUCH


def parts_of(cuts: Cuts, cut: Cut, limit_bytes: int) -> Iterator[PartTaken]:
    """What each cascade of the best cuts is taken for."""
    ground = cuts.ground
    for piece in cut.pieces:
        first, last = piece.part
        if first == last:
            continue
        nodes = ground.flow.nodes[first : last + 1]
        played = ground.player.play(piece.part, list(piece.heights))
        near = cut.near.union(fm for fm, _ in played.rings)
        costs = [
            (node.index in piece.kept, ground.cost(node, height, near))
            for node, height in zip(nodes, piece.heights, strict=True)
        ]
        beside = limit_bytes - piece.room_bytes
        yield PartTaken(
            ops=tuple(node.op.id for node in nodes),
            size_bytes=int(beside + played.size_bytes + _kept_bytes(cuts, piece)),
            limit_bytes=limit_bytes,
            cycles=sum(cost.kept_cycles if kept else cost.cycles for kept, cost in costs),
            cycles_alone=sum(ground.cost(node, 0, cut.near).kept_cycles for node in nodes),
        )


def _kept_bytes(cuts: Cuts, piece: Piece) -> int:
    """Of weights that stay near, as they are encoded for these stripes."""
    ground, first = cuts.ground, piece.part.first
    plans = (
        ground.prices.kept_plan(ground.flow.nodes[index], piece.heights[index - first])
        for index in piece.kept
    )
    return sum(plan.buffer_bytes for plan in plans)
