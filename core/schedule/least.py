"""The memory below which no schedule of an island is, said before any search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence

from core.base.ids import FmId
from core.ir.decisions import SmallestMemory
from core.ir.freedoms import Freedoms
from core.liveness.order import Needs
from core.schedule.branches.ends import ends_of
from core.schedule.branches.flow import can_run
from core.schedule.problem import IslandProblem
from core.schedule.spans import counted_sizes, lies_on, spans_of, touches


def least_live(
    problem: IslandProblem, counted: Container[FmId], freedoms: Freedoms
) -> tuple[int, ...]:
    """By node: bytes of these maps that are live while it runs, whichever order operators have, and
    however cascades lay them over each other."""
    if not freedoms.operator_order or not (needs := problem.needs).is_open:
        sizes, (first, last) = counted_sizes(problem, counted), touches(problem)
        live = [
            [fm for fm in sizes if first[fm] <= node.index <= last[fm]] for node in problem.nodes
        ]
        alone = spans_of(problem, counted).alone
        return _without_overlays(problem, alone, live, freedoms)
    sizes, around = counted_sizes(problem, counted), problem.beside
    live = _live_in_any_order(problem, needs, sizes)
    reserved = [
        sum(each.size_bytes for each in problem.reserves if node.op.id in (each.first, each.last))
        for node in problem.nodes
    ]
    alone = tuple(
        around.size_bytes
        + reserved[node.index]
        + sum(sizes[fm] for fm in fms)
        - (sizes.get(node.ofm.fm, 0) if lies_on(node, sizes) else 0)
        for node, fms in zip(problem.nodes, live, strict=True)
    )
    return _without_overlays(problem, alone, live, freedoms)


def _live_in_any_order(
    problem: IslandProblem, needs: Needs, sizes: Iterable[FmId]
) -> list[list[FmId]]:
    """By node: maps that it touches, or that some node before it must have begun and some node
    behind it needs. Sets of nodes are numbers with a bit for each."""
    place = {node.op.id: node.index for node in problem.nodes}
    before, behind = [0] * len(place), [0] * len(place)
    for node in problem.nodes:
        for op in needs.of[node.op.id]:
            before[node.index] |= before[place[op]] | 1 << place[op]
    for node in reversed(problem.nodes):
        for op in needs.of[node.op.id]:
            behind[place[op]] |= behind[node.index] | 1 << node.index
    users: defaultdict[FmId, list[int]] = defaultdict(list)
    for node in problem.nodes:
        for fm in node.maps:
            users[fm].append(node.index)
    storages, everyone = problem.graph.feature_maps, (1 << len(place)) - 1
    stays = problem.beside.after.union(storages[fm].storage for fm in problem.island.outputs)
    live: list[list[FmId]] = [[] for _ in problem.nodes]
    for fm in sizes:
        begun = needed = touching = 0
        for user in users[fm]:
            begun |= behind[user]
            needed |= before[user]
            touching |= 1 << user
        begun = everyone if fm in problem.beside.before else begun
        needed = everyone if fm in stays else needed
        for index in _members(begun & needed | touching):
            live[index].append(fm)
    return live


def _members(bits: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _without_overlays(
    problem: IslandProblem,
    alone: Sequence[int],
    live: Sequence[Sequence[FmId]],
    freedoms: Freedoms,
) -> tuple[int, ...]:
    """Bytes beside each node, less all that pairs of live maps could have in common.

    Whatever lies over each other does so in a cascade, and each map in one pair at most.
    Operators that an edit makes run alone are in none.
    """
    if not freedoms.dead_rows:
        return tuple(alone)
    ends = ends_of(problem)
    found = []
    for node, size, fms in zip(problem.nodes, alone, live, strict=True):
        may_share = can_run(node) and node.index not in problem.bonds.alone
        pairs = [problem.sizes[fm] for fm in fms if fm in ends] if may_share else []
        most = min(sum(pairs) // 2, sum(pairs) - max(pairs)) if pairs else 0
        found.append(size - most)
    return tuple(found)


def least_memory(
    problem: IslandProblem, rolling: Container[FmId], freedoms: Freedoms
) -> SmallestMemory:
    """What maps take that must exist whole, while the operator runs beside which most are live;
    those that can be smaller are given."""
    whole = frozenset(fm for node in problem.nodes for fm in node.maps if fm not in rolling)
    sizes = least_live(problem, whole, freedoms)
    largest = max(problem.nodes, key=lambda node: sizes[node.index], default=None)
    return SmallestMemory(
        island=problem.island.id,
        size_bytes=0 if largest is None else sizes[largest.index],
        op=None if largest is None else largest.op.id,
    )
