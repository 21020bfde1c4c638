"""Bytes of fast storage beside the strategies: maps that are live while an operator runs.

Operators run in an order and those of a cascade at one time, so a map is live while a cascade
runs exactly if it is first touched by no operator behind it and last by none before it. That makes
the memory of a cascade a sum over its operators, whatever runs before and after it.
"""

from __future__ import annotations

from collections.abc import Container

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.ir.npugraph import OpKind
from core.schedule.links import links
from core.schedule.problem import IslandProblem, Node


class Spans(Frozen):
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
    sizes = counted_sizes(problem, counted)
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
            live[node.index] - (sizes.get(node.ofm.fm, 0) if lies_on(node, sizes) else 0)
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


def counted_sizes(problem: IslandProblem, counted: Container[FmId]) -> dict[FmId, int]:
    """Bytes of each map that counts; a copy that lies on its input takes what that takes."""
    sizes = {fm: problem.sizes[fm] for node in problem.nodes for fm in node.maps if fm in counted}
    for node in problem.nodes:
        is_copy = node.op.kind is OpKind.COPY and node.ofm.fm in sizes
        if is_copy and lies_on(node, sizes):
            sizes[node.ofm.fm] = next(sizes[fm] for fm in node.overwrites if fm in sizes)
    return sizes


def lies_on(node: Node, sizes: Container[FmId]) -> bool:
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
