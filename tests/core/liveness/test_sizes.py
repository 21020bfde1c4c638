"""How many bytes maps take: those of an array that is stored in that order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.base.ids import FmId
from core.ir.npugraph import FeatureMap
from core.liveness.sizes import map_bytes, rolling_bytes
from core.target.format import Format

SHAPES = st.lists(st.integers(1, 40), min_size=0, max_size=5).map(tuple)
DTYPES = st.sampled_from((DType.INT8, DType.UINT8, DType.INT16, DType.INT32))


def feature_map(shape: tuple[int, ...], dtype: DType = DType.INT8) -> FeatureMap:
    return FeatureMap(id=FmId(0), name="a", shape=shape, dtype=dtype, storage=FmId(0))


@given(SHAPES, DTYPES)
def test_rows_take_the_bytes_of_their_elements_up_to_an_aligned_address(shape, dtype):
    stored = (
        np.zeros(1).nbytes and int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype.numpy).itemsize
    )
    size = map_bytes(feature_map(shape, dtype), Format.LINEAR)
    assert size % 16 == 0
    assert 0 <= size - stored < 16


@given(st.tuples(*[st.integers(1, 12)] * 3, st.integers(1, 40)), DTYPES)
def test_bricks_take_the_channels_that_fill_them_too(shape, dtype):
    n, h, w, c = shape
    bricks = np.zeros((n, h, -(-c // 16), w, 16), dtype.numpy)
    assert map_bytes(feature_map(shape, dtype), Format.BRICKS) == bricks.nbytes


@pytest.mark.parametrize("order", Format)
def test_a_scalar_and_what_is_empty_take_an_address_of_their_own(order):
    assert map_bytes(feature_map(()), order) == 16
    assert map_bytes(feature_map((1, 0, 4, 8)), order) == 16


def test_bricks_of_few_dimensions_are_those_of_their_last():
    assert map_bytes(feature_map((5, 20)), Format.BRICKS) == 5 * 32


@given(st.integers(1, 9), st.integers(1, 9), st.sampled_from((16, 32)), DTYPES)
def test_a_rolling_buffer_takes_the_bytes_of_its_rows(rows, columns, depth, dtype):
    stored = np.zeros((1, rows, columns, depth), dtype.numpy)
    shape = Shape4(1, rows, columns, depth)
    assert rolling_bytes(feature_map((1, 99, columns, depth), dtype), shape) == stored.nbytes
