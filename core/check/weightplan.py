"""Judges how weights are cut into slices, and the buffers that the slices go through."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.check.finding import Finding
from core.check.lifetimes import op_name
from core.ir.npugraph import NpuGraph
from core.ir.schedule import OpPlan, WeightPlan
from core.target.format import BRICK_DEPTH
from core.target.target import Area, Target

_SLOW = frozenset({Area.DRAM, Area.OFF_CHIP_FLASH})
"""Permanent memories that are slow enough to bring weights to fast storage."""


def verify(graph: NpuGraph, target: Target, plan: OpPlan) -> Iterator[Finding]:
    """Everything that is wrong with the slices and buffers of an operator's weights."""
    where, weights, op = op_name(graph, plan.op), plan.weights, graph.ops[plan.op]
    if (weights is None) != (op.weights is None):
        yield Finding(where, "a weight plan belongs to operators with weights, and only to them")
    if weights is None or op.weights is None:
        return
    depth, cuts = op.weights.values.shape[0], weights.depth_slices
    is_ascending = all(low < high for low, high in pairwise(cuts))
    if len(cuts) < 2 or (cuts[0], cuts[-1]) != (0, depth) or not is_ascending:
        yield Finding(where, f"its slices {cuts} do not go from 0 to {depth}")
    if any(cut % BRICK_DEPTH for cut in cuts[1:-1]):
        yield Finding(where, f"its slices {cuts} do not end at multiples of {BRICK_DEPTH}")
    if len(weights.slice_bytes) != len(cuts) - 1 or min(weights.slice_bytes, default=0) < 1:
        yield Finding(where, f"its slices {cuts} have the sizes {weights.slice_bytes}")
    if plan.cascade is not None and len(cuts) != 2:
        yield Finding(where, f"is in a cascade, but its weights are cut at {cuts}")
    yield from _buffers(where, target, weights)


def _buffers(where: str, target: Target, weights: WeightPlan) -> Iterator[Finding]:
    buffers = weights.buffer_bytes
    if len(buffers) > 2:
        yield Finding(where, f"has {len(buffers)} weight buffers")
    if weights.is_prefetched and not buffers:
        yield Finding(where, "its weights are fetched early, but to no buffer")
    if buffers and (target.permanent.area not in _SLOW or target.permanent == target.fast):
        text = f"buffers weights that are in {target.permanent.area.value}"
        yield Finding(where, text)
    for number, size in enumerate(buffers):
        needed = max(weights.slice_bytes[number :: len(buffers)], default=0)
        if size < needed:
            yield Finding(where, f"weight buffer {number} has {size} bytes for {needed}")
