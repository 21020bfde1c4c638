"""Shapes and padding against counting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import (
    Block,
    Kernel,
    Shape4,
    ceil_div,
    round_up,
    same_padding,
    total_padding,
)

SIZE = st.integers(1, 40)
SMALL = st.integers(1, 7)
KERNELS = st.builds(
    Kernel, h=SMALL, w=SMALL, stride_h=SMALL, stride_w=SMALL, dilation_h=SMALL, dilation_w=SMALL
)


def outputs(size: int, stride: int, window: int) -> int:
    """Places at which a window fits, found by moving it."""
    return sum(1 for start in range(0, size, stride) if start + window <= size)


def least_padding(size: int, stride: int, window: int) -> int:
    wanted = len(range(0, size, stride))
    padding = 0
    while outputs(size + padding, stride, window) < wanted:
        padding += 1
    return padding


@given(SIZE, SMALL, st.integers(1, 45))
def test_total_padding_is_the_least_that_gives_the_same_outputs(size, stride, window):
    assert total_padding(size, stride, window) == least_padding(size, stride, window)


@given(SIZE, SIZE, KERNELS)
def test_same_padding_is_shared_out_with_the_odd_one_at_the_end(height, width, kernel):
    padding = same_padding(height, width, kernel)
    rows = least_padding(height, kernel.stride_h, kernel.dilated_h)
    columns = least_padding(width, kernel.stride_w, kernel.dilated_w)
    assert (padding.top, padding.bottom) == (rows // 2, rows - rows // 2)
    assert (padding.left, padding.right) == (columns // 2, columns - columns // 2)


@given(KERNELS)
def test_a_dilated_window_spans_from_its_first_tap_to_its_last(kernel):
    rows = [tap * kernel.dilation_h for tap in range(kernel.h)]
    columns = [tap * kernel.dilation_w for tap in range(kernel.w)]
    assert (kernel.dilated_h, kernel.dilated_w) == (rows[-1] + 1, columns[-1] + 1)
    assert kernel.taps == len(rows) * len(columns)


@given(st.integers(0, 1000), st.integers(1, 50))
def test_rounding_up_finds_the_first_multiple(value, multiple):
    assert round_up(value, multiple) == next(m for m in range(0, 1100, multiple) if m >= value)
    assert ceil_div(value, multiple) == len(range(0, value, multiple))


@pytest.mark.parametrize(
    ("shape", "expected"),
    [((), (1, 1, 1, 1)), ((5,), (1, 1, 1, 5)), ((3, 5), (1, 1, 3, 5)), ((2, 3, 4, 5),) * 2],
)
def test_short_shapes_are_filled_from_the_front(shape, expected):
    assert Shape4.of(shape) == expected


def test_the_first_of_more_than_four_dimensions_are_the_rows():
    assert Shape4.of((2, 3, 4, 5, 6)) == (1, 24, 5, 6)
    assert Shape4.of((1, 2, 3, 4, 5, 6)) == (1, 24, 5, 6)


def test_shapes_are_changed_by_parts():
    shape = Shape4(1, 2, 3, 4)
    assert shape.with_hw(7, 8) == (1, 7, 8, 4)
    assert shape.with_depth(9) == (1, 2, 3, 9)
    assert shape.plus(Shape4(0, 1, 0, 2)) == (1, 3, 3, 6)
    assert shape.elements == 24
    assert Block(2, 3, 4).elements == 24
