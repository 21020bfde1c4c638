"""Scaling, held against arithmetic on Python's integers, one value at a time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fixedpoint import multiply_by_quantized_multiplier
from core.ir.npugraph import Rounding
from core.simulate.curves import sigmoid, tanh
from core.simulate.scaling import scaled, scaled_reals

VALUES = st.integers(-(1 << 31), (1 << 31) - 1)
WIDE = st.integers(-(1 << 39), (1 << 39) - 1)
FACTORS = st.integers(1, (1 << 32) - 1)
SHIFTS = st.integers(0, 63)


def one(value: int, multiplier: int, shift: int, rounding: Rounding) -> int:
    """Whole numbers of 40 bits are the same in floating point."""
    (found,) = scaled(np.array([value]), multiplier, shift, rounding)
    for known in (abs(value), math.inf):
        real, greatest = np.array([float(value)]), min(known, 2.0**60)
        (of_real,) = scaled_reals(real, multiplier, shift, rounding, greatest)
        assert of_real == found
    return int(found)


def held(value: int) -> int:
    return max(-(1 << 63), min((1 << 63) - 1, value))


@given(WIDE, FACTORS, SHIFTS)
def test_natural_rounding_takes_halves_up(value, multiplier, shift):
    exact = Fraction(value * multiplier, 1 << shift)
    assert one(value, multiplier, shift, Rounding.NATURAL) == held(
        math.floor(exact + Fraction(1, 2))
    )


@given(WIDE, FACTORS, SHIFTS)
def test_truncation_goes_towards_zero(value, multiplier, shift):
    exact = Fraction(value * multiplier, 1 << shift)
    assert one(value, multiplier, shift, Rounding.TRUNCATE) == held(math.trunc(exact))


@given(VALUES, st.integers(1 << 30, (1 << 31) - 1), st.integers(31, 62))
def test_double_rounding_is_that_of_the_reference_kernels(value, multiplier, shift):
    expected = multiply_by_quantized_multiplier(value, multiplier, shift)
    assert one(value, multiplier, shift, Rounding.DOUBLE) == expected


@given(WIDE, FACTORS, SHIFTS)
def test_double_rounding_rounds_to_31_bits_less_and_then_the_rest(value, multiplier, shift):
    first = math.floor(Fraction(value * multiplier, 1 << min(shift, 31)) + Fraction(1, 2))
    rest = Fraction(abs(first), 1 << max(shift - 31, 0))
    away = math.floor(rest + Fraction(1, 2)) if shift > 31 else abs(first)
    assert one(value, multiplier, shift, Rounding.DOUBLE) == held(away if first >= 0 else -away)


@given(
    st.integers(-(1 << 12), 1 << 12),
    st.integers(0, 31),
    st.integers(1, 5),
    SHIFTS,
    st.sampled_from(list(Rounding)),
)
def test_halves_are_rounded_alike_in_floating_point(value, zeros, odd, shift, rounding):
    one(value, min(odd << zeros, (1 << 32) - 1), shift, rounding)


@given(st.lists(st.tuples(VALUES, FACTORS, SHIFTS), min_size=1, max_size=8))
def test_channels_have_factors_of_their_own(channels):
    values, multipliers, shifts = (np.array(column) for column in zip(*channels, strict=True))
    for rounding in (Rounding.DOUBLE, Rounding.NATURAL, Rounding.TRUNCATE):
        together = scaled(values, multipliers, shifts, rounding)
        assert together.tolist() == [one(*channel, rounding) for channel in channels]


@pytest.mark.parametrize(
    ("curve", "exact"),
    [(tanh, np.tanh), (sigmoid, lambda x: 1 / (1 + np.exp(-x)))],
)
def test_curves_are_near_what_they_are_named_for(curve, exact):
    values = np.arange(-200_000, 200_000, 7)
    expected = exact(values / 12288) * (1 << 15)
    got = curve(values)
    assert np.abs(got - np.minimum(expected, (1 << 15) - 1)).max() <= 8
    assert (np.diff(got) >= 0).all()
