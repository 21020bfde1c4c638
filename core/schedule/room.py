"""How much fast storage decisions need, however a network is scheduled that has them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from core.base.ids import FmId, NpuOpId
from core.ir.edits import Living
from core.ir.fixed import Fixed
from core.liveness.sizes import map_bytes
from core.liveness.stripes import player_of
from core.schedule.branches.flow import can_roll
from core.schedule.cascades import links
from core.schedule.problem import IslandProblem, Node
from core.schedule.run import Prepared
from core.schedule.spans import least_live, touches
from core.schedule.spilling import movable_maps
from core.target.format import Format


class Need(NamedTuple):
    """Fast storage that no schedule does without, and what it is for."""

    size_bytes: int
    op: NpuOpId | None = None
    """While this runs."""
    maps: tuple[FmId, ...] = ()
    """Maps that are live then, the largest first; others may be."""


def proved_need(prepared: Prepared) -> Need:
    """Bytes that no schedule with what is fixed does without: of maps that cannot roll there, each
    in the smaller of its formats, of rows that cascades hand on, and of what others need."""
    needs = (_need(prepared, problem) for problem in prepared.ways[-1].problems)
    return max(needs, key=lambda need: need.size_bytes, default=Need(0))


def _need(prepared: Prepared, problem: IslandProblem) -> Need:
    smallest = _smallest(prepared, problem)
    rolling = can_roll(smallest, prepared.free.estimates.freedoms)
    whole = {fm for node in smallest.nodes for fm in node.maps if fm not in rolling}
    if not problem.storage.has_all_maps:
        living = prepared.ways[-1].estimates.fixed.living_of
        whole &= {fm for fm in movable_maps(problem) if living.get(fm) is Living.FAST}
    rings = _rings(smallest, prepared.ways[-1].estimates.fixed)
    live = least_live(smallest, frozenset(whole), prepared.free.estimates.freedoms)
    sizes = [each + rings.get(at, 0) for at, each in enumerate(live)]
    if not sizes:
        return Need(0)
    most = max(sizes)
    at = sizes.index(most)
    first, last = touches(smallest)
    maps = [fm for fm in whole if fm in first and first[fm] <= at <= last[fm]]
    maps.sort(key=lambda fm: (-smallest.sizes[fm], fm))
    return Need(most, smallest.nodes[at].op.id, tuple(maps))


def _rings(problem: IslandProblem, fixed: Fixed) -> dict[int, int]:
    """By node, what the rolling buffers of its cascade take at least, where that is fixed."""
    found = {}
    for chain in fixed.together:
        nodes = [node for node in problem.nodes if node.op.id in chain]
        pairs = [(node, reader) for node, reader in pairwise(nodes) if links(node, reader)]
        size = sum(_ring_bytes(node, reader, fixed) for node, reader in pairs)
        found.update({node.index: size for node in nodes})
    return found


def _ring_bytes(node: Node, reader: Node, fixed: Fixed) -> int:
    """Of the rows that are made at once or read at once, whichever are more, or of those that are
    asked for, without padding."""
    least = 2 if reader.needs_even_rows else 1
    made = fixed.height_of.get(node.op.id, 1)
    player = player_of(reader.op, fixed.height_of.get(reader.op.id, least), is_rolling=True)
    windows = (rows for fm, rows in player.reads if fm == node.ofm.fm)
    read = max((each.end - each.first for rows in windows for each in rows), default=0)
    rows = fixed.rolling_of.get(node.ofm.fm, min(max(made, read), node.ofm.shape.h))
    return node.ofm.shape.with_hw(rows, node.ofm.shape.w).elements * node.ofm.element_bytes


def _smallest(prepared: Prepared, problem: IslandProblem) -> IslandProblem:
    """The island with maps as small, and outputs as often on inputs, as any formats allow."""
    maps, free = problem.graph.feature_maps, prepared.free.fms
    sizes = tuple(
        min(map_bytes(maps[fm], order) for order in Format) if fm in free else size
        for fm, size in enumerate(problem.sizes)
    )
    nodes = tuple(replace(node, overwrites=node.alike) for node in problem.nodes)
    return replace(problem, sizes=sizes, nodes=nodes)
