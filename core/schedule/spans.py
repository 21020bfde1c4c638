"""Bytes of fast storage beside the strategies: maps that are live while an operator runs.

Operators run in an order and those of a cascade at one time, so a map is live while a cascade
runs exactly if it is first touched by no operator behind it and last by none before it. That makes
the memory of a cascade a sum over its operators, whatever runs before and after it. For the same
reason the memory below which no schedule of an island is can be said before any search.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from core.base.ids import FmId
from core.ir.decisions import SmallestMemory
from core.ir.freedoms import Freedoms
from core.ir.npugraph import OpKind
from core.schedule.cascades import links
from core.schedule.problem import IslandProblem, Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """By node, bytes of maps that are in fast storage."""

    live: tuple[int, ...]
    """Of all that is live while it runs alone."""
    alone: tuple[int, ...]
    """The same, less what its output takes where it can lie on an input."""
    opened: tuple[int, ...]
    """Of maps that no node before it touches."""
    made: tuple[int, ...]
    """Of its output as a whole map."""
    row_bytes: tuple[int, ...]
    """Of one row of its output in a rolling buffer."""


def spans_of(problem: IslandProblem, counted: Container[FmId]) -> Spans:
    """What is live beside the strategies of each node, where these maps are in fast storage."""
    nodes = problem.nodes
    count = len(nodes)
    rows = tuple(_row_bytes(node) for node in nodes)
    sizes = _sizes(problem, counted)
    first, last = touches(problem)
    opened = [0] * count
    closed = [0] * (count + 1)
    for fm, size in sizes.items():
        opened[first[fm]] += size
        closed[last[fm] + 1] += size
    for reserve in problem.reserves:
        inside = problem.at(reserve)
        if inside:
            opened[inside[0]] += reserve.size_bytes
            closed[inside[-1] + 1] += reserve.size_bytes
    live, now = [], problem.beside.size_bytes
    for index in range(count):
        now += opened[index] - closed[index]
        live.append(now + (0 if index else problem.beside.start_bytes))
    return Spans(
        live=tuple(live),
        alone=tuple(
            live[node.index] - (sizes.get(node.ofm.fm, 0) if _lies_on(node, sizes) else 0)
            for node in nodes
        ),
        opened=tuple(opened),
        made=tuple(sizes.get(node.ofm.fm, 0) for node in nodes),
        row_bytes=rows,
    )


def touches(problem: IslandProblem) -> tuple[dict[FmId, int], dict[FmId, int]]:
    """The first and the last node beside which each map is live; what is handed on, the last."""
    first: dict[FmId, int] = {}
    last: dict[FmId, int] = {}
    for node in problem.nodes:
        for fm in node.maps:
            first.setdefault(fm, node.index)
            last[fm] = node.index
    for output in problem.island.outputs:
        storage = problem.graph.feature_maps[output].storage
        if storage in first:
            last[storage] = len(problem.nodes) - 1
    first.update(dict.fromkeys(problem.beside.before.intersection(first), 0))
    last.update(dict.fromkeys(problem.beside.after.intersection(last), len(problem.nodes) - 1))
    return first, last


def _sizes(problem: IslandProblem, counted: Container[FmId]) -> dict[FmId, int]:
    """Bytes of each map that counts; a copy that lies on its input takes what that takes."""
    sizes = {fm: problem.sizes[fm] for node in problem.nodes for fm in node.maps if fm in counted}
    for node in problem.nodes:
        is_copy = node.op.kind is OpKind.COPY and node.ofm.fm in sizes
        if is_copy and _lies_on(node, sizes):
            sizes[node.ofm.fm] = next(sizes[fm] for fm in node.overwrites if fm in sizes)
    return sizes


def _lies_on(node: Node, sizes: Container[FmId]) -> bool:
    """Whether the output takes the place of an input."""
    return any(fm in sizes for fm in node.overwrites)


def _row_bytes(node: Node) -> int:
    row = node.ofm.format.stored(node.ofm.shape.with_hw(1, node.ofm.shape.w))
    return row.elements * node.ofm.element_bytes


def handed_on(problem: IslandProblem) -> frozenset[FmId]:
    """Maps whose one reader follows their maker, where both can run in stripes in one chain."""
    return frozenset(
        node.ofm.fm
        for node, reader in zip(problem.nodes, problem.nodes[1:], strict=False)
        if links(node, reader) and reader.index not in problem.bonds.cuts
    )


def least_live(
    problem: IslandProblem, counted: Container[FmId], freedoms: Freedoms
) -> tuple[int, ...]:
    """By node: bytes of these maps that are live while it runs, whichever order operators have."""
    if not freedoms.operator_order or not (needs := problem.needs).is_open:
        return spans_of(problem, counted).alone
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
    sizes, maps, around = _sizes(problem, counted), problem.graph.feature_maps, problem.beside
    stays = around.after.union(maps[fm].storage for fm in problem.island.outputs)
    reserved = [
        sum(each.size_bytes for each in problem.reserves if node.op.id in (each.first, each.last))
        for node in problem.nodes
    ]
    return tuple(
        around.size_bytes
        + reserved[node.index]
        + sum(
            size
            for fm, size in sizes.items()
            if fm in node.maps
            or (
                (fm in around.before or users[fm] & before[node.index])
                and (fm in stays or users[fm] & behind[node.index])
            )
        )
        - (sizes.get(node.ofm.fm, 0) if _lies_on(node, sizes) else 0)
        for node in problem.nodes
    )


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
