"""What may run shortly before an operator begins, in whatever order and cascade.

Commands follow each other as somebody needs what they make: `order_of` lets whoever makes a map run
right before whoever waits for it, and cascades follow each other as their operators do. So the
operation before the first of an operator is of one that makes what it reads, or of one that can run
before it as well as behind. Copies do not count: what is brought goes on beside the operations
around them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import NpuGraph, NpuOp, OpKind


class Turn(NamedTuple):
    """An operator in its part."""

    op: NpuOpId
    is_next: bool
    """Whether all that may run right before it is in the part before, or in its own."""


def parts_of(graph: NpuGraph, ops: Sequence[NpuOpId], longest: int) -> list[list[Turn]]:
    """The operators of an island in parts that run one after the other in any order there is; each
    begins with an operator that all others run before or behind. No map goes from one part to
    another, around what a part begins with, but over more operators than are given."""
    makers = _makers(graph, ops)
    around = _around(makers, longest)
    borders = [place for place in _borders(graph, ops, makers) if place and not around[place]]
    spans = [range(*ends) for ends in pairwise((0, *borders, len(ops)))]
    part_of = [number for number, span in enumerate(spans) for _ in span]
    lows = _lows(graph, ops, makers, part_of)
    return [
        [Turn(op=ops[place], is_next=lows[place] >= number - 1) for place in span]
        for number, span in enumerate(spans)
    ]


def _makers(graph: NpuGraph, ops: Sequence[NpuOpId]) -> list[tuple[int, ...]]:
    """By place: those of all that an operator reads, but constants that are copied, which are so
    at any time before."""
    writers: defaultdict[FmId, list[int]] = defaultdict(list)
    found = []
    for place, op in enumerate(ops):
        *read, written = (graph.fm(view).storage for view in graph.ops[op].views)
        makers = (maker for fm in read for maker in writers[fm])
        found.append(tuple(dict.fromkeys(makers)))
        if not moves_constant(graph, graph.ops[op]):
            writers[written].append(place)
    return found


def _borders(
    graph: NpuGraph, ops: Sequence[NpuOpId], makers: Sequence[Sequence[int]]
) -> Iterator[int]:
    """Places of operators that all others run before or behind; none of them copies."""
    count = len(ops)
    first_read = [count] * count
    for place in reversed(range(count)):
        for maker in makers[place]:
            first_read[maker] = place
    last_made = [max(each, default=-1) for each in makers]
    for place, op in enumerate(ops):
        if moves_constant(graph, graph.ops[op]):
            first_read[place], last_made[place] = 0, count
    # Whoever is read no later than here, or reads what is made no earlier, is not beside it.
    read_until = [0, *accumulate(first_read, max)]
    made_from = [*accumulate(reversed(last_made), min, initial=count)][::-1]
    for place, op in enumerate(ops):
        is_border = read_until[place] <= place <= made_from[place + 1]
        if is_border and graph.ops[op].kind is not OpKind.COPY:
            yield place


def _around(makers: Sequence[Sequence[int]], longest: int) -> list[bool]:
    """By place: whether a map is made before and read behind, over no more than so many."""
    changes = [0] * (len(makers) + 1)
    for place, own in enumerate(makers):
        for maker in own:
            if 1 < place - maker <= longest:
                changes[maker + 1] += 1
                changes[place] -= 1
    return [count > 0 for count in accumulate(changes)]


def _lows(
    graph: NpuGraph,
    ops: Sequence[NpuOpId],
    makers: Sequence[Sequence[int]],
    part_of: Sequence[int],
) -> list[int]:
    """By place: the first part in which there is somebody who makes what is read."""
    lows = [len(part_of)] * len(ops)
    for place in range(len(ops)):
        for maker in makers[place]:
            # A copy stands for what it copies.
            is_copy = graph.ops[ops[maker]].kind is OpKind.COPY
            lows[place] = min(lows[place], lows[maker] if is_copy else part_of[maker])
    return lows


def moves_constant(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether it copies a constant, which may be done at any time before it is read."""
    return op.kind is OpKind.COPY and graph.fm(op.ifm).data is not None
