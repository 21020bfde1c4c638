"""Blocks that are worth looking at: some of the largest, some of the smallest, and the usual ones.

Large blocks are fast, small ones need less memory for rolling buffers and weights. In between, the
blocks that the cost model prefers for the whole output and for a few rows of it are enough.
"""

from __future__ import annotations

from core.cost.from_graph import block_query
from core.ir.edits import Traversal
from core.schedule.estimates import Estimates, stripe_of
from core.schedule.problem import Node
from core.target.block import BlockConfig
from core.target.blocks import block_search


def candidate_blocks(
    estimates: Estimates, node: Node, per_end: int, *, is_striped: bool
) -> tuple[BlockConfig, ...]:
    """Blocks for an operator; for one that can run in stripes, also those that suit low ones."""
    accelerator, whole = estimates.model.target.accelerator, estimates.whole(node)
    pin = estimates.fixed.pin_of.get(node.op.id)
    if pin is not None and pin.block is not None:
        return (
            estimates.stripe(
                node, estimates.fixed.height_of.get(node.op.id, whole.stripe.ofm.h)
            ).block,
        )
    query = block_query(estimates.graph, node.op, stripe_of(node, node.ofm.shape.h))
    ends = block_search(accelerator).blocks_at_both_ends(accelerator, query, per_end)
    found = [whole.block, *ends]
    if is_striped:
        height = whole.block.ofm_ublock.h
        while 2 * height <= node.ofm.shape.h and height <= whole.block.ofm_block.h:
            found.append(estimates.stripe(node, height).block)
            height *= 2
    if pin is not None:
        asked = pin.traversal is Traversal.PART_KERNEL
        found = [each for each in found if each.is_part_kernel == asked] or [whole.block]
    return tuple(dict.fromkeys(found))
