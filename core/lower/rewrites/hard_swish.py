"""HARD_SWISH becomes a table: x * min(max(x + 3, 0), 6) / 6, in the reference's 16-bit arithmetic.

    x -> HARD_SWISH -> y      becomes   x -> ADD 0, with a table -> y

The factor that looks like a relu is kept in [-1, 1] as Q0.15, so that saturation does the clamping.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.fixedpoint import (
    Ints,
    Multiplier,
    downscale,
    quantise_scale,
    rounding_divide_by_pot,
    saturating_mul16,
    saturating_rounding_mul16,
    shift_left16,
)
from core.ir.constdata import ConstData
from core.lower.rewrites.lookup import emit_table, stored_table, stored_values
from core.lower.scaling import Scaling, scaling_of, single_ratio
from core.lower.scope import Scope

HIGH_RESOLUTION_BITS = 7
"""Bits by which the reference widens an 8-bit input."""

RELU_SCALE = 3 / (1 << 15)
"""One step of Q0.15, where the whole range stands for -3 to 3."""


def lower(scope: Scope) -> None:
    """Lower HARD_SWISH."""
    given, made = scaling_of(scope.ifm), scaling_of(scope.ofm)
    emit_table(scope, hard_swish_table(scope.dtype(scope.ofm), given, made))


def hard_swish_table(dtype: DType, given: Scaling, made: Scaling) -> ConstData:
    """The 8-bit table."""
    widened = (stored_values(dtype) - given.zero_point) << HIGH_RESOLUTION_BITS
    scale = given.scale / (1 << HIGH_RESOLUTION_BITS)
    to_output = quantise_scale(single_ratio(scale, made.scale))
    on_output = saturating_rounding_mul16(widened, downscale(to_output.multiplier))
    gate = _gate(widened, quantise_scale(single_ratio(scale, RELU_SCALE)))
    product = saturating_mul16(gate, on_output)
    result = rounding_divide_by_pot(product, max(to_output.shift - 31, 0))
    return stored_table(dtype, result + made.zero_point)


def _gate(widened: Ints, to_relu: Multiplier) -> Ints:
    """(x + 3) / 6 within [0, 1], as Q0.15."""
    exponent = 31 - to_relu.shift
    scaled = shift_left16(widened, max(exponent - 1, 0))
    scaled = saturating_rounding_mul16(scaled, downscale(to_relu.multiplier))
    if exponent > 0:
        scaled = shift_left16(scaled, 1)
    return (rounding_divide_by_pot(scaled, max(-exponent, 0)) + (1 << 15)) >> 1
