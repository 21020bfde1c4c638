"""From the height of the last stripe of a cascade to the heights of all before it."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.geometry import Resampling
from core.schedule.candidates import plain
from core.schedule.draft import Draft, OpDraft, WeightDraft
from core.schedule.estimates import Estimates
from core.schedule.problem import Node


def striped(
    nodes: Sequence[Node], estimates: Estimates, buffered: Draft, last_height: int
) -> Draft:
    """The nodes in stripes that give the last one so many rows; weights stay buffered as before."""
    is_even = any(node.needs_even_rows for node in nodes)
    ops: dict[int, OpDraft] = {}
    # A stripe that begins between the two rows of a pair could not be read.
    height = last_height + last_height % 2 if nodes[-1].needs_even_rows else last_height
    for node in reversed(nodes):
        cost = estimates.stripe(node, min(height, node.ofm.shape.h))
        plan = plain(estimates, node, cost)
        before = buffered.ops[node.index].weights
        if plan.weights is not None and before is not None and before.buffers:
            plan = plan._replace(weights=_buffered_alike(plan.weights, before))
        ops[node.index] = plan
        height = (height + _odd_rows(node, height, is_even=is_even)) * node.op.kernel.stride_h
    return Draft(label=f"stripes of {last_height}", ops=ops)


def _buffered_alike(weights: WeightDraft, before: WeightDraft) -> WeightDraft:
    """Another block may order the weights in another way, which changes the size of the stream."""
    return weights._replace(buffers=weights.stream.pair_bytes[: len(before.buffers)])


def _odd_rows(node: Node, height: int, *, is_even: bool) -> int:
    """Rows to add, where rows come in pairs."""
    doubles = is_even or node.op.resampling is not Resampling.NONE
    return height % 2 if doubles else 0
