"""Operators that the next one takes over.

PAD -> CONV_2D               becomes   CONV_2D with padding of its own (see `padding`)
PAD -> RESHAPE -> CONV_2D    becomes   the same, where rows, columns and channels stay what they are
x -> MUL c -> MAXIMUM x      becomes   a leaky relu (or ABS, for c = -1) of x
TILE -> RESHAPE -> TILE      becomes   an enlargement, where both repeat rows and columns (`tiles`)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.base.geometry import Shape4
from core.base.ids import OpRef, TensorId
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.aliases import RESHAPES
from core.lower.draft import quant_of
from core.lower.rewrites.padding import (
    convolution_can_pad,
    hardware_can_pad,
    pad_amounts,
    padding_of_both,
    pads_half_or_nothing,
)
from core.lower.rewrites.tile import repetition
from core.lower.source import SourceGraph, SourceOp, values
from core.lower.tiles import enlarged
from core.target.limits import OperatorLimits

_TAKES_PADDING = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"})
_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
_NOT_NEGATIVE = frozenset({"RELU", "RELU6", "RELU_0_TO_1"})

_Makers = Mapping[TensorId, SourceOp]
"""What the NPU makes each tensor with; of what the CPU makes, nothing can be taken for granted."""


class Absorbed(Frozen, kw_only=False):
    """Which operator takes over which, and the operators that are left with nothing to do."""

    by: dict[OpRef, SourceOp]
    without_work: frozenset[OpRef]
    tried: tuple[RewriteTried, ...] = ()
    """What became of each PAD that is read through a window, and of TILEs that enlarge."""


def find_absorbed(
    graph: SourceGraph,
    on_cpu: Collection[OpRef],
    limits: OperatorLimits,
    *,
    in_all_forms: bool,
) -> Absorbed:
    """All pairs of a subgraph; in all legal forms, or in those that other compilers know."""
    by: dict[OpRef, SourceOp] = {}
    tried: list[RewriteTried] = []
    makers = {
        made: op
        for made, op in graph.producers.items()
        if op.ref not in on_cpu and _is_as_filed(graph, op)
    }
    for op in graph.ops:
        if op.ref in on_cpu or not _is_as_filed(graph, op):
            continue
        taken = _product_before(graph, makers, op)
        # With a PAD of its own an average becomes a convolution.
        if op.kind != "AVERAGE_POOL_2D" or limits.convolves(op.window.kernel):
            pad = _pad_before(graph, makers, op, sees_through=in_all_forms)
            if taken is None and pad is not None:
                reason = _reason(makers, pad, op, in_all_forms=in_all_forms)
                taken = pad if reason.speaks_for else None
                tried.append(_tried(pad, op, reason))
        if taken is None and in_all_forms:
            taken = _rows_before(graph, makers, op)
            if taken is not None and taken.ref in by:
                # What it makes of both is repeated again.
                taken = None
            tried += [] if taken is None else [_enlarging(taken, op)]
        if taken is not None:
            by[op.ref] = taken
    return Absorbed(by, frozenset(_idle(graph, by)), tuple(tried))


def _is_as_filed(graph: SourceGraph, op: SourceOp) -> bool:
    """Whether an operator is seen in the form that the file has."""
    numbers = (*op.operator.inputs, *op.operator.outputs)
    seen = zip(numbers, (*op.inputs, *op.outputs), strict=True)
    return op.pieces == 1 and all(
        number is None or tensor is None or graph.tensors[number].shape == tensor.shape
        for number, tensor in seen
    )


def _idle(graph: SourceGraph, by: dict[OpRef, SourceOp]) -> list[OpRef]:
    """Operators that every reader of their output has taken over."""
    return [
        taken.ref
        for taken in {op.ref: op for op in by.values()}.values()
        if _is_read_only_by(graph, taken.operator.outputs[0], taken, by)
    ]


def _is_read_only_by(
    graph: SourceGraph, tensor: TensorId, taken: SourceOp, by: dict[OpRef, SourceOp]
) -> bool:
    """Whether all who read a tensor, or see it through a new name, have taken over its maker."""
    return tensor not in graph.outputs and all(
        by.get(reader.ref) is taken
        or (
            (_renames(reader) or (taken.kind == "TILE" and reader.kind in RESHAPES))
            and _is_read_only_by(graph, reader.operator.outputs[0], taken, by)
        )
        for reader in graph.consumers.get(tensor, ())
    )


def _renames(op: SourceOp) -> bool:
    """Whether a reshape leaves what is seen in four dimensions as it is."""
    if op.kind not in RESHAPES or op.ifm is None:
        return False
    shapes = op.ifm.shape, op.ofm.shape
    return all(len(each) <= len(Shape4._fields) for each in shapes) and (
        Shape4.of(shapes[0]) == Shape4.of(shapes[1])
    )


def _pad_before(
    graph: SourceGraph, makers: _Makers, op: SourceOp, *, sees_through: bool
) -> SourceOp | None:
    """The PAD whose output an operator reads through a window."""
    pad = _maker(makers, op.input_id(0)) if op.kind in _TAKES_PADDING else None
    if pad is not None and sees_through and _renames(pad):
        given = pad.input_id(0)
        pad = None if given is None or graph.uses(given) > 1 else _maker(makers, given)
    return pad if pad is not None and pad.kind in {"PAD", "PADV2"} else None


def _tried(pad: SourceOp, op: SourceOp, reason: RewriteReason) -> RewriteTried:
    made = math.prod(pad.ofm.shape) * pad.ofm.dtype.size_bytes
    return RewriteTried(
        rewrite=Rewrite.PADDING_TAKEN_OVER,
        sources=(op.ref, pad.ref) if reason.speaks_for else (pad.ref,),
        measure=Measure.MOVED_BYTES,
        figure_without=made,
        figure_with=0,
        reason=reason,
    )


def _reason(makers: _Makers, pad: SourceOp, op: SourceOp, *, in_all_forms: bool) -> RewriteReason:
    """Why a window takes over the PAD before it, or does not."""
    if not _pads_with_zeros(pad):
        return RewriteReason.OTHER_PADDING
    if not in_all_forms:
        is_usual = _takes_usual_form(pad, op)
        return RewriteReason.HARDWARE_PADS if is_usual else RewriteReason.OTHER_PADDING
    can_pad = convolution_can_pad if op.kind in _CONVOLUTIONS else hardware_can_pad
    if not can_pad(padding_of_both(pad, op), op.window.kernel):
        return RewriteReason.TOO_MUCH_PADDING
    # What SAME adds does not count in a mean, but what PAD adds does.
    counts = op.kind == "AVERAGE_POOL_2D" and op.window.is_same
    if counts or (op.kind == "MAX_POOL_2D" and not _is_at_least_zero(makers, pad)):
        return RewriteReason.COUNTS_IN_RESULT
    return RewriteReason.HARDWARE_PADS


def _pads_with_zeros(pad: SourceOp) -> bool:
    """Whether a PAD adds rows and columns that read as its input's zero point."""
    if pad.ifm is None:
        return False
    origin = quant_of(pad.ifm)
    if pad.ifm.dtype is not pad.ofm.dtype or origin is None or origin != quant_of(pad.ofm):
        return False
    value = values(pad.input(2)) if pad.kind == "PADV2" else None
    if value is not None and int(np.asarray(value).reshape(-1)[0]) != origin.zero_point:
        return False
    _, near, far = pad_amounts(pad)
    return not near and not far


def _takes_usual_form(pad: SourceOp, op: SourceOp) -> bool:
    """What the ecosystem's compiler takes over: PAD before VALID, as it stands in the file."""
    padding, kernel = pad_amounts(pad)[0], op.window.kernel
    if op.kind == "MAX_POOL_2D" or op.window.is_same or not hardware_can_pad(padding, kernel):
        return False
    is_short = op.kind == "AVERAGE_POOL_2D" and kernel.stride_w <= 3
    return not is_short or pads_half_or_nothing(padding, kernel)


def _is_at_least_zero(makers: _Makers, pad: SourceOp) -> bool:
    """Whether a PAD's zeros are never the greatest of a window that has an element in it."""
    origin, maker = quant_of(pad.ifm), _maker(makers, pad.input_id(0))
    if pad.ifm is None or origin is None:
        return False
    is_clamped = maker is not None and {maker.kind, maker.activation} & _NOT_NEGATIVE
    return bool(is_clamped) or origin.zero_point == pad.ifm.dtype.limits[0]


def _rows_before(graph: SourceGraph, makers: _Makers, op: SourceOp) -> SourceOp | None:
    """The TILE of rows whose columns, or of columns whose rows, a TILE repeats as often."""
    if op.kind != "TILE":
        return None
    given, maker = op.input_id(0), _maker(makers, op.input_id(0))
    while given is not None and graph.uses(given) == 1 and maker is not None:
        if maker.kind == "TILE":
            return maker if enlarged(repetition(maker), repetition(op)) else None
        given = maker.input_id(0) if maker.kind in RESHAPES else None
        maker = _maker(makers, given)
    return None


def _enlarging(first: SourceOp, second: SourceOp) -> RewriteTried:
    between, made = (math.prod(op.ofm.shape) * op.ofm.dtype.size_bytes for op in (first, second))
    return RewriteTried(
        rewrite=Rewrite.ENLARGED,
        sources=(second.ref, first.ref),
        measure=Measure.MOVED_BYTES,
        figure_without=2 * between + made,
        figure_with=made,
        reason=RewriteReason.CHEAPER,
    )


def _product_before(graph: SourceGraph, makers: _Makers, op: SourceOp) -> SourceOp | None:
    """The MUL of x and a scalar constant whose result a MAXIMUM compares with x."""
    if op.kind != "MAXIMUM" or op.ifm is None:
        return None
    inputs = op.operator.inputs[:2]
    for index, tensor in enumerate(inputs):
        product, other = _maker(makers, tensor), inputs[1 - index]
        if product is None or product.kind != "MUL" or other not in product.operator.inputs:
            continue
        if _is_plain_product(graph, product, other) and _same_scaling(op, product):
            return product
    return None


def _is_plain_product(graph: SourceGraph, product: SourceOp, shared: TensorId | None) -> bool:
    return (
        scalar_slope(product, shared) is not None
        and graph.uses(product.operator.outputs[0]) == 1
        and product.activation == "NONE"
    )


def scalar_slope(product: SourceOp, shared: TensorId | None) -> float | None:
    """The real number that a MUL of x and a scalar constant multiplies by."""
    for tensor_id, tensor in zip(product.operator.inputs, product.inputs, strict=True):
        array, quant = values(tensor), quant_of(tensor)
        if tensor is None or tensor_id == shared or tensor.shape != () or array is None:
            continue
        if quant is not None and quant.scale is not None:
            return (int(array) - quant.zero_point) * quant.scale
    return None


def _same_scaling(op: SourceOp, product: SourceOp) -> bool:
    ifm = op.ifm
    return (
        ifm is not None
        and ifm.dtype in (DType.INT8, DType.UINT8)
        and ifm.dtype is op.ofm.dtype
        and quant_of(ifm) == quant_of(op.ofm) == quant_of(product.ofm)
    )


def _maker(makers: _Makers, tensor: TensorId | None) -> SourceOp | None:
    return None if tensor is None else makers.get(tensor)
