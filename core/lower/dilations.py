"""Convolutions whose dilation the file spells out are convolutions with a dilation.

x -> SPACE_TO_BATCH_ND -> CONV_2D -> BATCH_TO_SPACE_ND -> y     becomes     x -> CONV_2D -> y

Converters take the input apart so that neighbours in a part are as far from each other as the
dilation is long, and put the outputs together again; 16-bit networks have them so to this day.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.base.frozen import replace
from core.base.geometry import NO_PADDING, Kernel, Padding, same_padding
from core.ir.network import Operator, Table, Tensor
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import quant_of
from core.lower.slicing import integers
from core.lower.source import PADDING_SAME, PADDING_VALID, SourceGraph, SourceOp
from core.lower.source_joins import Joined

_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
_FIRST, _LAST = "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"
_RANK = 4


def joined_dilations(graph: SourceGraph) -> Iterator[Joined]:
    """One convolution for each three operators."""
    for last in (op for op in graph.ops if op.kind == _LAST):
        middle = graph.maker(last.input_id(0), _CONVOLUTIONS)
        first = None if middle is None else graph.maker(middle.input_id(0), {_FIRST})
        if middle is None or first is None:
            continue
        operator = _as_one(first, middle, last)
        if operator is not None:
            yield Joined(operator, _tried(first, middle, last))


def _as_one(first: SourceOp, middle: SourceOp, last: SourceOp) -> Operator | None:
    """The convolution with the dilation, where it makes what the three make."""
    given, made, kernel = first.ifm, last.ofm, middle.window.kernel
    blocks, pads = integers(first.input(1)) or (), integers(first.input(2)) or ()
    crops = integers(last.input(2)) or ()
    is_plain = kernel.stride_h == kernel.stride_w == kernel.dilation_h == kernel.dilation_w == 1
    if given is None or middle.window.is_same or not is_plain or blocks != integers(last.input(1)):
        return None
    if len(blocks) != 2 or len(pads) != len(crops) or len(pads) != _RANK:
        return None
    ranks = {len(tensor.shape) for tensor in (given, first.ofm, middle.ofm, made)}
    if ranks != {_RANK} or not (_is_alike(given, first.ofm) and _is_alike(middle.ofm, made)):
        return None
    dilated = replace(kernel, dilation_h=blocks[0], dilation_w=blocks[1])
    top, bottom, left, right = (pad - crop for pad, crop in zip(pads, crops, strict=True))
    padding = Padding(top=top, left=left, bottom=bottom, right=right)
    scheme = _scheme(given.shape, made.shape, dilated, padding)
    if scheme is None:
        return None
    return replace(
        middle.operator,
        inputs=(first.operator.inputs[0], *middle.operator.inputs[1:]),
        outputs=last.operator.outputs,
        options=_with_dilation(middle.options, dilated, scheme),
    )


def _is_alike(one: Tensor, other: Tensor) -> bool:
    return one.dtype is other.dtype and quant_of(one) == quant_of(other)


def _scheme(
    given: tuple[int, ...], made: tuple[int, ...], kernel: Kernel, padding: Padding
) -> int | None:
    """How the file format calls a padding with which the convolution makes its output."""
    _, height, width, _ = given
    if made[0] != 1 or given[0] != 1:
        return None
    if padding == same_padding(height, width, kernel) and made[1:3] == (height, width):
        return PADDING_SAME
    left = height - kernel.dilated_h + 1, width - kernel.dilated_w + 1
    return PADDING_VALID if padding == NO_PADDING and made[1:3] == left else None


def _with_dilation(options: Table, kernel: Kernel, scheme: int) -> Table:
    changed = {
        "padding": scheme,
        "dilation_h_factor": kernel.dilation_h,
        "dilation_w_factor": kernel.dilation_w,
    }
    kept = tuple((name, value) for name, value in options.fields if name not in changed)
    return replace(options, fields=(*kept, *changed.items()))


def _tried(first: SourceOp, middle: SourceOp, last: SourceOp) -> RewriteTried:
    """Without it, the input is written and read once more, and so is the output."""
    given, made = (
        0 if tensor is None else math.prod(tensor.shape) * tensor.dtype.size_bytes
        for tensor in (first.ifm, last.ofm)
    )
    return RewriteTried(
        rewrite=Rewrite.DILATION_JOINED,
        sources=(last.ref, middle.ref, first.ref),
        measure=Measure.MOVED_BYTES,
        figure_without=3 * given + 3 * made,
        figure_with=given + made,
        reason=RewriteReason.CHEAPER,
    )
