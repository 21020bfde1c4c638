"""What is looked up in a table passes through whichever operator is faster.

x -> ADD 0, with a table -> y      becomes   x -> average pool of one element, with the table -> y

Neither changes what passes, so the table gives the same. A pooling of one element, for tables of 16
bits too, reads each element before it writes the one in its place, and may lie on what it reads.
"""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.base.geometry import ONE_ELEMENT, Resampling
from core.ir.npugraph import ActivationKind, NpuGraph, NpuOp, OpKind
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.fold_prices import Prices, Uses
from core.target.accelerator import Accelerator


def choose_carriers(graph: NpuGraph, accelerator: Accelerator) -> NpuGraph:
    """The same graph, with poolings in the place of sums that only pass elements to a table."""
    uses = Uses.of(graph)
    for op in graph.ops:
        if not _only_passes(graph, op):
            continue
        pool = replace(op, kind=OpKind.AVERAGE_POOL, ifm2=None)
        pooled = replace(graph, ops=(*graph.ops[: op.id], pool, *graph.ops[op.id + 1 :]))
        own = Prices(graph, uses, accelerator).cycles([op.id])
        price = Prices(pooled, uses, accelerator).cycles([op.id])
        tried = RewriteTried(
            rewrite=Rewrite.TABLE_BY_POOLING,
            sources=op.sources,
            measure=Measure.CYCLES,
            figure_without=own,
            figure_with=price,
            reason=RewriteReason.CHEAPER if price < own else RewriteReason.NOT_CHEAPER,
        )
        best = pooled if tried.reason.speaks_for else graph
        graph = replace(best, rewrites=(*graph.rewrites, tried))
    return graph


def _only_passes(graph: NpuGraph, op: NpuOp) -> bool:
    """Whether an operator adds nothing, and looks the sum up."""
    if op.kind is not OpKind.ADD or op.ifm2 is None or op.activation is None or op.scaling:
        return False
    zero, quant = graph.fm(op.ifm2).data, op.ifm2.quant
    return (
        op.activation.kind is ActivationKind.LUT
        and zero is not None
        and quant is not None
        and bool(np.all(zero.array == quant.zero_point))
        and op.ifm.quant == op.ofm.quant
    )


def with_pools_in_place(graph: NpuGraph) -> NpuGraph:
    """The same graph, in which whoever searches and places may let such maps share their bytes.

    A map that an operator spreads is read again and again: from bricks in one burst, from the rows
    that its maker reads in one for each element. It is small, and has bytes of its own.
    """
    spread = {
        op.ifm2.fm for op in graph.ops if op.ifm2 is not None and op.ifm2.touched != op.ofm.touched
    }
    ops = (op if op.ofm.fm in spread else _marked(op) for op in graph.ops)
    return replace(graph, ops=tuple(ops))


def _marked(op: NpuOp) -> NpuOp:
    is_single = op.kernel == ONE_ELEMENT and op.resampling is Resampling.NONE
    if op.kind is not OpKind.AVERAGE_POOL or not is_single:
        return op
    return replace(op, is_in_place=True)
