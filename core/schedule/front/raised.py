"""Single operators of chosen parts in higher stripes, where there is room and that is faster.

Scales say how high the stripes of the last operator are, and others follow; but who is made before
a map shrinks, or begins a part, may make more at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.ir.part_taken import PartTaken
from core.schedule.front.cuts import Cut, Cuts, Piece

_MOST_TRIED = 24
"""Heights that are tried in each part."""


def raised(cuts: Cuts, cut: Cut) -> Cut:
    """The same cuts with higher stripes."""
    return cut._replace(pieces=tuple(_raised(cuts, cut, piece) for piece in cut.pieces))


def _raised(cuts: Cuts, cut: Cut, piece: Piece) -> Piece:
    """The stripes that were chosen, or the smallest, whichever are faster once they are higher."""
    if piece.reel is None:
        return piece
    begun = (piece, *_smallest(cuts, piece))
    return min((_higher(cuts, cut, each) for each in begun), key=lambda each: each[0])[1]


def _smallest(cuts: Cuts, piece: Piece) -> Iterator[Piece]:
    """The same part in the smallest stripes, if it has room."""
    first, last = piece.part
    length = last - first + 1
    ending = cuts.ending(last, length)
    ending.grow_to(np.array([0]), length)
    reel = ending.reels[0]
    if reel is not piece.reel and reel.sizes[length - 1] <= piece.room_bytes:
        yield cuts.piece(piece.part, reel, piece.room_bytes)


def _higher(cuts: Cuts, cut: Cut, piece: Piece) -> tuple[float, Piece]:
    """Higher stripes, where operators that lose most by stripes come first; and their cycles."""
    first, last = piece.part
    ground = cuts.ground
    nodes = ground.flow.nodes[first : last + 1]
    rolls = {fm for fm, _ in ground.player.play(piece.part, list(piece.heights)).rings}
    near = cut.near | rolls

    def cycles(place: int, height: int) -> float:
        cost = ground.cost(nodes[place], height, near)
        return cost.kept_cycles if nodes[place].index in piece.kept else cost.cycles

    lost = [cycles(at, height) - cycles(at, 0) for at, height in enumerate(piece.heights)]
    heights, left = list(piece.heights), _MOST_TRIED
    for at in sorted(range(len(nodes)), key=lambda at: -lost[at]):
        most = min(nodes[at].most_rows, nodes[at].op.ofm.touched.h - 1)
        if nodes[at].op.id in ground.player.asked_heights:
            continue
        while left and heights[at] * 2 <= most:
            left -= 1
            higher = [*heights[:at], heights[at] * 2, *heights[at + 1 :]]
            if cycles(at, higher[at]) >= cycles(at, heights[at]):
                break
            played = ground.player.play(piece.part, higher)
            kept_bytes = _kept_bytes(cuts, piece._replace(heights=tuple(higher)))
            if not ground.player.has_room(played, piece.room_bytes - kept_bytes):
                break
            heights = higher
    total = sum(cycles(at, height) for at, height in enumerate(heights))
    return total, piece._replace(heights=tuple(heights))


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
