"""RSQRT becomes a table.

    x -> RSQRT -> y      becomes   x -> ADD 0, with a table -> y

Eight bits follow the reference's integers: 1 / sqrt(x) by Newton's method in Q3.28. Sixteen bits
are more inputs than a table has entries, so that it interpolates the real function, as LiteRT does.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import (
    MAX_INT32,
    multiply_by_quantized_multiplier,
    quantise_scale,
    rounding_divide_by_pot,
    shift_left32,
)
from core.base.fixedpoint import saturating_rounding_mul32 as multiply
from core.ir.constdata import ConstData
from core.lower.rewrites.lookup import (
    Reals,
    emit_table,
    stored_table,
    stored_values,
    wide_table,
)
from core.lower.scaling import Scaling, scaling_of
from core.lower.scope import Scope

FRACTION_BITS = 20
"""Bits below the point of the reference's inverse roots."""

_NEWTON_STEPS = 5
_THREE_HALVES = 3 << 27
_ONE = 1 << 28
"""Numbers in Q3.28."""

_HALF_ROOT_OF_TWO = 1518500250
"""sqrt(2) / 2 in Q0.31, as gemmlowp rounds it."""


def lower(scope: Scope) -> None:
    """Lower RSQRT."""
    given, made = scaling_of(scope.ifm), scaling_of(scope.ofm)
    dtype = scope.dtype(scope.ofm)
    if dtype is DType.INT16:
        _, highest = dtype.limits
        greatest = (highest - made.zero_point) * made.scale
        emit_table(scope, wide_table(given, made, partial(_real_inverse_root, greatest)))
    else:
        emit_table(scope, inverse_root_table(dtype, given, made))


def inverse_root_table(dtype: DType, given: Scaling, made: Scaling) -> ConstData:
    """The 8-bit table; zero, and what should not occur below it, gives the greatest output."""
    scale = quantise_scale(1.0 / float(np.sqrt(np.float32(given.scale)) * np.float32(made.scale)))
    _, highest = dtype.limits
    entries = np.full(len(stored_values(dtype)), highest, np.int64)
    for index, stored in enumerate(stored_values(dtype)):
        value = int(stored) - given.zero_point
        if value > 0:
            root = inverse_root(value)
            entries[index] = made.zero_point + multiply_by_quantized_multiplier(
                root, scale.multiplier, scale.shift + FRACTION_BITS
            )
    return stored_table(dtype, entries)


def inverse_root(value: int) -> int:
    """2**20 / sqrt(value) as the reference comes to it, off by one here and there."""
    if value == 1:
        return 1 << FRACTION_BITS
    # The value is brought to [1/4, 1) by an even number of bits, half of which the root takes back.
    pairs = (31 - value.bit_length()) // 2 - 1
    half_value = rounding_divide_by_pot((value << 2 * pairs) >> 1, 1)
    x = _ONE
    for _ in range(_NEWTON_STEPS):
        cube = shift_left32(multiply(multiply(x, x), x), 6)
        difference = multiply(_THREE_HALVES, x) - multiply(half_value, cube)
        x = shift_left32(difference, 3)
    root = multiply(x, _HALF_ROOT_OF_TWO)
    shift = 11 - pairs
    return multiply_by_quantized_multiplier(1, min(root, MAX_INT32), 31 + shift - FRACTION_BITS)


def _real_inverse_root(greatest: float, values: Reals) -> Reals:
    # Root and quotient are each rounded to single precision, as the reference rounds them.
    positive = np.where(values > 0, values, 1.0).astype(np.float32)
    return np.where(values > 0, np.float32(1) / np.sqrt(positive), greatest)
