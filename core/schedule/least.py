"""The memory below which no schedule of an island is, said before any search."""

from __future__ import annotations

from collections.abc import Container, Sequence

from core.base.ids import FmId
from core.ir.decisions import SmallestMemory
from core.ir.freedoms import Freedoms
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
    place = {node.op.id: node.index for node in problem.nodes}
    before = [0] * len(place)
    behind = [0] * len(place)
    for node in problem.nodes:
        for op in needs.of[node.op.id]:
            before[node.index] |= before[place[op]] | 1 << place[op]
    for node in reversed(problem.nodes):
        for op in needs.of[node.op.id]:
            behind[place[op]] |= behind[node.index] | 1 << node.index
    users: dict[FmId, int] = {}
    for node in problem.nodes:
        for fm in node.maps:
            users[fm] = users.get(fm, 0) | 1 << node.index
    sizes, maps, around = (
        counted_sizes(problem, counted),
        problem.graph.feature_maps,
        problem.beside,
    )
    stays = around.after.union(maps[fm].storage for fm in problem.island.outputs)
    reserved = [
        sum(each.size_bytes for each in problem.reserves if node.op.id in (each.first, each.last))
        for node in problem.nodes
    ]
    live = [
        [
            fm
            for fm in sizes
            if fm in node.maps
            or (
                (fm in around.before or users[fm] & before[node.index])
                and (fm in stays or users[fm] & behind[node.index])
            )
        ]
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
