"""Poolings of single elements that may lie on what they read.

What a table of 16 bits is looked up in, or what only changes its scale, passes through a pooling of
one element. It reads each element before it writes the one in its place.
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import ONE_ELEMENT, Resampling
from core.ir.npugraph import NpuGraph, NpuOp, OpKind


def with_pools_in_place(graph: NpuGraph) -> NpuGraph:
    """The same graph, in which whoever searches and places may let such maps share their bytes."""
    return replace(graph, ops=tuple(map(_marked, graph.ops)))


def _marked(op: NpuOp) -> NpuOp:
    is_single = op.kernel == ONE_ELEMENT and op.resampling is Resampling.NONE
    if op.kind is not OpKind.AVERAGE_POOL or not is_single:
        return op
    return replace(op, is_in_place=True)
