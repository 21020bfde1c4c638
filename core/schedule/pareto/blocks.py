"""Blocks that are worth looking at: some of the largest, some of the smallest, and the usual ones.

Large blocks are fast, small ones need less memory for rolling buffers and weights. In between, the
blocks that the cost model prefers for the whole output and for a few rows of it are enough.
"""

from __future__ import annotations

from core.cost.from_graph import block_query
from core.schedule.estimates import Estimates, stripe_of
from core.schedule.problem import Node
from core.target.block import BlockConfig
from core.target.blocks import block_search


def candidate_blocks(
    estimates: Estimates, node: Node, per_end: int, *, is_striped: bool
) -> tuple[BlockConfig, ...]:
    """Blocks for an operator; for one that can run in stripes, also those that suit low ones."""
    accelerator, whole = estimates.model.target.accelerator, estimates.whole(node)
    query = block_query(estimates.graph, node.op, stripe_of(node, node.ofm.shape.h))
    ends = block_search(accelerator).blocks_at_both_ends(accelerator, query, per_end)
    found = [whole.block, *ends]
    if is_striped:
        height = whole.block.ofm_ublock.h
        while 2 * height <= node.ofm.shape.h and height <= whole.block.ofm_block.h:
            found.append(estimates.stripe(node, height).block)
            height *= 2
    return tuple(dict.fromkeys(found))
