"""Questions about operators of an NPU graph, put in the terms of block search and cost model."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.cost.work import FmUse, Work
from core.ir.npugraph import ActivationKind, NpuGraph, NpuOp, OpKind, View
from core.ir.schedule import Stripe
from core.target.block import BlockConfig, BlockQuery
from core.target.format import Format
from core.target.target import Area
from core.target.throughput import Arithmetic, Finish

ARITHMETIC = {
    OpKind.MUL: Arithmetic.MULTIPLY,
    OpKind.ADD: Arithmetic.ADD,
    OpKind.SUB: Arithmetic.ADD,
    OpKind.MAX_POOL: Arithmetic.MAXIMUM,
}
"""Of kinds that are not `Arithmetic.OTHER`."""


class Place(Frozen, kw_only=False, cache_hash=True):
    """Where a feature map lives, and in which order."""

    area: Area
    format: Format


def whole(op: NpuOp) -> Stripe:
    """The stripe that is all of an operator."""
    return Stripe(op.made, op.ifm.shape, None if op.ifm2 is None else op.ifm2.shape)


def block_query(graph: NpuGraph, op: NpuOp, stripe: Stripe) -> BlockQuery:
    """What decides the blocks of an operator that runs in such stripes."""
    return BlockQuery(
        unit=op.kind.unit,
        ifm=stripe.ifm,
        ifm2=stripe.ifm2,
        ofm=stripe.ofm,
        ifm_bits=graph.fm(op.ifm).dtype.bits,
        kernel=op.kernel,
        uses_table=uses_table(op),
        has_scaling=all(view.quant is not None for view in op.views),
        uses_scalar=op.ifm2 is not None
        and (graph.fm(op.ifm).is_scalar or graph.fm(op.ifm2).is_scalar),
        resampling=op.resampling,
    )


def work_of(
    graph: NpuGraph, op: NpuOp, block: BlockConfig, places: tuple[Place, ...], constants: Area
) -> Work:
    """The work of an operator, given the places of its views, and where its weights are."""
    uses = [use_of(graph, view, place) for view, place in zip(op.views, places, strict=True)]
    return Work(
        unit=op.kind.unit,
        arithmetic=ARITHMETIC.get(op.kind, Arithmetic.OTHER),
        finish=finish_of(op),
        kernel_h=op.kernel.h,
        kernel_w=op.kernel.w,
        ifm=uses[0],
        ifm2=uses[1] if op.ifm2 is not None else None,
        ofm=uses[-1],
        block=block,
        constants=constants if op.weights is not None else None,
    )


def uses_table(op: NpuOp) -> bool:
    """Whether the operator needs a look-up table of its own in the shared buffer."""
    return op.activation is not None and op.activation.table is not None


def finish_of(op: NpuOp) -> Finish:
    """What is done to an element after scaling."""
    if op.activation is None:
        return Finish.NONE
    return Finish.CLAMP if op.activation.kind is ActivationKind.CLAMP else Finish.TABLE


def use_of(graph: NpuGraph, view: View, place: Place) -> FmUse:
    """A map as an operator sees it, in its place."""
    bits = graph.fm(view).dtype.bits
    # Seen turned, a step from column to column is one from row to row of the map.
    columns = view.shape.h if view.is_transposed else 1
    pitch = view.shape.c * columns * view.step_w
    return FmUse(shape=view.touched, bits=bits, format=place.format, area=place.area, pitch=pitch)
