"""A stride along the width becomes depth where that is cheaper: columns are read as channels.

ifm 1x96x96x3, kernel 3x3, stride 2x2      becomes   ifm 1x96x48x6, kernel 3x2, stride 2x1

The bytes of the input stay where they are, and kernels are widened with zeros. That fills the
depth of a first layer of few channels, but multiplies with the zeros as well. Strides that the
hardware does not have are folded before, price or not (`rewrites/width_stride.py`).
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Padding, Shape4
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.fold_prices import Prices, Uses
from core.lower.rewrites.padding import hardware_can_pad
from core.lower.rewrites.width_stride import widened
from core.lower.strides import columns_to_fold
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format


def fold_widths(graph: NpuGraph, accelerator: Accelerator) -> NpuGraph:
    """The same graph, with columns read as channels wherever that is cheaper."""
    uses = Uses.of(graph)
    for op in graph.ops:
        folded = _folded(op)
        if folded is not None and _is_known_whole(graph, op):
            graph = _cheaper(graph, uses, accelerator, folded)
    return graph


def _is_known_whole(graph: NpuGraph, op: NpuOp) -> bool:
    source = graph.fm(op.ifm)
    return source.data is None and not source.is_variable and source.storage == source.id


def _cheaper(graph: NpuGraph, uses: Uses, accelerator: Accelerator, op: NpuOp) -> NpuGraph:
    """The graph with a folded operator, or as it is where that costs no more."""
    changed = replace(graph, ops=(*graph.ops[: op.id], op, *graph.ops[op.id + 1 :]))
    prices = Prices(graph, uses, accelerator)
    # Others notice a fold only by rows where they had bricks.
    is_brick = prices.format(op.ifm.fm) is Format.BRICKS
    priced = uses.touching[op.ifm.fm] if is_brick else (op.id,)
    own, folded = prices.cycles(priced), Prices(changed, uses, accelerator).cycles(priced)
    reason = RewriteReason.CHEAPER if folded < own else RewriteReason.NOT_CHEAPER
    if reason.speaks_for and prices.would_break_stripes([op.ifm.fm]):
        reason = RewriteReason.STRIPES_ARE_WORTH_MORE
    tried = RewriteTried(
        rewrite=Rewrite.COLUMNS_AS_CHANNELS,
        sources=op.sources,
        measure=Measure.CYCLES,
        figure_without=own,
        figure_with=folded,
        reason=reason,
    )
    return replace(changed if reason.speaks_for else graph, rewrites=(*graph.rewrites, tried))


def _folded(op: NpuOp) -> NpuOp | None:
    """The same convolution with as many columns read as one as its stride allows."""
    shape, kernel, padding = op.ifm.shape, op.kernel, op.padding
    columns = columns_to_fold(shape.w, kernel.stride_w)
    view = op.ifm
    moved = (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed)
    if (
        op.kind is not OpKind.CONV_2D
        or op.weights is None
        or columns == 1
        or kernel.dilation_w != 1
        or shape.c * columns > BRICK_DEPTH
        or view.offset is not None
        or moved != (1, 1, 0, False)
        or op.pads_with_edge
    ):
        return None
    left = -padding.left % columns
    width = -(-(left + kernel.w) // columns)
    stride = kernel.stride_w // columns
    before = (padding.left + left) // columns
    reached = (op.ofm.shape.w - 1) * stride + width - before
    after = max(0, reached - shape.w // columns)
    sides = Padding(top=padding.top, left=before, bottom=padding.bottom, right=after)
    window = replace(kernel, w=width, stride_w=stride)
    if not hardware_can_pad(sides, window):
        return None
    right = width * columns - left - kernel.w
    return replace(
        op,
        ifm=replace(view, shape=Shape4(shape.n, shape.h, shape.w // columns, shape.c * columns)),
        kernel=window,
        padding=sides,
        weights=widened(op.weights, left, right, columns),
    )
