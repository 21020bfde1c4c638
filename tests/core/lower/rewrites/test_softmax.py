"""Softmax, bit for bit as LiteRT's reference kernels compute it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.ir.network import Network
from core.ir.npugraph import OpKind
from core.lower.draft import Draft
from core.lower.rewrites import softmax
from core.lower.rewrites.softmax8 import exponential_table as short_exponentials
from core.lower.rewrites.softmax16 import exponential_table, reciprocal_table
from tests.conftest import Golden
from tests.core.lower.rewrites.workbench import both, drafted, noise, single, tensor, written


def network(
    shape: tuple[int, ...], dtype: DType, scale: float, beta: float = 1.0, zero_point: int = 0
) -> Network:
    made = (2**-15, 0) if dtype is DType.INT16 else (2**-8, dtype.limits[0])
    ifm, ofm = tensor("x", shape, dtype, scale, zero_point), tensor("y", shape, dtype, *made)
    return single("SOFTMAX", [ifm], ofm, {"beta": beta}, record="SoftmaxOptions")


@pytest.mark.parametrize("dtype", [DType.INT8, DType.UINT8])
@settings(max_examples=15)
@given(
    scale=st.floats(0.001, 0.5),
    beta=st.sampled_from([0.5, 1.0, 3.0]),
    depth=st.integers(2, 60),
    seed=st.integers(0, 1000),
    batches=st.integers(1, 3),
)
def test_bytes_equal_the_reference(
    dtype: DType, scale: float, beta: float, depth: int, seed: int, batches: int
) -> None:
    shape = (batches, 2, 3, depth)
    net = network(shape, dtype, scale, beta, zero_point=7)
    ours, theirs = both(softmax.lower, net, [noise(shape, seed, dtype)])
    np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=15)
@given(scale=st.floats(1e-5, 2e-3), depth=st.integers(2, 60), seed=st.integers(0, 1000))
def test_shorts_equal_the_reference(scale: float, depth: int, seed: int) -> None:
    shape = (2, 3, depth)
    net = network(shape, DType.INT16, scale)
    ours, theirs = both(softmax.lower, net, [noise(shape, seed, DType.INT16)])
    np.testing.assert_array_equal(ours, theirs)


def samples(entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    base = (entries & 0xFFFF).astype(np.uint16).view(np.int16).astype(int)
    return base, base + (entries >> 16).astype(np.uint16).view(np.int16)


def test_wide_tables_join_and_end_where_their_functions_do() -> None:
    begins, ends = samples(exponential_table().array)
    assert (begins[1:] == ends[:-1]).all()
    assert (np.diff(begins) >= 0).all()
    assert abs(begins[0] - np.exp(-10) * 32768) < 1
    assert ends[-1] == 32767
    begins, ends = samples(reciprocal_table().array)
    assert (begins[1:] == ends[:-1]).all()
    assert (np.diff(begins) < 0).all()
    # From one, less what fifteen bits cannot hold, to one half.
    assert (begins[0], ends[-1]) == (32767, 16384)


@given(scale=st.floats(0.001, 1.0))
def test_short_exponentials_are_those_of_the_differences(scale: float) -> None:
    table = short_exponentials(scale).array.astype(np.int64)
    exact = np.exp(np.arange(-255, 1) * scale) * (1 << 31)
    assert (np.diff(table) >= 0).all()
    assert table[-1] == (1 << 31) - 1
    assert np.abs(table - exact).max() < 1024


def kinds(draft: Draft) -> Counter[OpKind]:
    return Counter(item.kind for item in draft.items)  # type: ignore[union-attr]


def test_chains_are_as_long_as_the_ecosystems() -> None:
    assert sum(kinds(drafted(softmax.lower, network((1, 9), DType.INT8, 0.1))).values()) == 31
    assert sum(kinds(drafted(softmax.lower, network((1, 9), DType.INT16, 1e-3))).values()) == 14


@pytest.mark.parametrize("dtype", [DType.INT8, DType.INT16])
def test_structure(dtype: DType, golden: Golden) -> None:
    net = network((2, 3, 5, 16), dtype, 0.0625, zero_point=0)
    golden.check(f"softmax_{dtype.name.lower()}.txt", written(drafted(softmax.lower, net)))
