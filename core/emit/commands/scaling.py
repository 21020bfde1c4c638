"""What results are multiplied with, and then: rounding, curve or table, bounds."""

from __future__ import annotations

import math

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import (
    MAX_INT16,
    Multiplier,
    advanced_add_scale,
    elementwise_mul_scale,
    pooling_scale,
    quantise_scale,
    round_away_from_zero,
    simplified_add_scale,
)
from core.base.frozen import NamedTuple
from core.ir.npugraph import ActivationKind, NpuOp, OpKind, Rounding, View
from core.ir.program import ActivationUse, Clip, Curve, OperandScaling

_UNIT = Multiplier(1, 0)
_CURVED = frozenset({ActivationKind.TANH, ActivationKind.SIGMOID})
_CURVE_STEPS = 0x3000
"""Steps to one in the input of the hardware's curves."""
_Q12_BITS = 12
_POWER_TOLERANCE = 1e-3
"""How far the logarithm of a scale may be from a whole number for the reference to round it."""
_MOST_SHIFTS = 30
_EXACT_BITS = 0xFFF
_RESIZES = frozenset({OpKind.RESIZE_BILINEAR, OpKind.RESIZE_NEAREST})
_CURVES = {
    ActivationKind.CLAMP: Curve.NONE,
    ActivationKind.TANH: Curve.TANH,
    ActivationKind.SIGMOID: Curve.SIGMOID,
    ActivationKind.LUT: Curve.TABLE,
}


class Factors(NamedTuple):
    """What results and operands are multiplied with."""

    output: Multiplier | None = None
    inputs: tuple[Multiplier, Multiplier] | None = None
    scaled: OperandScaling = OperandScaling.BOTH


def factors_of(op: NpuOp, ifm: DType) -> Factors:
    """The factors of an operator without weights, which reads elements of type `ifm`."""
    if op.kind in {OpKind.ADD, OpKind.SUB}:
        return _sum(op, ifm)
    if op.kind is OpKind.MUL:
        return Factors(_product(op))
    if op.kind is OpKind.LEAKY_RELU:
        return Factors(quantise_scale(op.alpha or 0.0))
    if op.kind is OpKind.ABS:
        # The reference divides these scales in single precision.
        return Factors(_ratio(op, np.float32))
    if op.kind.is_elementwise or op.kind is OpKind.MAX_POOL:
        return Factors()
    return Factors(_mean(op))


def _sum(op: NpuOp, ifm: DType) -> Factors:
    plain = (_UNIT, _UNIT)
    if op.scaling is not None:
        return Factors(Multiplier(op.scaling.multiplier, op.scaling.shift), plain)
    first, second, made = _scale(op.ifm), _scale(op.ifm2), _made_scale(op)
    if first is None or second is None or made is None:
        return Factors(_UNIT, plain)
    if first == second:
        common = simplified_add_scale(first, second, made)
        a, b = int(common.a), int(common.b)
        if ifm.bits == 16:
            # Half as much, twice as far: so rounding falls where the other form has it.
            out = Multiplier(common.out.multiplier, common.out.shift - 1)
            return Factors(out, (Multiplier(a // 2, 0), Multiplier(b // 2, 0)))
        if not common.out.multiplier & _EXACT_BITS:
            # Nothing is lost in the second rounding, so both forms give the same.
            return Factors(common.out, (Multiplier(a, 0), Multiplier(b, 0)))
    wide = advanced_add_scale(first, second, made, ifm.bits)
    scales_first = wide.scales_a is not op.operands_swapped
    scaled = OperandScaling.FIRST if scales_first else OperandScaling.SECOND
    return Factors(wide.out, (wide.operand, Multiplier(0, 0)), scaled)


def _product(op: NpuOp) -> Multiplier:
    if op.scaling is not None:
        return Multiplier(op.scaling.multiplier, op.scaling.shift)
    first, second, made = _scale(op.ifm), _scale(op.ifm2), _made_scale(op)
    if first is None or second is None or made is None:
        return _UNIT
    return elementwise_mul_scale(first, second, made)


def _ratio(op: NpuOp, precision: type[np.floating] = np.float64) -> Multiplier:
    given, made = _scale(op.ifm), _scale(op.ofm)
    if given is None or made is None:
        return _UNIT
    return quantise_scale(float(precision(given) / precision(made)))


def _mean(op: NpuOp) -> Multiplier:
    """The factor of an average, of a copy that rescales, or of a sum over channels."""
    if op.scaling is not None:
        return Multiplier(op.scaling.multiplier, op.scaling.shift)
    taps, given, made = op.kernel.taps, _scale(op.ifm), _scale(op.ofm)
    if op.activation is not None and op.activation.kind in _CURVED:
        return _into_curve(given or 1.0, op.activation.kind)
    if taps == 1 or given is None or made is None:
        return _ratio(op)
    scale = pooling_scale(taps)
    return Multiplier(round_away_from_zero(scale.multiplier * (given / made)), scale.shift)


def _into_curve(scale: float, kind: ActivationKind) -> Multiplier:
    """The factor that brings 16 bits to the steps of a curve, with 15 bits as the reference has.

    Scales that are powers of two, as fixed-point networks have them, lose nothing.
    """
    exact = math.log2(scale)
    shift = round(exact) + _Q12_BITS
    most = 1 if kind is ActivationKind.TANH else 0
    if abs(exact - round(exact)) < _POWER_TOLERANCE and 0 <= shift <= most:
        return Multiplier(3 << shift, 0)
    factor, shifts = scale * _CURVE_STEPS, 0
    while factor <= MAX_INT16 / 2 and shifts <= _MOST_SHIFTS:
        factor, shifts = factor * 2, shifts + 1
    return Multiplier(int(factor), shifts)


def _made_scale(op: NpuOp) -> float | None:
    if op.activation is not None and op.activation.kind in _CURVED:
        return 1 / _CURVE_STEPS
    return _scale(op.ofm)


def _scale(view: View | None) -> float | None:
    return None if view is None or view.quant is None else view.quant.scale


def rounding_of(op: NpuOp, ifm: DType) -> Rounding:
    """How the hardware is told to round."""
    if op.rounding is Rounding.AWAY_FROM_ZERO:
        # The nudge that makes it so is in the scales.
        return Rounding.NATURAL
    if op.rounding is not None:
        return op.rounding
    # The reference kernels round once here, and sums of 64 bits.
    if op.kind in _RESIZES or op.origin == "FULLY_CONNECTED":
        return Rounding.NATURAL
    is_wide = ifm is DType.INT16 and op.weights is not None and op.weights.has_wide_sums
    return Rounding.NATURAL if is_wide else Rounding.DOUBLE


def activation_of(op: NpuOp, ofm: DType, table: int | None) -> ActivationUse:
    """The activation of an operation whose look-up table, if it has one, has this number."""
    activation, (low, high) = op.activation, ofm.limits
    low, high = max(low, -MAX_INT16 - 1), min(high, MAX_INT16)
    if activation is None:
        return ActivationUse(minimum=low, maximum=high)
    if activation.minimum is not None:
        low = max(low, stored(activation.minimum, op.ofm))
    if activation.maximum is not None:
        high = min(high, stored(activation.maximum, op.ofm))
    curve = _CURVES[activation.kind]
    clip = Clip.OUTPUT
    if curve is Curve.TABLE and ofm is DType.INT32:
        # Entries are as wide as the output; the index has eight bits all the same.
        clip, (least, most) = Clip.INT8, DType.INT8.limits
        low, high = max(low, least), min(high, most)
    return ActivationUse(minimum=low, maximum=high, curve=curve, table=table, clip=clip)


def stored(real: float, view: View) -> int:
    """How a real bound is stored, found in single precision as the reference does."""
    scale, zero_point = 1.0, 0
    if view.quant is not None:
        scale, zero_point = view.quant.scale or 1.0, view.quant.zero_point
    with np.errstate(over="ignore"):
        steps = float(np.float32(real) / np.float32(scale))
    most = float(1 << 31)
    return round_away_from_zero(max(-most, min(steps, most))) + zero_point
