"""Rewrites of convolutions compute what the convolution computed: held against a slow one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.base.frozen import replace
from core.base.geometry import Kernel, Padding, Shape4, same_padding
from core.base.ids import FmId
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, View, Weights
from core.lower.rewrites.conv2d import _spread_padding
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.dilation import dilate_kernel, with_gaps_as_rows
from core.lower.rewrites.half_pixel import _corners
from core.lower.rewrites.padding import reachable_padding
from core.lower.rewrites.width_stride import fold_width_stride

Ints = npt.NDArray[np.int64]


def slow_convolution(
    ifm: Ints, weights: Ints, kernel: Kernel, padding: Padding, size: tuple[int, int]
) -> Ints:
    """One output after the other; what lies outside of the input is zero."""
    height, width, _ = ifm.shape
    out = np.zeros((*size, weights.shape[0]), np.int64)
    for y, x in np.ndindex(size):
        for ky, kx in np.ndindex(kernel.h, kernel.w):
            row = y * kernel.stride_h - padding.top + ky * kernel.dilation_h
            column = x * kernel.stride_w - padding.left + kx * kernel.dilation_w
            if 0 <= row < height and 0 <= column < width:
                out[y, x] += weights[:, ky, kx] @ ifm[row, column]
    return out


def evaluate(convolution: Convolution, ifm: Ints) -> Ints:
    shape = convolution.ifm.shape
    return slow_convolution(
        ifm.reshape(shape.h, shape.w, shape.c),
        convolution.weights.values.array.astype(np.int64),
        convolution.kernel,
        convolution.settled_padding,
        (convolution.ofm.shape.h, convolution.ofm.shape.w),
    )


def outputs(size: int, window: int, stride: int, *, is_same: bool) -> int:
    return -(-size // stride) if is_same else (size - window) // stride + 1


@st.composite
def convolutions(draw: st.DrawFn, *, dilations: st.SearchStrategy[int]) -> Convolution:
    kernel = Kernel(
        h=draw(st.integers(1, 4)),
        w=draw(st.integers(1, 6)),
        stride_h=draw(st.integers(1, 3)),
        stride_w=draw(st.integers(1, 8)),
        dilation_h=draw(dilations),
        dilation_w=draw(dilations),
    )
    is_same = draw(st.booleans())
    height, width = draw(st.integers(1, 9)), draw(st.integers(1, 24))
    assume(is_same or (height >= kernel.dilated_h and width >= kernel.dilated_w))
    depth = draw(st.integers(1, 3))
    size = (
        outputs(height, kernel.dilated_h, kernel.stride_h, is_same=is_same),
        outputs(width, kernel.dilated_w, kernel.stride_w, is_same=is_same),
    )
    random = np.random.default_rng(draw(st.integers(0, 99)))
    taps = random.integers(-9, 9, (2, kernel.h, kernel.w, depth), dtype=np.int8)
    return Convolution(
        kind=OpKind.CONV_2D,
        ifm=View(fm=FmId(0), shape=Shape4(1, height, width, depth)),
        ofm=View(fm=FmId(1), shape=Shape4(1, *size, 2)),
        kernel=kernel,
        weights=Weights(
            values=ConstData.of(taps),
            scales=(1.0,),
            zero_points=(0,),
            bias=ConstData.of(np.zeros(2, np.int32)),
        ),
        is_same=is_same,
    )


def picture(convolution: Convolution) -> Ints:
    shape = convolution.ifm.shape
    return np.random.default_rng(7).integers(-9, 9, (shape.h, shape.w, shape.c))


@given(convolutions(dilations=st.just(1)))
def test_folding_the_stride_changes_no_output(convolution: Convolution) -> None:
    folded = fold_width_stride(convolution, 3, is_first=True)
    assert folded.ifm.shape.elements == convolution.ifm.shape.elements
    ifm = picture(convolution)
    assert np.array_equal(evaluate(folded, ifm), evaluate(convolution, ifm))


@pytest.mark.parametrize("width", [4, 12, 13, 24])
@pytest.mark.parametrize("window", [1, 2, 4])
def test_a_window_shorter_than_its_stride_stays_where_it_begins(width: int, window: int) -> None:
    kernel = Kernel(h=1, w=window, stride_h=1, stride_w=6)
    taps = np.arange(2 * window, dtype=np.int8).reshape(2, 1, window, 1)
    convolution = same(Shape4(1, 1, width, 1), Shape4(1, 1, -(-width // 6), 2), kernel, taps)
    folded, ifm = fold_width_stride(convolution, 3, is_first=True), picture(convolution)
    assert np.array_equal(evaluate(folded, ifm), evaluate(convolution, ifm))


def same(ifm: Shape4, ofm: Shape4, kernel: Kernel, taps: npt.NDArray[np.int8]) -> Convolution:
    return Convolution(
        kind=OpKind.CONV_2D,
        ifm=View(fm=FmId(0), shape=ifm),
        ofm=View(fm=FmId(1), shape=ofm),
        kernel=kernel,
        weights=Weights(
            values=ConstData.of(taps),
            scales=(1.0,),
            zero_points=(0,),
            bias=ConstData.of(np.zeros(len(taps), np.int32)),
        ),
        is_same=True,
    )


def test_the_first_convolution_of_an_image_steps_by_one() -> None:
    """Three channels and a stride of two: six channels and a stride of one."""
    kernel = Kernel(h=3, w=3, stride_h=2, stride_w=2)
    taps = np.ones((8, 3, 3, 3), np.int8)
    convolution = same(Shape4(1, 224, 224, 3), Shape4(1, 112, 112, 8), kernel, taps)
    folded = fold_width_stride(convolution, 3, is_first=True)
    assert folded.ifm.shape == (1, 224, 112, 6)
    assert folded.kernel == Kernel(h=3, w=2, stride_h=2, stride_w=1)
    assert fold_width_stride(convolution, 3, is_first=False) == convolution


@given(convolutions(dilations=st.integers(1, 6)))
def test_spelled_out_dilations_change_no_output(convolution: Convolution) -> None:
    dilated = dilate_kernel(convolution)
    assert max(dilated.kernel.dilation_h, dilated.kernel.dilation_w) <= 2
    # SAME padding follows from the span of the window, which stays as it is.
    assert dilated.settled_padding == convolution.settled_padding
    ifm = picture(convolution)
    assert np.array_equal(evaluate(dilated, ifm), evaluate(convolution, ifm))


@given(
    st.integers(1, 12),
    st.integers(1, 9),
    st.sampled_from([3, 4, 6, 8, 9]),
    st.integers(1, 4),
    st.booleans(),
)
@example(parts=12, rest=8, dilation=8, window=3, is_same=True)
def test_what_lies_between_the_taps_of_a_sequence_is_a_row(
    parts: int, rest: int, dilation: int, window: int, is_same: bool
) -> None:
    """A multiple of the dilation, or of one of its parts, or of nothing."""
    width = (parts - 1) * dilation + rest
    kernel = Kernel(h=1, w=window, dilation_w=dilation)
    assume(is_same or width >= kernel.dilated_w)
    made = outputs(width, kernel.dilated_w, 1, is_same=is_same)
    taps = np.random.default_rng(parts).integers(-9, 9, (2, 1, window, 3), dtype=np.int8)
    whole = same(Shape4(1, 1, width, 3), Shape4(1, 1, made, 2), kernel, taps)
    whole = replace(whole, is_same=is_same)
    seen, ifm = with_gaps_as_rows(whole, 64), picture(whole)
    assert seen.ifm.shape.elements == whole.ifm.shape.elements
    assert seen.kernel.taps == kernel.taps
    assert np.array_equal(
        evaluate(dilate_kernel(seen), ifm).reshape(-1, 2), evaluate(whole, ifm).reshape(-1, 2)
    )


@pytest.mark.parametrize(
    ("width", "dilation", "seen"),
    [(96, 8, (12, 8)), (100, 8, (25, 4)), (98, 4, (49, 2)), (97, 8, (1, 97)), (96, 2, (1, 96))],
)
def test_rows_are_as_long_as_divides_all_of_a_sequence(
    width: int, dilation: int, seen: tuple[int, int]
) -> None:
    kernel = Kernel(h=1, w=3, dilation_w=dilation)
    whole = same(
        Shape4(1, 1, width, 8), Shape4(1, 1, width, 8), kernel, np.ones((8, 1, 3, 8), np.int8)
    )
    shape = with_gaps_as_rows(whole, 64).ifm.shape
    assert (shape.h, shape.w) == seen


def test_rows_between_far_taps_are_no_more_than_a_kernel_has() -> None:
    kernel = Kernel(h=1, w=3, dilation_w=80)
    whole = same(Shape4(1, 1, 82, 8), Shape4(1, 1, 82, 8), kernel, np.ones((8, 1, 3, 8), np.int8))
    assert with_gaps_as_rows(whole, 64) == whole


@given(
    st.integers(1, 20),
    st.integers(1, 3),
    st.integers(1, 7),
    st.integers(0, 3),
    st.integers(0, 3),
)
@example(size=3, stride=3, window=2, before=1, after=1)
def test_a_taken_over_pad_leaves_the_number_of_outputs(
    size: int, stride: int, window: int, before: int, after: int
) -> None:
    assume(size + before + after >= window and max(before, after) <= window // 2)
    kernel = Kernel(h=window, w=window, stride_h=stride, stride_w=stride)
    asked = Padding(top=before, left=before, bottom=after, right=after)
    reached = reachable_padding(size, size, kernel, asked)
    made = (size + before + after - window) // stride + 1
    needed = (made - 1) * stride + window - size - before
    assert (reached.top, reached.left) == (before, before)
    assert max(needed, 0) <= reached.bottom <= after


@given(st.integers(1, 5), st.integers(1, 4), st.sampled_from([1, 2]), st.booleans())
def test_a_transposed_convolution_is_a_convolution_of_the_spread_input(
    size: int, window: int, stride: int, is_same: bool
) -> None:
    """Against the definition: every input element adds its kernel to the output."""
    random = np.random.default_rng(size * 100 + window)
    ifm = random.integers(-9, 9, (size, size, 1))
    taps = random.integers(-9, 9, (1, window, window, 1))
    full = np.zeros(((size - 1) * stride + window,) * 2, np.int64)
    for y, x in np.ndindex(size, size):
        full[y * stride :, x * stride :][:window, :window] += taps[0, :, :, 0] * ifm[y, x, 0]
    made = size * stride if is_same else size * stride + max(window - stride, 0)
    cut = max(window - stride, 0) // 2 if is_same else 0
    expected = np.zeros((made, made), np.int64)
    part = full[cut : cut + made, cut : cut + made]
    expected[: part.shape[0], : part.shape[1]] = part

    spread = np.zeros((size * stride, size * stride, 1), np.int64)
    spread[::stride, ::stride] = ifm
    before, after = _spread_padding(window, stride, is_same=is_same)
    assert made - 1 - before + window <= size * stride + after
    flipped = np.flip(taps, axis=(1, 2))
    padding = Padding(top=before, left=before)
    result = slow_convolution(spread, flipped, Kernel(h=window, w=window), padding, (made, made))
    assert np.array_equal(result[..., 0], expected)


def test_half_pixel_doubling_is_the_bilinear_formula() -> None:
    ifm = np.random.default_rng(3).integers(-128, 128, (4, 5)).astype(float)
    edged = np.pad(ifm, 1, mode="edge")
    doubled = np.zeros((8, 10))
    for corner in _corners():
        for y, x in np.ndindex(ifm.shape):
            top, left = y + 1 - corner.padding.top, x + 1 - corner.padding.left
            window = edged[top : top + 2, left : left + 2]
            doubled[2 * y + corner.row, 2 * x + corner.column] = (window * corner.taps).sum() / 16
    for y, x in np.ndindex(doubled.shape):
        row, column = (y + 0.5) / 2 - 0.5, (x + 0.5) / 2 - 0.5
        top, left = int(np.floor(row)), int(np.floor(column))
        part = edged[top + 1 : top + 3, left + 1 : left + 3]
        vertical = np.array([1 - (row - top), row - top])
        horizontal = np.array([1 - (column - left), column - left])
        assert np.isclose(doubled[y, x], vertical @ part @ horizontal)


def test_same_padding_puts_the_odd_row_last() -> None:
    kernel = Kernel(h=3, w=3, stride_h=2, stride_w=2)
    assert same_padding(224, 225, kernel) == Padding(top=0, left=1, bottom=1, right=1)
