"""Blocks that are worth looking at: some of the largest, some of the smallest, and the usual ones.

Large blocks are fast, small ones need less memory for rolling buffers and weights. In between, the
blocks that the cost model prefers for the whole output and for a few rows of it are enough.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from core.base.geometry import Block
from core.cost.from_graph import block_query
from core.schedule.estimates import Estimates, stripe_of
from core.schedule.problem import Node
from core.target.accelerator import Accelerator
from core.target.block import BlockConfig, BlockQuery
from core.target.blocks import prefers_part_kernel
from core.target.candidates import Demand, depths_to_try, fitting_pairs, search_space

_MEMO_SIZE = 1 << 12


def candidate_blocks(
    estimates: Estimates, node: Node, per_end: int, *, is_striped: bool
) -> tuple[BlockConfig, ...]:
    """Blocks for an operator; for one that can run in stripes, also those that suit low ones."""
    model, whole = estimates.model, estimates.whole(node)
    query = block_query(estimates.graph, node.op, stripe_of(node, node.ofm.shape.h))
    found = [whole.block, *blocks_at_both_ends(model.target.accelerator, query, per_end)]
    if is_striped:
        height = model.target.accelerator.ofm_ublock.h
        while 2 * height <= node.ofm.shape.h and height <= whole.block.ofm_block.h:
            found.append(estimates.stripe(node, height).block)
            height *= 2
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=_MEMO_SIZE)
def blocks_at_both_ends(
    accelerator: Accelerator, query: BlockQuery, per_end: int
) -> tuple[BlockConfig, ...]:
    """So many of the largest and of the smallest blocks that fit, by area and then by depth."""
    is_part_kernel = prefers_part_kernel(query)
    demand = Demand.of(accelerator, query, is_part_kernel=is_part_kernel)
    pairs, space = fitting_pairs(demand), search_space(accelerator, query)
    depths = np.array(depths_to_try(accelerator, query))
    inside = (pairs.heights <= space.h) & (pairs.widths <= space.w)
    rows, columns = np.nonzero((depths[:, None] <= pairs.deepest) & inside)
    heights, widths, deep = pairs.heights[columns], pairs.widths[columns], depths[rows]
    order = np.lexsort((-heights, -deep, -heights * widths))
    chosen = np.concatenate([order[:per_end], order[per_end:][-per_end:]]) if per_end else order[:0]
    configs = (
        demand.config(
            Block(int(heights[at]), int(widths[at]), int(deep[at])), is_part_kernel=is_part_kernel
        )
        for at in chosen
    )
    return tuple(config for config in configs if config is not None)
