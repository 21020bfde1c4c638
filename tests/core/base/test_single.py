"""Functions of single precision against the C library that this process has."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.base.single import (
    Reals,
    single_erfc,
    single_exp,
    single_expm1,
    single_log,
    single_tanh,
)

LIBRARY, VERSION = platform.libc_ver()
HAS_OUR_LOG = LIBRARY == "glibc"
HAS_OURS = HAS_OUR_LOG and tuple(map(int, VERSION.split("."))) < (2, 41)
"""From 2.41 on these functions are rounded correctly."""
singles = st.floats(width=32, allow_nan=False, allow_infinity=False)
near = st.floats(-30, 30, width=32)
FUNCTIONS = {
    "expf": (single_exp, np.exp),
    "expm1f": (single_expm1, np.expm1),
    "tanhf": (single_tanh, np.tanh),
}


def of_the_library(name: str, values: list[float]) -> list[float]:
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    return [function(value) for value in values]


@pytest.mark.skipif(not HAS_OUR_LOG, reason="the method is that of GNU's and newlib's library")
@given(st.lists(st.floats(width=32, min_value=2.0**-149, allow_infinity=False), min_size=1))
def test_logarithms_are_those_of_the_c_library_to_the_last_bit(values: list[float]) -> None:
    assert single_log(np.array(values)).tolist() == of_the_library("logf", values)


@pytest.mark.skipif(not HAS_OURS, reason="the methods are those of GNU's and newlib's library")
@pytest.mark.parametrize("name", [*FUNCTIONS, "erfcf"])
@given(values=st.lists(st.one_of(near, singles), min_size=1))
@example(values=np.linspace(-30, 30, 5_001, dtype=np.float32).tolist())
@example(values=[float(sign * 2.0**power) for sign in (-1, 1) for power in range(-149, 128)])
@example(values=np.float32([88.72283, 88.72284, -18.714973, 0.3465736, 1.0397208]).tolist())
def test_others_are_those_of_the_c_library_to_the_last_bit(name: str, values: list[float]) -> None:
    function = single_erfc if name == "erfcf" else FUNCTIONS[name][0]
    assert function(np.array(values)).tolist() == of_the_library(name, values)


def test_a_correctly_rounded_logarithm_is_another_one() -> None:
    values = np.linspace(0.01, 8, 1_000, dtype=np.float32).astype(np.float64)
    exact = np.log(values).astype(np.float32)
    assert 0 < np.count_nonzero(single_log(values) != exact) < 10
    np.testing.assert_allclose(single_log(values), np.log(values), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("function", "exact"), FUNCTIONS.values(), ids=list(FUNCTIONS))
def test_others_are_within_two_of_the_last_place(
    function: Callable[[Reals], Reals], exact: Callable[[Reals], Reals]
) -> None:
    values = np.linspace(-30, 30, 5_001, dtype=np.float32).astype(np.float64)
    np.testing.assert_allclose(function(values), exact(values), rtol=2.0**-22)
