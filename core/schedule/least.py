"""The memory below which no schedule of an island is, said before any search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from core.base.ids import FmId, NpuOpId
from core.ir.decisions import SmallestMemory
from core.ir.fixed import Reserve
from core.ir.freedoms import Freedoms
from core.liveness.order import Needs, members
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
    reserved = [(each.size_bytes, _during(problem, needs, each)) for each in problem.reserves]
    alone = tuple(
        around.size_bytes
        + sum(size for size, ops in reserved if node.op.id in ops)
        + sum(sizes[fm] for fm in fms)
        - (sizes.get(node.ofm.fm, 0) if lies_on(node, sizes) else 0)
        for node, fms in zip(problem.nodes, live, strict=True)
    )
    return _without_overlays(problem, alone, live, freedoms)


def _during(problem: IslandProblem, needs: Needs, reserve: Reserve) -> Container[NpuOpId]:
    """Operators that run while bytes are reserved, whichever order they have; one end, or both,
    can be in other islands."""
    place, ends = needs.always.place, (reserve.first, reserve.last)
    inside = [op for op in ends if op in place]
    if not inside:
        return [problem.nodes[index].op.id for index in problem.at(reserve)]
    found = needs.always.between(inside)
    if len(inside) == len(ends):
        return found
    side = needs.always.behind if inside[0] == reserve.first else needs.always.before
    return found.union(needs.ops[at] for at in members(side[place[inside[0]]]))


def _live_in_any_order(
    problem: IslandProblem, needs: Needs, sizes: Iterable[FmId]
) -> list[list[FmId]]:
    """By node: maps that it touches, or that some node before it must have begun and some node
    behind it needs."""
    before, behind = needs.always.before, needs.always.behind
    users: defaultdict[FmId, list[int]] = defaultdict(list)
    for node in problem.nodes:
        for fm in node.maps:
            users[fm].append(node.index)
    storages, everyone = problem.graph.feature_maps, (1 << len(problem.nodes)) - 1
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
        for index in members(begun & needed | touching):
            live[index].append(fm)
    return live


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
