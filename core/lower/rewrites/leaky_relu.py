"""LEAKY_RELU: x where it is positive, else alpha times x.

x -> LEAKY_RELU -> y      becomes

x -> average pool, clamped -> y                           alpha is 0: a relu
x -> ADD 0, with a table -> y                             8 bits
x -> LEAKY_RELU -> y                                      16 bits, same scaling, alpha above 0
x -> MUL alpha -> a,  MAXIMUM(a, x or x -> MUL 1) -> y    alpha within (0, 1)
x -> MINIMUM 0 -> n,  n -> MUL alpha -> a,
x -> relu -> p,       a + p -> y                          alpha of 1 or more
                      p - a -> y, for -alpha              alpha below 0
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.fixedpoint import (
    Ints,
    Multiplier,
    elementwise_mul_scale,
    multiply_by_quantized_multiplier,
)
from core.base.frozen import Frozen, replace
from core.ir.npugraph import ExplicitScaling, OpKind, Quant, View
from core.lower.draft import quant_of
from core.lower.rewrites.activation import emit_activation
from core.lower.rewrites.lookup import emit_table, stored_table, stored_values
from core.lower.scaling import NO_SCALING, UNSCALED, have_same_scaling, scaling_of
from core.lower.scope import Scope
from core.lower.source import SourceOp, values


class Slope(Frozen):
    """The slope below zero, and how the network's own arithmetic multiplies by it."""

    real: float
    stored: int = 1
    scaling: Multiplier | None = None
    """The factor that goes with `stored`; None where the slope is a real number only."""


def lower(scope: Scope) -> None:
    """Lower LEAKY_RELU."""
    emit_leaky(scope, Slope(real=scope.op.options.real("alpha")))


def emit_leaky(scope: Scope, slope: Slope) -> None:
    """Add the operators of a leaky relu between the scope's first input and its output."""
    ifm, ofm = scope.ifm, scope.ofm
    dtype = scope.dtype(ifm)
    if slope.real == 0:
        emit_activation(scope, ifm, ofm, "RELU")
    elif dtype in (DType.INT8, DType.UINT8) and dtype is scope.dtype(ofm):
        emit_leaky_table(scope, ifm, ofm, slope)
    elif (
        have_same_scaling(ifm, ofm) and dtype is scope.dtype(ofm) is DType.INT16 and slope.real > 0
    ):
        scope.emit(OpKind.LEAKY_RELU, ifm, ofm, alpha=_rounded(slope.real, ofm))
    elif 0 < slope.real < 1:
        _emit_greater_of_two(scope, slope)
    else:
        _emit_sum_of_halves(scope, slope)


def _rounded(slope: float, ofm: View) -> float:
    """The slope between equal scales, as the reference has it: by way of single precision."""
    scale = np.float32(scaling_of(ofm).scale)
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(slope) * scale / scale)


def emit_leaky_product(scope: Scope, ifm: View, product: SourceOp) -> None:
    """Add the greater of x and its product with the scalar constant of an 8-bit MUL, as a table."""
    stored, scaling = _constant_of(product)
    given, dtype = scaling_of(ifm), scope.dtype(ifm)
    unscaled = stored * (stored_values(dtype) - given.zero_point)
    scaled = given.zero_point + multiply_by_quantized_multiplier(unscaled, *scaling)
    emit_table(scope, stored_table(dtype, np.maximum(stored_values(dtype), scaled)), ifm)


def _constant_of(product: SourceOp) -> tuple[int, Multiplier]:
    """What a MUL multiplies its other input by, and the factor of the result."""
    scales = [1.0, 1.0]
    stored = 0
    for index, tensor in enumerate(product.inputs[:2]):
        quant, data = quant_of(tensor), values(tensor)
        if quant is None or quant.scale is None:
            raise InternalError(f"'{product.name}' has an input without a scale")
        scales[index] = quant.scale
        if data is not None:
            stored = int(data) - quant.zero_point
    made = quant_of(product.ofm)
    if made is None or made.scale is None:
        raise InternalError(f"'{product.name}' has an output without a scale")
    return stored, elementwise_mul_scale(scales[0], scales[1], made.scale)


def emit_leaky_table(scope: Scope, ifm: View, ofm: View, slope: Slope) -> View:
    """Add the table of an 8-bit leaky relu."""
    given, made, dtype = scaling_of(ifm), scaling_of(ofm), scope.dtype(ofm)
    below = slope.scaling or elementwise_mul_scale(given.scale, slope.real, made.scale)
    above = elementwise_mul_scale(given.scale, 1.0, made.scale)
    offsets = stored_values(dtype) - given.zero_point
    entries = made.zero_point + np.where(
        offsets < 0,
        _times(slope.stored * offsets, below),
        multiply_by_quantized_multiplier(offsets, *above),
    )
    return emit_table(scope, stored_table(dtype, entries), ifm, ofm)


def _times(offsets: Ints, factor: Multiplier) -> Ints:
    """Products with a factor; by a negative one the reference rounds as by a positive one."""
    size = multiply_by_quantized_multiplier(offsets, abs(factor.multiplier), factor.shift)
    return size if factor.multiplier >= 0 else -size


def _emit_greater_of_two(scope: Scope, slope: Slope) -> None:
    """With a slope within (0, 1) the greater of x and alpha x is the one that counts."""
    ofm = scope.ofm
    scaled = _emit_product(scope, scope.ifm, slope)
    scope.emit(OpKind.MAXIMUM, scaled, ofm, ifm2=emit_rescaled(scope))


def emit_rescaled(scope: Scope) -> View:
    """The scope's first input in the scaling of its output: itself, where that is the same."""
    ifm, ofm = scope.ifm, scope.ofm
    if have_same_scaling(ifm, ofm):
        return ifm
    one = scope.constant("one", 1, scope.dtype(ifm), Quant(scale=1.0), shape=())
    rescaled = scope.temporary("identity", ofm.shape, scope.dtype(ofm), ofm.quant)
    return scope.emit(OpKind.MUL, ifm, rescaled, "identity", ifm2=one)


def _emit_sum_of_halves(scope: Scope, slope: Slope) -> None:
    negative = emit_negative_part(scope)
    if slope.real > 0 or slope.scaling is not None:
        emit_sum_with_relu(scope, _emit_product(scope, negative, slope))
        return
    # A scale cannot be negative: the product has the slope's size, and is taken off.
    scaled = _emit_product(scope, negative, replace(slope, real=-slope.real))
    scope.emit(
        OpKind.SUB, emit_positive_part(scope), scope.ofm, "sum", ifm2=scaled, scaling=NO_SCALING
    )


def emit_negative_part(scope: Scope) -> View:
    """The scope's first input where it is negative, else zero."""
    ifm, dtype = scope.ifm, scope.dtype(scope.ifm)
    zero = scope.constant("zero", 0, dtype, UNSCALED, shape=())
    negative = scope.temporary("negative", ifm.shape, dtype, ifm.quant)
    return scope.emit(OpKind.MINIMUM, ifm, negative, "negative", ifm2=zero)


def emit_sum_with_relu(scope: Scope, below: View) -> None:
    """Add what is below zero, scaled as the output is, to the relu of the scope's first input."""
    above = emit_positive_part(scope)
    scope.emit(OpKind.ADD, below, scope.ofm, "sum", ifm2=above, scaling=NO_SCALING)


def emit_positive_part(scope: Scope) -> View:
    """The relu of the scope's first input, in the scaling of its output."""
    ofm = scope.ofm
    above = scope.temporary("positive", ofm.shape, scope.dtype(ofm), ofm.quant)
    return emit_activation(scope, scope.ifm, above, "RELU")


def _emit_product(scope: Scope, ifm: View, slope: Slope) -> View:
    ofm, scaling = scope.ofm, None
    if slope.scaling is not None:
        scaling = ExplicitScaling(multiplier=slope.scaling.multiplier, shift=slope.scaling.shift)
    unit = Quant(scale=slope.real if slope.scaling is None else 1.0)
    alpha = scope.constant("alpha", slope.stored, scope.dtype(ifm), unit, shape=(1,))
    scaled = scope.temporary("alpha", ofm.shape, scope.dtype(ofm), ofm.quant)
    return scope.emit(OpKind.MUL, ifm, scaled, "alpha", ifm2=alpha, scaling=scaling)
