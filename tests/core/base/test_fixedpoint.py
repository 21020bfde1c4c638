"""Fixed-point arithmetic against exact fractions, and arrays against single values."""

from __future__ import annotations

import functools
import math
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.base import fixedpoint as fp
from core.base.errors import InternalError

INT16 = st.integers(-(1 << 15), (1 << 15) - 1)
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
SHIFT = st.integers(0, 31)
SCALE = st.floats(2.0**-20, 2.0**10, width=32)


def half_up(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def half_away(value: Fraction) -> int:
    return half_up(value) if value >= 0 else -half_up(-value)


def within(value: int, bits: int) -> int:
    return max(-(1 << (bits - 1)), min(value, (1 << (bits - 1)) - 1))


def gemmlowp_doubling_high(a: int, b: int, bits: int) -> int:
    """As its source defines it: a nudge by the sign, a division towards zero, one special case."""
    if a == b == -(1 << (bits - 1)):
        return (1 << (bits - 1)) - 1
    half = 1 << (bits - 2)
    nudge = half if a * b >= 0 else 1 - half
    return math.trunc(Fraction(a * b + nudge, 1 << (bits - 1)))


def to_single(value: Fraction) -> Fraction:
    """The nearest number of 24 bits, halves to even: what IEEE 754 asks of single precision."""
    exponent = math.frexp(float(value))[1] - 24
    unit = Fraction(2) ** exponent
    return round(value / unit) * unit


@given(INT32, INT32)
@example(-(1 << 31), -(1 << 31))
@example(-(1 << 31), (1 << 31) - 1)
@example(-(1 << 15), 1 << 15)
@example((-(1 << 15)) - 1, 1 << 15)
def test_mul32_is_gemmlowps(a, b):
    assert fp.saturating_rounding_mul32(a, b) == gemmlowp_doubling_high(a, b, 32)


@given(INT16, INT16)
@example(-(1 << 15), -(1 << 15))
@example(-(1 << 7), 1 << 7)
def test_mul16_is_gemmlowps(a, b):
    assert fp.saturating_rounding_mul16(a, b) == gemmlowp_doubling_high(a, b, 16)


@given(INT16, INT16)
@example(-(1 << 15), -(1 << 15))
@example(-1, 1)
def test_truncating_mul16_rounds_towards_zero(a, b):
    assert fp.saturating_mul16(a, b) == within(math.trunc(Fraction(a * b, 1 << 15)), 16)


@given(INT32, SHIFT)
@example(-(1 << 31), 31)
@example(-1, 1)
@example(-1, 0)
def test_right_shifts_round_as_they_say(value, exponent):
    exact = Fraction(value, 1 << exponent)
    assert fp.rounding_divide_by_pot(value, exponent) == half_away(exact)
    assert fp.shift_right_rounding_up(value, exponent) == half_up(exact)
    assert fp.shift_right_truncating(value, exponent) == math.trunc(exact)


@given(INT32, INT16, st.integers(0, 70))
def test_left_shifts_saturate(wide, narrow, exponent):
    assert fp.shift_left32(wide, exponent) == within(wide << exponent, 32)
    assert fp.shift_left16(narrow, exponent) == within(narrow << exponent, 16)


@given(INT32)
@example((1 << 31) - (1 << 15) - 1)
@example((1 << 31) - (1 << 15))
@example((1 << 31) - 1)
def test_downscale_is_the_nearest_that_fits(multiplier):
    assert fp.downscale(multiplier) == within(half_up(Fraction(multiplier, 1 << 16)), 16)


@given(INT32, st.integers(1 << 30, (1 << 31) - 1), st.integers(0, 63))
def test_multiplication_rounds_in_product_and_in_shift(value, multiplier, shift):
    shifted = within(value << max(31 - shift, 0), 32)
    product = gemmlowp_doubling_high(shifted, multiplier, 32)
    expected = half_away(Fraction(product, 1 << max(shift - 31, 0)))
    assert fp.multiply_by_quantized_multiplier(value, multiplier, shift) == expected


@given(st.integers(-(1 << 20), 1 << 20), st.floats(2.0**-12, 2.0**8))
def test_multiplication_by_a_quantised_scale_is_within_one_of_the_product(value, scale):
    got = fp.multiply_by_quantized_multiplier(value, *fp.quantise_scale(scale))
    assert abs(got - value * Fraction(scale)) <= 1


# Exponential


@given(st.integers(-(1 << 31), 0))
@example(-(1 << 31))
@example(-1)
@example(-(1 << 24))
@example(-(1 << 24) + 1)
def test_exp_is_near_the_real_one(value):
    getcontext().prec = 40
    exact = (Decimal(value) / (1 << 26)).exp() * (1 << 31)
    # The series is good to some 2**-21, relative to the result.
    assert abs(fp.exp_on_negative_values(value) - exact) <= max(exact * Decimal(2) ** -20, 2)


def test_exp_of_zero_is_the_greatest_value():
    assert fp.exp_on_negative_values(0) == (1 << 31) - 1


# Each is what gemmlowp's exp_on_negative_values gives for Q5.26.
KNOWN_EXPONENTIALS = [
    (-1, 2147483124),
    (-2, 2147483093),
    (-1048576, 2114189749),
    (-16777215, 1672462444),
    (-16777216, 1672462419),
    (-33554432, 1302515042),
    (-67108864, 790015308),
    (-67108865, 790014891),
    (-123456789, 341177383),
    (-268435456, 39332546),
    (-1000000007, 725),
    (-1073741824, 242),
    (-2147483647, 0),
    (-2147483648, 0),
]


@pytest.mark.parametrize(("value", "expected"), KNOWN_EXPONENTIALS)
def test_exp_is_gemmlowps(value, expected):
    assert fp.exp_on_negative_values(value) == expected


def test_exp_follows_gemmlowps_steps_over_its_whole_range():
    values = range(-(1 << 31), 0, 999_983)
    assert [fp.exp_on_negative_values(value) for value in values] == [
        gemmlowp_exp(value) for value in values
    ]


@functools.cache
def constant(real: Decimal) -> int:
    return int((real * (1 << 31)).to_integral_value())


@functools.cache
def exp_of(real: Decimal) -> int:
    getcontext().prec = 40
    return constant(real.exp())


def gemmlowp_exp(value: int) -> int:
    """exp by its definition: a series on the last quarter, then one factor for each higher bit."""

    def times(a: int, b: int) -> int:
        return gemmlowp_doubling_high(a, b, 32)

    if value == 0:
        return (1 << 31) - 1
    last = value % (1 << 24) - (1 << 24)
    x = (last << 5) + (1 << 28)
    x2 = times(x, x)
    x4_over_4 = half_away(Fraction(times(x2, x2), 4))
    x4_over_24_and_x3_over_6 = times(x4_over_4 + times(x2, x), constant(Decimal(1) / 3))
    higher = half_away(Fraction(x4_over_24_and_x3_over_6 + x2, 2))
    eighth = exp_of(Decimal("-0.125"))
    result = eighth + times(eighth, x + higher)
    quarters = (last - value) >> 24
    for bit in range(7):
        if quarters >> bit & 1:
            result = times(result, exp_of(-Decimal(1 << bit) / 4))
    return result


# Real factors


@given(st.floats(-1e15, 1e15))
@example(0.5)
@example(-0.5)
@example(0.49999999999999994)
@example(-2.5)
@example(4503599627370497.5)
def test_halves_go_away_from_zero(value):
    assert fp.round_away_from_zero(value) == half_away(Fraction(value))


@given(st.lists(st.floats(-1e9, 1e9, width=32), min_size=1))
@example([0.5, -0.5, 8388609.0, -2.5])
def test_arrays_of_reals_round_alike(values):
    for kind in (np.float32, np.float64):
        got = fp.round_array_away_from_zero(np.array(values, kind))
        assert got.dtype == np.int64
        assert got.tolist() == [fp.round_away_from_zero(value) for value in values]


# TensorFlow Lite's own test of QuantizeMultiplier, which counts the shift from 31 down to the left.
@pytest.mark.parametrize(
    ("scale", "multiplier", "left_shift"),
    [
        (0.25 - 5e-9, 2147483605, -2),
        (0.25 - 1e-11, 1073741824, -1),
        (0.25 - 1e-15, 1073741824, -1),
        (0.25, 1073741824, -1),
        (0.25 + 5e-9, 1073741845, -1),
        (1.0, 1073741824, 1),
        (1 - 1e-15, 1073741824, 1),
        (1.25, 1342177280, 1),
        (256.0, 1073741824, 9),
    ],
)
def test_scales_are_quantised_as_in_tensorflow_lite(scale, multiplier, left_shift):
    assert fp.quantise_scale(scale) == (multiplier, 31 - left_shift)


@given(st.floats(2.0**-32, 2.0**31 - 1))
def test_a_quantised_scale_is_the_nearest_of_31_bits(scale):
    multiplier, shift = fp.quantise_scale(scale)
    assert 1 << 30 <= multiplier < 1 << 31
    error = abs(Fraction(multiplier, 1 << shift) - Fraction(scale))
    assert error <= Fraction(scale) / (1 << 31)
    assert fp.Multiplier(multiplier, shift).real == pytest.approx(scale, rel=2.0**-31)


@given(st.floats(2.0**-30, 2.0**30))
def test_a_negative_scale_is_the_positive_one_negated(scale):
    multiplier, shift = fp.quantise_scale(scale)
    negative = fp.quantise_scale(-scale)
    assert negative.real == -fp.Multiplier(multiplier, shift).real


@pytest.mark.parametrize("scale", [2.0**31, 2.0**200, math.inf, 2.0**-33 * 0.99, 2.0**-200])
def test_what_six_bits_of_shift_cannot_express_becomes_no_factor(scale):
    assert fp.quantise_scale(scale) == (0, 16)
    assert fp.quantise_scale_reduced(scale) == (0, 0)


def test_the_ends_of_the_range_are_expressible():
    assert fp.quantise_scale(2.0**-33) == (1 << 30, 63)
    assert fp.quantise_scale(math.nextafter(2.0**31, 0) - 1) == ((1 << 31) - 1, 0)
    assert fp.quantise_scale(0.0) == (0, 31)


def test_a_scale_that_is_no_number_is_our_own_fault():
    with pytest.raises(InternalError, match="not a number"):
        fp.quantise_scale(math.nan)


@given(st.floats(2.0**-33, 2.0**14))
def test_the_reduced_form_keeps_fifteen_bits(scale):
    multiplier, shift = fp.quantise_scale_reduced(scale)
    assert 1 << 14 <= multiplier < 1 << 15
    assert 0 <= shift < 48
    assert multiplier / 2.0**shift == pytest.approx(scale, rel=2.0**-15 + 2.0**-30)


@given(st.floats(2.0**15, 2.0**30))
def test_the_reduced_form_has_no_left_shift(scale):
    assert fp.quantise_scale_reduced(scale) == (0, 0)


@given(SCALE, SCALE, SCALE)
def test_a_product_is_scaled_in_single_precision(a, b, out):
    single = to_single(to_single(Fraction(a) * Fraction(b)) / Fraction(out))
    assert fp.elementwise_mul_scale(a, b, out) == fp.quantise_scale(float(single))
    double = float(Fraction(a) * Fraction(b)) / out
    assert fp.elementwise_mul_scale(a, b, out, use_double=True) == fp.quantise_scale(double)


@pytest.mark.parametrize("scales", [(1e38, 1e38, 1.0), (1.0, 1.0, 0.0), (1e-38, 1e-38, 1.0)])
def test_extreme_scales_neither_warn_nor_raise(scales):
    assert fp.elementwise_mul_scale(*scales).multiplier == 0


@given(SCALE, SCALE, SCALE, st.sampled_from([15, 16, 20]))
def test_simplified_factors_are_the_nearest_doubles(a, b, out, input_shift):
    common, room = 2 * Fraction(max(a, b)), 1 << input_shift
    got = fp.simplified_add_scale(a, b, out, input_shift)
    assert got.a == float(Fraction(a) * room / common)
    assert got.b == float(Fraction(b) * room / common)
    assert got.out == fp.quantise_scale(float(common / (Fraction(out) * room)))


@given(SCALE, SCALE, SCALE, st.sampled_from([(8, 20), (16, 15)]))
def test_advanced_factors_scale_the_operand_with_the_smaller_scale(a, b, out, form):
    bits, room = form
    got = fp.advanced_add_scale(a, b, out, bits)
    assert got.scales_a == (a < b)
    operand = float(Fraction(min(a, b)) * (1 << room) / (2 * Fraction(max(a, b))))
    assert got.operand == fp.quantise_scale(operand)
    assert got.out == fp.simplified_add_scale(a, b, out, room).out
    swapped = fp.advanced_add_scale(b, a, out, bits)
    assert (swapped.operand, swapped.out) == (got.operand, got.out)
    assert swapped.scales_a == (b < a)


@given(st.integers(1, 1 << 16), st.data())
@example(1, None)
@example(2, None)
@example(1 << 16, None)
def test_a_pooling_factor_gives_the_rounded_mean_of_bytes(elements, data):
    # Exact means and those that end in a half are where a factor too small would show.
    halves = data.draw(st.integers(0, 510)) if data else 509
    near = data.draw(st.integers(0, 1)) if data else 0
    total = min(-(-halves * elements // 2) + near, 255 * elements)
    multiplier, shift = fp.pooling_scale(elements)
    assert multiplier < 1 << 32
    assert shift < 64
    assert fp.shift_right_rounding_up(total * multiplier, shift) == half_up(
        Fraction(total, elements)
    )


@given(st.integers(1, 1 << 16), st.integers(1, 12))
def test_spare_bits_leave_room_in_the_pooling_factor(elements, spare_bits):
    multiplier, shift = fp.pooling_scale(elements, spare_bits)
    assert multiplier < 1 << (32 - spare_bits)
    assert multiplier / 2.0**shift == pytest.approx(1 / elements, rel=2.0 ** (spare_bits - 30))


# Arrays

UNARY = [
    (fp.downscale, INT32),
    (fp.exp_on_negative_values, st.integers(-(1 << 31), 0)),
]
BINARY = [
    (fp.saturating_rounding_mul32, INT32, INT32),
    (fp.saturating_rounding_mul16, INT16, INT16),
    (fp.saturating_mul16, INT16, INT16),
    (fp.rounding_divide_by_pot, INT32, SHIFT),
    (fp.shift_right_rounding_up, INT32, SHIFT),
    (fp.shift_right_truncating, INT32, SHIFT),
]
BY_ONE_NUMBER = [
    *BINARY,
    (fp.shift_left32, INT32, st.integers(0, 70)),
    (fp.shift_left16, INT16, st.integers(0, 70)),
]


def array(values) -> np.ndarray:
    return np.array(values, np.int64)


def check(got: np.ndarray, expected: list[int]) -> None:
    assert got.dtype == np.int64
    assert got.tolist() == expected


@pytest.mark.parametrize(("function", "kind"), UNARY)
@given(st.data())
def test_an_array_is_treated_element_by_element(function, kind, data):
    values = data.draw(st.lists(kind))
    check(function(array(values)), [function(value) for value in values])


@pytest.mark.parametrize(("function", "first", "second"), BINARY)
@given(st.data())
def test_two_arrays_are_treated_element_by_element(function, first, second, data):
    pairs = data.draw(st.lists(st.tuples(first, second), min_size=1))
    left, right = zip(*pairs, strict=True)
    check(function(array(left), array(right)), [function(a, b) for a, b in pairs])


@pytest.mark.parametrize(("function", "first", "second"), BY_ONE_NUMBER)
@given(st.data())
def test_an_array_takes_one_number_for_all_elements(function, first, second, data):
    values, number = data.draw(st.lists(first)), data.draw(second)
    check(function(array(values), number), [function(value, number) for value in values])


@given(st.lists(INT32), st.integers(1 << 30, (1 << 31) - 1), st.integers(0, 63))
def test_an_array_is_multiplied_element_by_element(values, multiplier, shift):
    one = fp.multiply_by_quantized_multiplier
    expected = [one(value, multiplier, shift) for value in values]
    check(one(array(values), multiplier, shift), expected)
    multipliers = array([multiplier] * len(values))
    check(one(array(values), multipliers, shift), expected)


def test_arguments_stay_as_they_were():
    values = array([-5, -(1 << 24), 0])
    fp.exp_on_negative_values(values)
    fp.shift_left32(values, 4)
    assert values.tolist() == [-5, -(1 << 24), 0]
