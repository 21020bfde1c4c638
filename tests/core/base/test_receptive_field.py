"""Which rows of an input the rows of an output need."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.geometry import Kernel, Resampling, ifm_area_required, input_extent

SMALL = st.integers(1, 9)


@given(SMALL, SMALL, SMALL)
def test_every_row_under_a_window_is_counted(outputs, stride, window):
    rows = {step * stride + tap for step in range(outputs) for tap in range(window)}
    assert input_extent(outputs, stride, window, Resampling.NONE) == max(rows) + 1


@given(SMALL, SMALL, SMALL)
def test_upscaled_rows_come_from_half_as_many(outputs, stride, window):
    rows = {(step * stride + tap) // 2 for step in range(outputs) for tap in range(window)}
    assert input_extent(outputs, stride, window, Resampling.TRANSPOSE) == len(range(max(rows) + 1))


@given(SMALL, SMALL, SMALL)
def test_a_nearest_neighbour_may_need_the_next_row(outputs, stride, window):
    exact = input_extent(outputs, stride, window, Resampling.TRANSPOSE)
    assert input_extent(outputs, stride, window, Resampling.NEAREST) in (exact, exact + 1)


@given(SMALL, SMALL)
def test_more_rows_never_need_less(outputs, stride):
    for resampling in Resampling:
        extents = [input_extent(n, stride, 3, resampling) for n in range(1, outputs + 1)]
        assert extents == sorted(extents)


def test_dilation_widens_the_window():
    kernel = Kernel(h=3, w=3, stride_h=2, dilation_w=2)
    assert ifm_area_required(4, 4, kernel) == (9, 8)
