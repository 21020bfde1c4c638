"""The order of an island improved by moving operators, as cascades across branches judge it.

Where most is live, a part of the order runs, alone or as a cascade. What lies beside it unread can
be made behind it, and what others read there for the last time can be read before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.ids import FmId, NpuOpId
from core.base.progress import Progress
from core.ir.fixed import Precedence
from core.ir.freedoms import Freedoms
from core.liveness.order import Needs
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Part, Player, least_bytes
from core.schedule.branches.heights import heights_of
from core.schedule.branches.lowest import smallest
from core.schedule.problem import IslandProblem, Node, in_order

_MOST_MOVES = 24
"""Orders that are played in all."""


class Ordered(NamedTuple):
    """An island in an order, with the least that is live at most in it, and where that is."""

    problem: IslandProblem
    size_bytes: float
    largest: Part


def played(problem: IslandProblem, freedoms: Freedoms, progress: Progress) -> Ordered:
    """What an order needs, however its operators are grouped in it."""
    flow = Flow(problem)
    player = Player(flow, lays_over=freedoms.dead_rows)
    least = least_bytes(flow, lays_over=freedoms.dead_rows)
    size, parts = smallest(player, least, progress)

    def size_of(part: Part) -> float:
        if part.first == part.last:
            return flow.alone_bytes[part.last]
        heights = heights_of(problem.nodes[part.first : part.last + 1], 0, {})
        return player.play(part, heights).size_bytes

    return Ordered(problem, size, max(parts, key=size_of))


def climbed(start: Ordered, freedoms: Freedoms, progress: Progress) -> Ordered:
    """The best order that is found by one move after the other, each of which needs less."""
    best, left = start, _MOST_MOVES
    tried = {best.problem.island.ops}
    while left:
        for ops in _moves(best):
            if ops in tried or not left:
                continue
            tried.add(ops)
            left -= 1
            progress.advance("ordering operators", _MOST_MOVES - left, _MOST_MOVES)
            found = played(in_order(best.problem, ops, freedoms), freedoms, progress)
            if found.size_bytes < best.size_bytes:
                best = found
                break
        else:
            return best
    return best


def _moves(ordered: Ordered) -> Iterator[tuple[NpuOpId, ...]]:
    """Orders with one operator, and what goes with it, on the other side of where most is live."""
    problem, (first, last) = ordered.problem, ordered.largest
    nodes, needs = problem.nodes, problem.needs
    start, end = nodes[first].op.id, nodes[last].op.id
    beside = _beside(problem, first, last)
    for fm in sorted(beside, key=lambda fm: (-problem.sizes[fm], fm)):
        makers = [n.op.id for n in nodes[:first] if n.ofm.fm == fm]
        readers = [n.op.id for n in nodes[last + 1 :] if fm in n.maps]
        for op in makers[:1]:
            yield from _arranged(needs, Precedence(end, op, waits=True))
        for op in readers[-1:]:
            yield from _arranged(needs, Precedence(op, start))
            # What it makes can be as large, and is read best where the map was touched before.
            behind = max(n.index for n in nodes[:first] if fm in n.maps) + 1
            wish = Precedence(_least_behind(problem, op), nodes[behind].op.id)
            yield from _arranged(needs, wish)


def _least_behind(problem: IslandProblem, op: NpuOpId) -> NpuOpId:
    """The operator that makes least, of this one and those that read, one behind the other, what
    nobody else does."""
    readers: defaultdict[FmId, list[Node]] = defaultdict(list)
    for node in problem.nodes:
        for fm in {view.fm for view in node.op.views[:-1]}:
            readers[fm].append(node)
    node = best = next(node for node in problem.nodes if node.op.id == op)
    while (behind := readers[node.ofm.fm]) and behind[0].index > node.index and len(behind) == 1:
        node = behind[0]
        best = min(best, node, key=lambda each: each.op.ofm.touched.elements)
    return best.op.id


def _arranged(needs: Needs, wish: Precedence) -> Iterator[tuple[NpuOpId, ...]]:
    if not needs.path(wish.then, wish.first):
        yield needs.with_wishes((wish,)).ops


def _beside(problem: IslandProblem, first: int, last: int) -> set[FmId]:
    """Maps that are live while a part runs, and that it does not touch."""
    before = {fm for node in problem.nodes[:first] for fm in node.maps}
    behind = {fm for node in problem.nodes[last + 1 :] for fm in node.maps}
    inside = {fm for node in problem.nodes[first : last + 1] for fm in node.maps}
    return (before & behind) - inside
