"""How much fast storage decisions need, however a network is scheduled that has them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

from core.base.frozen import Frozen, replace
from core.base.ids import FmId, NpuOpId
from core.ir.edits import Living, Traversal, WeightsAsked
from core.ir.fixed import Fixed, Pin
from core.liveness.sizes import map_bytes
from core.liveness.stripes import player_of
from core.schedule.branches.flow import can_roll
from core.schedule.cascades import links
from core.schedule.estimates import Estimates
from core.schedule.least import least_live
from core.schedule.problem import IslandProblem, Node
from core.schedule.run import Prepared
from core.schedule.spans import touches
from core.schedule.weight_choice import SMALLEST_BUFFER_BYTES
from core.target.block import BlockConfig
from core.target.format import Format

_MOST_WEIGHTS = 1 << 17
"""Of larger ones not every order is encoded, and less is proved."""


class Need(Frozen, kw_only=False):
    """Fast storage that no schedule does without, and what it is for."""

    size_bytes: int
    op: NpuOpId | None = None
    """While this runs."""
    maps: tuple[FmId, ...] = ()
    """Maps that are live then, the largest first; others may be."""


def proved_need(prepared: Prepared) -> Need:
    """Bytes that no schedule with what is fixed does without: of maps that cannot roll there, each
    in the smaller of its formats, of rows that cascades hand on, of weights that are to come
    through buffers, and of what others need."""
    needs = (_need(prepared, problem) for problem in prepared.ways[-1].problems)
    return max(needs, key=lambda need: need.size_bytes, default=Need(0))


def _need(prepared: Prepared, problem: IslandProblem) -> Need:
    smallest = _smallest(prepared, problem)
    rolling = can_roll(smallest, prepared.free.estimates.options.freedoms)
    whole = {fm for node in smallest.nodes for fm in node.maps if fm not in rolling}
    if not problem.storage.has_all_maps:
        living = prepared.ways[-1].estimates.fixed.living_of
        whole &= {fm for fm in problem.movable if living.get(fm) is Living.FAST}
    estimates = prepared.ways[-1].estimates
    rings, buffers = _rings(smallest, estimates.fixed), _buffers(smallest, estimates)
    live = least_live(smallest, frozenset(whole), prepared.free.estimates.options.freedoms)
    sizes = [each + rings.get(at, 0) + buffers.get(at, 0) for at, each in enumerate(live)]
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


def _buffers(problem: IslandProblem, estimates: Estimates) -> dict[int, int]:
    """By node, what its weights take at least while it runs, where they are to have buffers."""
    if not estimates.model.target.has_far_constants:
        return {}
    found = {}
    for node in problem.nodes:
        asked = estimates.fixed.weights_of.get(node.op.id)
        if asked is not None and (count := asked.buffers or bool(asked.prefetch)):
            found[node.index] = _buffer_bytes(node, asked, count, estimates)
    return found


def _buffer_bytes(node: Node, asked: WeightsAsked, count: int, estimates: Estimates) -> int:
    """In the order of weights that makes its slices smallest, where slices are asked for."""
    assert node.op.weights is not None
    smallest = SMALLEST_BUFFER_BYTES * count
    if asked.depths is None or node.op.weights.values.array.size > _MOST_WEIGHTS:
        return smallest
    sizes = []
    for block in _weight_orders(node, estimates):
        first, second = estimates.stream(node, block, asked.depths).pair_bytes
        sizes.append(first + second if count > 1 else max(first, second))
    return max(min(sizes), smallest)


def _weight_orders(node: Node, estimates: Estimates) -> Iterator[BlockConfig]:
    """Blocks with every depth and traversal that some legal one can have."""
    found, pin = estimates.whole(node).block, estimates.fixed.pin_of.get(node.op.id, Pin())
    step, most = found.ofm_ublock.c, estimates.model.target.accelerator.family.max_ofm_block.c
    depths = range(step, most + 1, step) if pin.block is None else [pin.block.c]
    for depth, order in product(depths, Traversal):
        if pin.traversal in (None, order):
            block = found.ofm_block._replace(c=depth)
            is_part_kernel = order is Traversal.PART_KERNEL
            yield replace(found, ofm_block=block, is_part_kernel=is_part_kernel)


def _smallest(prepared: Prepared, problem: IslandProblem) -> IslandProblem:
    """The island with maps as small, and outputs as often on inputs, as any formats allow."""
    maps, free = problem.graph.feature_maps, prepared.free.fms
    sizes = tuple(
        min(map_bytes(maps[fm], order) for order in Format) if fm in free else size
        for fm, size in enumerate(problem.sizes)
    )
    nodes = tuple(replace(node, overwrites=node.alike) for node in problem.nodes)
    return replace(problem, sizes=sizes, nodes=nodes)
