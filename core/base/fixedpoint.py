"""Integer arithmetic of quantised inference, bit for bit as TensorFlow Lite's kernels do it.

Every function of an integer takes a Python int, or an int64 array of which each element is treated
alike. Values mean 16 or 32 bits wherever a name says so; int64 is there to hold what lies between.
Formats are written Qi.f: i integer bits and f fractional bits beside the sign.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.base.errors import InternalError
from core.base.frozen import NamedTuple

Ints = npt.NDArray[np.int64]
IntOrInts = TypeVar("IntOrInts", int, Ints)

MAX_INT16 = (1 << 15) - 1
MAX_INT32 = (1 << 31) - 1

_SHIFT_LIMIT = 1 << 6
"""The hardware's shift fields have six bits."""

_EXP_OF_MINUS_EIGHTH = 1895147668
_ONE_THIRD = 715827883
_EXP_OF_MINUS_POWERS = (
    1672461947,
    1302514674,
    790015084,
    290630308,
    39332535,
    720401,
    242,
)
"""exp(-1/4), exp(-1/2), exp(-1), ... exp(-16) in Q0.31, as gemmlowp rounds them."""

_QUARTER = 1 << 24
"""One quarter in Q5.26."""


class Multiplier(NamedTuple):
    """A real factor as hardware takes it: multiplier / 2**shift."""

    multiplier: int
    shift: int

    @property
    def real(self) -> float:
        """The factor that is meant."""
        return math.ldexp(self.multiplier, -self.shift)


NO_FACTOR = Multiplier(0, 16)
"""What stands in for a factor that six bits of shift cannot express."""


# Multiplication


def saturating_rounding_mul32(a: IntOrInts, b: IntOrInts | int) -> IntOrInts:
    """High half of the doubled product of 32-bit values, halves rounded up."""
    return _doubled_high_half(a, b, 31)


def saturating_rounding_mul16(a: IntOrInts, b: IntOrInts | int) -> IntOrInts:
    """High half of the doubled product of 16-bit values, halves rounded up."""
    return _doubled_high_half(a, b, 15)


def saturating_mul16(a: IntOrInts, b: IntOrInts | int) -> IntOrInts:
    """High half of the doubled product of 16-bit values, rounded towards zero."""
    high = shift_right_truncating(a * b, 15)
    return high - (high > MAX_INT16)


def _doubled_high_half(a: IntOrInts, b: IntOrInts | int, bits: int) -> IntOrInts:
    # gemmlowp nudges by the sign of the product and then divides towards zero, which comes to the
    # same as rounding halves up. Only the square of the least value exceeds the range, by one.
    high = shift_right_rounding_up(a * b, bits)
    return high - (high > (1 << bits) - 1)


# Shifts


def rounding_divide_by_pot(value: IntOrInts, exponent: IntOrInts | int) -> IntOrInts:
    """The value divided by 2**exponent, halves rounded away from zero."""
    towards_negative = (value < 0) * (exponent > 0)
    return (value + _half(exponent) - towards_negative) >> exponent


def shift_right_rounding_up(value: IntOrInts, exponent: IntOrInts | int) -> IntOrInts:
    """The value divided by 2**exponent, halves rounded up."""
    return (value + _half(exponent)) >> exponent


def shift_right_truncating(value: IntOrInts, exponent: IntOrInts | int) -> IntOrInts:
    """The value divided by 2**exponent, rounded towards zero."""
    return (value + (value < 0) * ((1 << exponent) - 1)) >> exponent


def shift_left32(value: IntOrInts, exponent: int) -> IntOrInts:
    """A 32-bit value multiplied by 2**exponent and held within 32 bits."""
    return _saturate(value << min(exponent, 32), MAX_INT32)


def shift_left16(value: IntOrInts, exponent: int) -> IntOrInts:
    """A 16-bit value multiplied by 2**exponent and held within 16 bits."""
    return _saturate(value << min(exponent, 16), MAX_INT16)


def _half(exponent: IntOrInts | int) -> IntOrInts | int:
    return (1 << exponent) >> 1


def _saturate(value: IntOrInts, most: int) -> IntOrInts:
    if isinstance(value, int):
        return max(-most - 1, min(value, most))
    return np.clip(value, -most - 1, most)


# Multiplication by a quantised factor


def multiply_by_quantized_multiplier(
    value: IntOrInts, multiplier: IntOrInts | int, shift: int
) -> IntOrInts:
    """A 32-bit value times multiplier / 2**shift, rounded in the product and again in the shift."""
    # A left shift that overflows is undefined in the reference; here it saturates.
    product = saturating_rounding_mul32(shift_left32(value, max(31 - shift, 0)), multiplier)
    return rounding_divide_by_pot(product, max(shift - 31, 0))


def downscale(multiplier: IntOrInts) -> IntOrInts:
    """The 16-bit multiplier nearest to a 32-bit one that is meant 2**16 times as large."""
    return _saturate(shift_right_rounding_up(multiplier, 16), MAX_INT16)


# Exponential


def exp_on_negative_values(value: IntOrInts) -> IntOrInts:
    """exp of a value in Q5.26 that is not positive, in Q0.31; exp(0) is the greatest value."""
    fraction = (value & (_QUARTER - 1)) - _QUARTER
    rest = fraction - value
    result = _exp_within_quarter(fraction << 5)
    for bit, factor in enumerate(_EXP_OF_MINUS_POWERS, start=24):
        is_set = (rest >> bit) & 1
        result += (saturating_rounding_mul32(result, factor) - result) * is_set
    result += (MAX_INT32 - result) * (value >= 0)
    return result


def _exp_within_quarter(value: IntOrInts) -> IntOrInts:
    """exp of a value in Q0.31 within [-1/4, 0): four terms of the series around -1/8."""
    x = value + (1 << 28)
    x2 = saturating_rounding_mul32(x, x)
    x3 = saturating_rounding_mul32(x2, x)
    x4_over_4 = rounding_divide_by_pot(saturating_rounding_mul32(x2, x2), 2)
    cubic = saturating_rounding_mul32(x4_over_4 + x3, _ONE_THIRD)
    series = x + rounding_divide_by_pot(cubic + x2, 1)
    return saturating_rounding_mul32(series, _EXP_OF_MINUS_EIGHTH) + _EXP_OF_MINUS_EIGHTH


# Real factors


def round_away_from_zero(value: float) -> int:
    """The nearest integer; halves go away from zero."""
    whole = math.trunc(value)
    # The fraction is exact; adding a half before truncation would not be.
    if abs(value - whole) < 0.5:
        return whole
    return whole + (1 if value > 0 else -1)


def round_array_away_from_zero(values: npt.NDArray[np.floating]) -> Ints:
    """The nearest integers; halves go away from zero."""
    whole = np.trunc(values)
    is_nearest = np.abs(values - whole) < 0.5
    rounded: Ints = np.where(is_nearest, whole, whole + np.sign(values)).astype(np.int64)
    return rounded


_FAR = float(1 << 40)
"""Beyond every stored value."""


def quantised(
    reals: npt.NDArray[np.float32], scale: float, zero_point: int, limits: tuple[int, int]
) -> Ints:
    """Real numbers as the reference's QUANTIZE stores them: it divides in single precision."""
    with np.errstate(over="ignore"):
        ratios = (reals / np.float32(scale)).astype(np.float64)
    steps = round_array_away_from_zero(np.clip(ratios, -_FAR, _FAR))
    return np.clip(steps + zero_point, *limits).astype(np.int64)


def quantise_scale(scale: float) -> Multiplier:
    """The factor with 31 significant bits, or `NO_FACTOR` where it is too large or too small."""
    if math.isnan(scale):
        raise InternalError("a scale is not a number")
    if math.isinf(scale):
        return NO_FACTOR
    significand, exponent = math.frexp(scale)
    multiplier = round_away_from_zero(math.ldexp(significand, 31))
    shift = 31 - exponent
    if multiplier > MAX_INT32:
        multiplier, shift = multiplier >> 1, shift - 1
    return Multiplier(multiplier, shift) if 0 <= shift < _SHIFT_LIMIT else NO_FACTOR


def quantise_scale_reduced(scale: float) -> Multiplier:
    """The factor with 15 significant bits, as convolutions with 40-bit accumulators take it."""
    multiplier, shift = quantise_scale(scale)
    return Multiplier(downscale(multiplier), shift - 16) if shift >= 16 else Multiplier(0, 0)


def elementwise_mul_scale(
    scale_a: float, scale_b: float, scale_out: float, *, use_double: bool = False
) -> Multiplier:
    """The factor of a multiplication's product; the reference finds it in single precision."""
    precision = np.float64 if use_double else np.float32
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        factor = precision(scale_a) * precision(scale_b) / precision(scale_out)
    return quantise_scale(float(factor))


class SimplifiedAddScale(NamedTuple):
    """Factors of a sum or difference whose operands are both brought to the same scale."""

    a: float
    b: float
    out: Multiplier


class AdvancedAddScale(NamedTuple):
    """Factors of a sum or difference of which only the operand with the smaller scale is scaled."""

    operand: Multiplier
    out: Multiplier
    scales_a: bool
    """Whether it is the first operand that is scaled."""


def simplified_add_scale(
    scale_a: float, scale_b: float, scale_out: float, input_shift: int = 16
) -> SimplifiedAddScale:
    """Factors that bring both operands to twice the greater scale, times 2**-input_shift."""
    common = 2 * max(float(scale_a), float(scale_b))
    return SimplifiedAddScale(
        a=float(scale_a) * (1 << input_shift) / common,
        b=float(scale_b) * (1 << input_shift) / common,
        out=quantise_scale(common / (float(scale_out) * (1 << input_shift))),
    )


def advanced_add_scale(
    scale_a: float, scale_b: float, scale_out: float, bits: int
) -> AdvancedAddScale:
    """Factors for operands of 8 or 16 bits, the latter with less room above them."""
    least, most = sorted((scale_a, scale_b))
    simplified = simplified_add_scale(least, most, scale_out, 20 if bits == 8 else 15)
    return AdvancedAddScale(
        operand=quantise_scale(simplified.a), out=simplified.out, scales_a=scale_a < scale_b
    )


def pooling_scale(elements: int, spare_bits: int = 0) -> Multiplier:
    """The factor that divides a sum by its number of elements, exact for sums of 8-bit values."""
    exponent = 31 - spare_bits + (elements - 1).bit_length()
    # One unit of the last place more than the quotient's floor, so that exact quotients stay so.
    numerator = (1 << exponent) + (1 << (elements - 1).bit_length())
    return Multiplier(numerator // elements, exponent)


_MOST_HALVES = 1 << 17
"""Twice an output of up to 16 bits without its zero point is less."""


def away_from_zero(factor: Multiplier) -> Multiplier:
    """The next greater multiplier makes the hardware's halves-up go away from zero."""
    return factor._replace(multiplier=factor.multiplier + 1)


def away_at_halves(factor: Multiplier) -> Multiplier:
    """As LiteRT's FULLY_CONNECTED has it; other factors than these few make no half of any sum."""
    odd = factor.multiplier // (factor.multiplier & -factor.multiplier or 1)
    return away_from_zero(factor) if 0 < odd < _MOST_HALVES else factor
