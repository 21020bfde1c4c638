"""Quantisation parameters from ranges: nothing clipped, zero exact, few digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.synth import ranges

DTYPES = st.sampled_from([DType.INT8, DType.UINT8, DType.INT16])
REALS = st.floats(-1e4, 1e4)


@given(DTYPES, REALS, REALS)
def test_a_range_is_covered_and_holds_zero_exactly(dtype, one, other):
    low, high = sorted((one, other))
    found = ranges.for_range(dtype, low, high)
    (scale,), (zero_point,) = found.scales, found.zero_points
    least, greatest = dtype.limits
    assert scale > 0
    assert least <= zero_point <= greatest
    # Scale and zero point are rounded to three digits, so that the ends may be off by a little.
    slack = 0.012 * max(high, 0.0, -low) + scale
    assert (least - zero_point) * scale <= low + slack
    assert (greatest - zero_point) * scale >= high - slack
    assert ranges.quantized(np.array(0.0), dtype, found) == zero_point
    assert dtype is not DType.INT16 or zero_point == 0


@given(DTYPES, st.lists(st.floats(-100, 100), min_size=1, max_size=20))
def test_quantising_is_off_by_half_a_step_at_most(dtype, values):
    array = np.array(values)
    found = ranges.for_range(dtype, *ranges.expected([array]))
    stored = ranges.quantized(array, dtype, found).astype(np.float64)
    error = np.abs((stored - found.zero_points[0]) * found.scales[0] - array)
    assert stored.dtype == np.float64
    assert error.max() <= found.scales[0] * 0.5001 + 1e-6


@given(st.floats(1e-6, 1e6), st.integers(-8, 8))
def test_the_last_bits_of_a_number_do_not_show(value, steps):
    noisy = value * (1.0 + steps * 2.0**-50)
    # A number on the very border between two rounded ones goes either way; sums never are there.
    border = float(f"{value:.2e}") - value
    assume(abs(abs(border) / value - 0.5 * 10.0 ** (np.floor(np.log10(value)) - 2) / value) > 1e-9)
    assert ranges.coarse(noisy) == ranges.coarse(value)


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8, DType.INT16])
def test_dictated_parameters_are_the_formats(dtype):
    unit, signed = ranges.for_unit_interval(dtype), ranges.for_signed_unit_interval(dtype)
    least, greatest = dtype.limits

    def real(stored: int, found: ranges.Quantization) -> float:
        return (stored - found.zero_points[0]) * found.scales[0]

    assert real(greatest, unit) == pytest.approx(1.0, abs=1 / 200)
    assert real(greatest, signed) == pytest.approx(1.0, abs=1 / 100)
    assert real(least, signed) == -1.0
    assert real(least, unit) == (-1.0 if dtype is DType.INT16 else 0.0)
