"""Operators that cost the same wherever their maps are stored the same way.

Networks repeat themselves: of the 538 operators of an unrolled LSTM, 28 differ. What one of them
costs is worked out for all of its twins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from core.base.ids import NpuOpId
from core.ir.npugraph import NpuGraph, NpuOp, OpKind


def twins_of(graph: NpuGraph) -> tuple[NpuOpId, ...]:
    """For each operator: the first one that costs the same."""
    first: dict[Hashable, NpuOpId] = {}
    return tuple([first.setdefault(_price_of(graph, op), op.id) for op in graph.ops])


def weights_twins_of(graph: NpuGraph, twins: Sequence[NpuOpId]) -> tuple[NpuOpId, ...]:
    """For each operator: the first one whose weights are the same, and take as many bytes encoded
    in the same way; their scales and biases may differ."""
    first: dict[Hashable, NpuOpId] = {}
    pairs = zip(graph.ops, twins, strict=True)
    return tuple([first.setdefault(_weighed(op, twin), op.id) for op, twin in pairs])


def _weighed(op: NpuOp, twin: NpuOpId) -> Hashable:
    weights = op.weights
    return twin, None if weights is None else (weights.values, weights.zero_points)


def _price_of(graph: NpuGraph, op: NpuOp) -> Hashable:
    """All that the cost of an operator depends on, beside its place and that of its maps.

    What a copy costs depends on which maps are the same bytes, so it has no twin.
    """
    table = None if op.activation is None else op.activation.table
    return (
        op.id if op.kind is OpKind.COPY else None,
        op.kind,
        op.kernel,
        op.padding,
        op.pads_with_edge,
        op.resampling,
        op.operands_swapped,
        None if op.activation is None else (op.activation.kind, op.activation.stands_alone),
        table,
        None if op.weights is None else (op.weights.values.shape, op.weights.values.size_bytes),
        tuple(_seen(graph, op)),
    )


def _seen(graph: NpuGraph, op: NpuOp) -> Iterator[Hashable]:
    """The maps of an operator, as it sees them, wherever in a map a part begins; those that are one
    map are one in its twins."""
    fms = [view.fm for view in op.views]
    for view in op.views:
        fm = graph.fm(view)
        yield (
            fms.index(view.fm),
            fm.shape,
            fm.dtype,
            fm.data is None,
            view.shape,
            view.quant is None,
            view.offset is None,
            view.extent,
            (view.step_h, view.step_w, view.base_offset_bytes),
            (view.is_transposed, view.is_raw, view.is_joined),
            view.cut_by,
        )
