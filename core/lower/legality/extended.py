"""Rules for operators that the ecosystem's newer compiler takes, and its older one does not."""

from __future__ import annotations

from math import prod

import numpy as np

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.ir.network import Tensor
from core.lower.legality.common import (
    SAME_INPUT_TYPES,
    SAME_SCALING,
    SAME_TYPE,
    constant_integers,
    ifm_of,
    input_type,
    scaling_of,
    scaling_text,
    takes_inputs,
)
from core.lower.legality.elementwise import UNARY
from core.lower.legality.factors import (
    MULTIPLIED_ROWS,
    RESCALED,
    SUMMED,
    scale_of,
    zero_point_of,
)
from core.lower.legality.padding import AMOUNTS
from core.lower.legality.reduction import (
    AXES_ARE_KNOWN,
    MEAN_RULES,
    OUTPUT_IS_REDUCED,
    axes_of,
)
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of, shown
from core.lower.rewrites.activation import logarithm
from core.lower.rewrites.batch_matmul import OF_FULLY_CONNECTED
from core.lower.rewrites.lookup import wide_table
from core.lower.scaling import Scaling
from core.lower.slicing import integers
from core.lower.source import SourceOp, values
from core.lower.tiles import tile_steps
from core.target.limits import OperatorLimits

MOST_PRODUCTS = 4096
"""Operators that one product of matrices may be unrolled into."""
MOST_SUMMED = ((1 << 31) - 1) // (255 * 255)
"""Products of two differences of bytes whose sum surely fits into 32 bits."""
_BYTES = (DType.INT8, DType.UINT8)
_SHORT = (*_BYTES, DType.INT16)
_HEIGHT, _WIDTH, _DEPTH = 1, 2, 3


def _computed_fill(op: SourceOp) -> str | None:
    fill = op.input(2)
    array = values(fill)
    if fill is None or array is None or array.size != 1:
        return shapes_of([fill]) + " and not one constant"
    if fill.dtype is not ifm_of(op).dtype:
        return f"'{fill.name}' is {fill.dtype.name.lower()}"
    has_other = scaling_of(fill) not in (None, scaling_of(op.ofm))
    return scaling_text(fill) if has_other else None


_FILL_IS_KNOWN = Rule(
    text="What the padding is filled with is known beforehand",
    accepted="one constant of the input's type, scale and zero point",
    check=_computed_fill,
)


def _axes_in_four(op: SourceOp) -> frozenset[int]:
    rank = len(ifm_of(op).shape)
    return frozenset(axis % rank + 4 - rank for axis in axes_of(op))


def _mixed_axes(op: SourceOp) -> str | None:
    rank = len(ifm_of(op).shape)
    axes = axes_of(op)
    known = bool(axes) and all(-rank <= axis < rank for axis in axes)
    if known and (_axes_in_four(op) <= {_HEIGHT, _WIDTH} or _axes_in_four(op) == {_DEPTH}):
        return None
    return f"axes {axes} of {shown(ifm_of(op).shape)}"


_AXES_ARE_PLANE_OR_DEPTH = Rule(
    text="A reduction goes over the plane or over the depth",
    accepted="height, width, both of them, or the depth alone",
    check=_mixed_axes,
)


def _large_pool(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape, axes = Shape4.of(ifm_of(op).shape), _axes_in_four(op)
    rows = shape.h if _HEIGHT in axes else 1
    count = prod(shape[axis] for axis in axes)
    fits = rows <= limits.most_pool_rows and count <= limits.most_pool_taps
    is_a_column = _WIDTH in axes or shape.w == 1
    return None if fits or is_a_column else f"{count} elements of {rows} rows"


_REDUCED_FITS_POOL = LimitRule(
    text="What is reduced fits a pooling window",
    accepted=lambda limits: (
        f"up to {limits.most_pool_rows} rows and {limits.most_pool_taps} elements, or all columns"
    ),
    check=_large_pool,
)


def _many_pixels(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape = Shape4.of(ifm_of(op).shape)
    pixels = shape.h * shape.w
    is_depth = _DEPTH in _axes_in_four(op)
    return f"{pixels} pixels" if is_depth and pixels > limits.greatest_dimension else None


_PIXELS_FIT = LimitRule(
    text="The pixels of a reduction over the depth fit one dimension",
    accepted=lambda limits: f"height by width up to {limits.greatest_dimension}",
    check=_many_pixels,
)


def _other_multiples(op: SourceOp) -> str | None:
    multiples, shape = integers(op.input(1)) or (), ifm_of(op).shape
    if len(multiples) != len(shape) or min(multiples, default=0) < 1:
        return f"multiples {multiples} of {shown(shape)}"
    expected = tuple(dim * times for dim, times in zip(shape, multiples, strict=True))
    return None if op.ofm.shape == expected else f"{shapes_of([op.ofm])}, not {shown(expected)}"


_MULTIPLES_GIVE_OUTPUT = Rule(
    text="The output is the input, repeated",
    accepted="a multiple of 1 or more for each dimension, and an output as large as they say",
    check=_other_multiples,
)


def _several_batches_made(op: SourceOp) -> str | None:
    return None if Shape4.of(op.ofm.shape).n == 1 else shapes_of([op.ofm])


_MAKES_ONE_BATCH = Rule(
    text="The output holds one picture", accepted="a batch of 1", check=_several_batches_made
)


def _long_step(op: SourceOp, limits: OperatorLimits) -> str | None:
    """In four dimensions the tensor's own are the sides."""
    shape, multiples = ifm_of(op).shape, integers(op.input(1)) or ()
    if len(shape) <= limits.most_dimensions:
        return None
    longest = max((max(step.made) for step in tile_steps(shape, multiples)), default=0)
    return f"a step of {longest}" if longest > limits.greatest_dimension else None


_COPIES_FIT = LimitRule(
    text="No step of a repetition is too long",
    accepted=lambda limits: f"runs of dimensions of up to {limits.greatest_dimension} elements",
    check=_long_step,
)


def _other_reversal(op: SourceOp) -> str | None:
    rank, axes = len(ifm_of(op).shape), axes_of(op)
    is_one = len(axes) == 1 and -rank <= axes[0] < rank
    if is_one and _axes_in_four(op) <= {_HEIGHT, _WIDTH}:
        return None
    return f"axes {axes} of {shown(ifm_of(op).shape)}"


_REVERSES_PLANE = Rule(
    text="Rows or columns are reversed", accepted="one axis: height or width", check=_other_reversal
)


def _other_reversed(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if ifm.shape == op.ofm.shape else shapes_of((ifm, op.ofm))


_KEEPS_SHAPE = Rule(
    text="Reversing keeps the shape", accepted="the input's shape", check=_other_reversed
)


def _matrix(tensor: Tensor, *, is_turned: bool) -> tuple[int, int]:
    rows, columns = tensor.shape[-2:]
    return (columns, rows) if is_turned else (rows, columns)


def _other_product(op: SourceOp) -> str | None:
    left, right = ifm_of(op), op.ifm2
    if right is None or min(len(left.shape), len(right.shape), len(op.ofm.shape)) < 2:
        return shapes_of((left, right, op.ofm))
    rows, depth = _matrix(left, is_turned=op.options.flag("adj_x"))
    inner, columns = _matrix(right, is_turned=op.options.flag("adj_y"))
    fits = depth == inner and op.ofm.shape[-2:] == (rows, columns)
    batches = (left.shape[:-2], right.shape[:-2])
    is_same = batches[0] == op.ofm.shape[:-2] and prod(batches[1]) in (1, prod(batches[0]))
    return None if fits and is_same else shapes_of((left, right, op.ofm))


_MATRICES_FIT = Rule(
    text="The matrices multiply to the output",
    accepted="two dimensions or more; as many batches on both sides, or one on the second",
    check=_other_product,
)


def _many_products(op: SourceOp) -> str | None:
    rows, columns = op.ofm.shape[-2:]
    each = 1 if values(op.ifm2) is not None else min(rows, columns)
    count = prod(op.ofm.shape[:-2]) * each
    return None if count <= MOST_PRODUCTS else f"{count} products"


_FEW_PRODUCTS = Rule(
    text="There are few products of rows and matrices",
    accepted=f"up to {MOST_PRODUCTS}, each an operator; one for each constant matrix",
    check=_many_products,
)


def _long_sum(op: SourceOp) -> str | None:
    _, depth = _matrix(ifm_of(op), is_turned=op.options.flag("adj_x"))
    return None if depth <= MOST_SUMMED else f"{depth} products in a sum"


_SUMS_FIT = Rule(
    text="A sum of products fits into 32 bits",
    accepted=f"rows of up to {MOST_SUMMED} elements",
    check=_long_sum,
)


def _bias_of_its_own(op: SourceOp) -> str | None:
    has_one = len(op.inputs) > 2 and not op.options.flag(OF_FULLY_CONNECTED)
    return f"{len(op.inputs)} inputs" if has_one else None


_HAS_NO_BIAS = Rule(
    text="A product of matrices has no bias", accepted="2 inputs", check=_bias_of_its_own
)


def _other_matrix_type(op: SourceOp) -> str | None:
    made = op.ofm.dtype
    return None if made is DType.INT8 else f"'{op.ofm.name}' is {made.name.lower()}"


_MATRICES_ARE_BYTES = Rule(
    text="A product of matrices has 8 bits", accepted="int8", check=_other_matrix_type
)


def _far_jump(op: SourceOp) -> str | None:
    ifm, ofm = ifm_of(op), op.ofm
    if ifm.dtype is not DType.INT16:
        return None
    given, made = (Scaling(scale_of(tensor), zero_point_of(tensor)) for tensor in (ifm, ofm))
    table = wide_table(given, made, logarithm(DType.INT16, made))
    jump = int((table.array.astype(np.int32) >> 16).max())
    return f"a jump in a table for {scaling_text(ifm)}" if jump == DType.INT16.limits[1] else None


_NEIGHBOURS_ARE_NEAR = Rule(
    text="Neighbours in the 16-bit table of a logarithm are near each other",
    accepted="jumps below half the range; a smaller input scale, or a larger output scale",
    check=_far_jump,
)

_EXTREME = (
    SAME_TYPE,
    AXES_ARE_KNOWN,
    _AXES_ARE_PLANE_OR_DEPTH,
    _REDUCED_FITS_POOL,
    _PIXELS_FIT,
    SAME_SCALING,
    OUTPUT_IS_REDUCED,
)

INPUTS = {
    **dict.fromkeys(("ELU", "GELU", "NEG", "LOG"), takes_inputs(1)),
    **dict.fromkeys(("REDUCE_MAX", "REDUCE_MIN", "SUM", "TILE", "REVERSE_V2"), takes_inputs(2)),
    "BATCH_MATMUL": takes_inputs(2, 3, optional=(2,)),
    "PADV2": takes_inputs(3),
}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "ELU": (*UNARY, input_type(DType.INT8)),
    "GELU": (*UNARY, input_type(*_BYTES), RESCALED),
    # Of 16 bits LiteRT goes round at the least value, and does not rescale.
    "NEG": (*UNARY, input_type(DType.INT8)),
    "LOG": (*UNARY, input_type(DType.INT8, DType.INT16), _NEIGHBOURS_ARE_NEAR),
    "PADV2": (*AMOUNTS, SAME_SCALING, _FILL_IS_KNOWN),
    "REDUCE_MAX": (input_type(*_SHORT), *_EXTREME),
    "REDUCE_MIN": (input_type(*_SHORT), *_EXTREME),
    "SUM": (input_type(*_SHORT), *MEAN_RULES, SUMMED),
    "TILE": (
        SAME_TYPE,
        SAME_SCALING,
        input_type(*_SHORT),
        constant_integers("The list of multiples is known beforehand", 1),
        _MULTIPLES_GIVE_OUTPUT,
        _MAKES_ONE_BATCH,
        _COPIES_FIT,
    ),
    "REVERSE_V2": (
        SAME_TYPE,
        SAME_SCALING,
        input_type(*_SHORT),
        AXES_ARE_KNOWN,
        _REVERSES_PLANE,
        _KEEPS_SHAPE,
    ),
    "BATCH_MATMUL": (
        _HAS_NO_BIAS,
        SAME_INPUT_TYPES,
        input_type(DType.INT8),
        _MATRICES_ARE_BYTES,
        _MATRICES_FIT,
        _FEW_PRODUCTS,
        _SUMS_FIT,
        MULTIPLIED_ROWS,
    ),
}
