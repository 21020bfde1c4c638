"""Logarithms of single precision against the C library that this process has."""

from __future__ import annotations

import ctypes
import platform

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.logarithms import single_log

IS_GNU = platform.libc_ver()[0] == "glibc"


@pytest.mark.skipif(not IS_GNU, reason="the method is that of GNU's and newlib's library")
@given(st.lists(st.floats(width=32, min_value=2.0**-149, allow_infinity=False), min_size=1))
def test_they_are_those_of_the_c_library_to_the_last_bit(values: list[float]) -> None:
    logf = ctypes.CDLL("libm.so.6").logf
    logf.restype, logf.argtypes = ctypes.c_float, [ctypes.c_float]
    ours = single_log(np.array(values))
    assert ours.tolist() == [logf(value) for value in values]


def test_a_correctly_rounded_logarithm_is_another_one() -> None:
    values = np.linspace(0.01, 8, 1_000, dtype=np.float32).astype(np.float64)
    exact = np.log(values).astype(np.float32)
    assert 0 < np.count_nonzero(single_log(values) != exact) < 10
    np.testing.assert_allclose(single_log(values), np.log(values), rtol=1e-6, atol=1e-7)
