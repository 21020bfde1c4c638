"""The search for blocks that fit into a shared buffer.

A block is legal when its input, its accumulators and the look-up table fit into the shared buffer.
Among the legal ones the search takes the block for which input and weights are fetched least often.
Cost, candidates and ties are those of the ecosystem's compiler, to the last bit of the arithmetic,
so that a schedule can be held against its schedules; all candidates are costed at once, as arrays.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.base.geometry import Block, ceil_div, round_up
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery, ManyBlocks
from core.target.candidates import (
    Bools,
    Demand,
    Floats,
    Ints,
    Pairs,
    depths_to_try,
    fitting_pairs,
    search_space,
)
from core.target.unit import Unit

_SMALL = 4
"""Blocks of at most this height and width may replace an equally good one."""

_MEMO_SIZE = 1 << 14
_MANY_MEMO_SIZE = 1 << 10
"""Of answers with many blocks each."""


@lru_cache(maxsize=_MEMO_SIZE)
def find_block(accelerator: Accelerator, query: BlockQuery) -> BlockConfig | None:
    """The block that costs least, or None where not even the smallest fits."""
    is_part_kernel = prefers_part_kernel(query)
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    depths, pairs = _candidates(demand, query)
    fits = depths <= np.minimum(pairs.deepest, _deepest_on_side(demand, query, pairs))
    if not fits.any():
        return None
    ifm_depths = depths if demand.ifm_depth is None else np.array([[demand.ifm_depth]])
    costs = _costs(demand, query, depths, pairs)
    costs = np.where(_holds_all(query, pairs, ifm_depths), costs / 2, costs)
    row, pair = divmod(_cheapest(query, pairs, np.where(fits, costs, np.inf)), fits.shape[1])
    block = Block(int(pairs.heights[pair]), int(pairs.widths[pair]), int(depths[row, 0]))
    return demand.config(block, is_part_kernel=is_part_kernel)


@lru_cache(maxsize=_MEMO_SIZE)
def block_of(
    accelerator: Accelerator, query: BlockQuery, ofm_block: Block, *, is_part_kernel: bool
) -> BlockConfig | None:
    """The config with this block, or None where the hardware does not allow it."""
    limits = zip(ofm_block, accelerator.family.max_ofm_block, accelerator.ofm_ublock, strict=True)
    if not all(0 < size <= most and size % unit == 0 for size, most, unit in limits):
        return None
    if is_part_kernel and not query.has_kernel_weights:
        return None
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    return demand.config(ofm_block, is_part_kernel=is_part_kernel)


@lru_cache(maxsize=_MANY_MEMO_SIZE)
def blocks_worth_asking(
    accelerator: Accelerator, query: BlockQuery, *, is_part_kernel: bool
) -> ManyBlocks:
    """All blocks that fit, less those that are only larger than another.

    A block that cuts the output into no fewer parts than a smaller one does takes longer for each;
    of depths the greatest counts too, as it leaves the least to the last part.
    """
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    pairs, depths = fitting_pairs(demand), depths_to_try(accelerator, query)
    space, most = search_space(accelerator, query), accelerator.family.max_ofm_block
    unit = accelerator.ofm_ublock
    _, height, width, depth = query.ofm
    # There the start of a block is spread over its elements.
    is_every = query.unit is Unit.ELEMENTWISE
    if not is_every:
        depths = _depths_worth_asking(depth, depths)
    of_height = _is_worth_asking(height, space.h, unit.h, most.h, is_every=is_every)
    of_width = _is_worth_asking(width, space.w, unit.w, most.w, is_every=is_every)
    places = np.flatnonzero(of_height[pairs.heights] & of_width[pairs.widths])
    deep = np.array(depths)
    rows, at = np.nonzero(deep[:, None] <= pairs.deepest[places])
    return _many(demand, pairs, places[at], deep[rows], is_part_kernel=is_part_kernel)


def all_blocks(accelerator: Accelerator, query: BlockQuery, *, is_part_kernel: bool) -> ManyBlocks:
    """All blocks that fit, but such as an operator takes no less in than in another.

    Of those that are larger than the output only the smallest counts, of element-wise ones that
    differ in height only the highest: there the start of a block is spread over its elements.
    """
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    most = accelerator.family.max_ofm_block
    # An element-wise block is paid for as it is asked for, be it ever so empty.
    is_elementwise = query.unit is Unit.ELEMENTWISE
    space = most if is_elementwise else search_space(accelerator, query)
    pairs, unit = fitting_pairs(demand), accelerator.ofm_ublock.c
    pairs = pairs.where((pairs.heights <= space.h) & (pairs.widths <= space.w))
    deep = np.arange(unit, space.c + 1, unit)
    rows, at = np.nonzero(deep[:, None] <= pairs.deepest)
    if is_elementwise:
        order = np.lexsort((-pairs.heights[at], pairs.widths[at], rows))
        rows, at = rows[order], at[order]
        is_highest = np.diff(pairs.widths[at], prepend=-1) != 0
        is_highest |= np.diff(rows, prepend=-1) != 0
        rows, at = rows[is_highest], at[is_highest]
    return _many(demand, pairs, at, deep[rows], is_part_kernel=is_part_kernel)


def _many(
    demand: Demand, pairs: Pairs, at: Ints, deep: Ints, *, is_part_kernel: bool
) -> ManyBlocks:
    """Blocks of some pairs of height and width, so deep."""
    ifm_deep = deep if demand.ifm_depth is None else np.full_like(deep, demand.ifm_depth)
    made = pairs.heights[at], pairs.widths[at], deep
    read = pairs.ifm_heights[at], pairs.ifm_widths[at], ifm_deep
    return ManyBlocks(np.array([*made, *read, np.full_like(deep, is_part_kernel)]))


@lru_cache(maxsize=_MEMO_SIZE)
def _is_worth_asking(whole: int, space: int, unit: int, most: int, *, is_every: bool) -> Bools:
    """By height or width of a block: whether it is the least that cuts the whole into as many
    parts, or any."""
    sizes = np.arange(unit, space + 1, unit)
    is_one = np.zeros(most + 1, dtype=np.bool_)
    is_one[sizes if is_every else sizes[_is_first(_blocks(whole, sizes))]] = True
    return is_one


@lru_cache(maxsize=_MEMO_SIZE)
def _depths_worth_asking(whole: int, depths: tuple[int, ...]) -> tuple[int, ...]:
    """Depths less those that are neither the least nor the greatest of their kind."""
    tried = np.array(depths)
    is_first = _is_first(_blocks(whole, tried))
    is_last = np.concatenate((is_first[1:], (True,)))
    return tuple(tried[is_first | is_last].tolist())


def _is_first(parts: Ints) -> Bools:
    """Which of numbers that do not grow are less than the one before."""
    return np.concatenate(((True,), parts[1:] < parts[:-1]))


@lru_cache(maxsize=_MEMO_SIZE)
def blocks_at_both_ends(
    accelerator: Accelerator, query: BlockQuery, per_end: int
) -> tuple[BlockConfig, ...]:
    """So many of the largest and of the smallest blocks that fit, by area and then by depth; with
    0, all of them."""
    is_part_kernel = prefers_part_kernel(query)
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    depths, pairs = _candidates(demand, query)
    rows, columns = np.nonzero(depths <= pairs.deepest)
    heights, widths, deep = pairs.heights[columns], pairs.widths[columns], depths[rows, 0]
    order = np.lexsort((-heights, -deep, -heights * widths))
    chosen = np.concatenate([order[:per_end], order[per_end:][-per_end:]]) if per_end else order
    configs = (
        demand.config(
            Block(int(heights[at]), int(widths[at]), int(deep[at])), is_part_kernel=is_part_kernel
        )
        for at in chosen
    )
    return tuple(config for config in configs if config is not None)


def prefers_part_kernel(query: BlockQuery) -> bool:
    """Whether part-kernel traversal keeps more of the MAC units busy than depth first."""
    if not query.has_kernel_weights:
        return False
    depth, taps = query.volume.c, query.kernel.taps
    if depth <= 8:
        return True
    depth_at_once, taps_at_once = (32, 4) if query.ifm_bits == 8 else (16, 2)
    part_use = depth * taps / (round_up(depth, 8) * round_up(taps, taps_at_once))
    return part_use > depth / round_up(depth, depth_at_once)


def _candidates(demand: Demand, query: BlockQuery) -> tuple[Ints, Pairs]:
    """Depths, as a column, and the pairs that are not larger than the output and fit with one."""
    pairs, space = fitting_pairs(demand), search_space(demand.accelerator, query)
    depths = np.array(depths_to_try(demand.accelerator, query))
    inside = (pairs.heights <= space.h) & (pairs.widths <= space.w)
    return depths[:, None], pairs.where(inside & (pairs.deepest >= depths[0]))


def _deepest_on_side(demand: Demand, query: BlockQuery, pairs: Pairs) -> Ints:
    """A block higher than wide is left out when the same block on its side was and did not fit."""
    space, h, w = search_space(demand.accelerator, query), pairs.heights, pairs.widths
    was_tried = (h > w) & (w <= space.h) & (h <= space.w)
    return np.where(was_tried, pairs.deepest_turned, pairs.deepest)


def _cheapest(query: BlockQuery, pairs: Pairs, costs: Floats) -> int:
    """Flat index of the best block, by cost and, where they are small, by how much they cover."""
    flat = costs.ravel()
    first = int(flat.argmin())
    equal = np.flatnonzero(flat == flat[first])
    pair = equal % costs.shape[1]
    small = (pairs.heights[pair] <= _SMALL) & (pairs.widths[pair] <= _SMALL) & (equal > first)
    if not small.any():
        return first
    volume, pair = query.volume, pair[small]
    covered_w = np.minimum(volume.w, pairs.ifm_widths[pair])
    covered_h = np.minimum(volume.h, pairs.ifm_heights[pair])
    coverage = (volume.w * volume.h) / (covered_w * covered_h)
    return int(equal[small][np.flatnonzero(coverage == coverage.min())[-1]])


def _holds_all(query: BlockQuery, pairs: Pairs, ifm_depths: Ints) -> Bools:
    """Where both buffers hold the whole input: there is nothing to fetch again."""
    return query.volume.elements < pairs.ifm_heights * pairs.ifm_widths * ifm_depths * 2


def _costs(demand: Demand, query: BlockQuery, depths: Ints, pairs: Pairs) -> Floats:
    """What is fetched for each element of the output, or made in vain by an element-wise block."""
    if query.unit is Unit.ELEMENTWISE:
        made = pairs.heights * pairs.widths * depths
        return np.maximum(query.ofm.elements / made, 1.0)
    kernel, ofm, depth = query.kernel, query.ofm, query.volume.c
    most_h, most_w = demand.accelerator.family.max_subkernel
    heights = np.minimum(pairs.heights, 1) if demand.is_squeezed else pairs.heights
    repeats = ceil_div(kernel.dilated_w, most_w) * ceil_div(kernel.dilated_h, most_h)
    blocks = (ofm.w / pairs.widths) * (ofm.h / heights)
    inputs = pairs.ifm_heights * pairs.ifm_widths * depth * repeats * blocks
    fetched = inputs if query.has_equal_depth else inputs * _blocks(ofm.c, depths)
    if query.has_kernel_weights:
        whole = _blocks(ofm.w, pairs.widths) * _blocks(ofm.h, heights)
        weights = kernel.dilated_w * kernel.dilated_h * depth * whole
        is_depthwise = query.unit is Unit.DEPTHWISE
        fetched = fetched + (weights if is_depthwise else weights * (depths * (ofm.c / depths)))
    return fetched / ofm.elements


def _blocks(whole: int, sizes: Ints) -> Ints:
    return -(-whole // sizes)
