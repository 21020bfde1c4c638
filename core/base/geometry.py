"""Shapes in NHWC order, kernels, padding, and which rows an output needs of its input."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple, replace

Count = TypeVar("Count", int, npt.NDArray[np.int64])
"""One size, or many at once."""


def round_up(value: Count, multiple: int) -> Count:
    """The least multiple that is not below the value."""
    return -(-value // multiple) * multiple


def ceil_div(value: Count, divisor: int) -> Count:
    """Division rounded up."""
    return -(-value // divisor)


class Shape4(NamedTuple):
    """A four-dimensional shape, or a position in one."""

    n: int = 1
    h: int = 1
    w: int = 1
    c: int = 1

    @classmethod
    def of(cls, shape: Sequence[int], fill: int = 1) -> Shape4:
        """The shape with leading dimensions filled up to four; of more, the first are one."""
        rows = math.prod(shape[:-2]) if len(shape) > len(cls._fields) else None
        full = [*shape] if rows is None else [fill, rows, *shape[-2:]]
        return cls(*[fill] * (4 - len(full)), *(int(dim) for dim in full))

    @property
    def elements(self) -> int:
        return self.n * self.h * self.w * self.c

    def with_hw(self, height: int, width: int) -> Shape4:
        """The same shape with another height and width."""
        return Shape4(self.n, height, width, self.c)

    def with_depth(self, depth: int) -> Shape4:
        """The same shape with another depth."""
        return Shape4(self.n, self.h, self.w, depth)

    def plus(self, other: Shape4) -> Shape4:
        """Element-wise sum, as of a position and an extent."""
        return Shape4(*(a + b for a, b in zip(self, other, strict=True)))


ORIGIN = Shape4(0, 0, 0, 0)


class Block(NamedTuple):
    """A box of elements without a batch: what the hardware works on at once."""

    h: int
    w: int
    c: int

    @property
    def elements(self) -> int:
        return self.h * self.w * self.c


class Kernel(Frozen):
    """A window over height and width; all sizes in elements of the input."""

    h: int = 1
    w: int = 1
    stride_h: int = 1
    stride_w: int = 1
    dilation_h: int = 1
    dilation_w: int = 1

    @property
    def dilated_h(self) -> int:
        """Height that the window spans, gaps included."""
        return (self.h - 1) * self.dilation_h + 1

    @property
    def dilated_w(self) -> int:
        """Width that the window spans, gaps included."""
        return (self.w - 1) * self.dilation_w + 1

    @property
    def taps(self) -> int:
        """Elements of one channel that go into one output."""
        return self.h * self.w

    def stepping(self, places: Shape4, longest_stride: int) -> Kernel:
        """The window without long strides where it has one row or column of places."""
        is_needless_h = places.h == 1 and self.stride_h > longest_stride
        is_needless_w = places.w == 1 and self.stride_w > longest_stride
        return replace(
            self,
            stride_h=1 if is_needless_h else self.stride_h,
            stride_w=1 if is_needless_w else self.stride_w,
        )


ONE_ELEMENT = Kernel()


class Padding(Frozen):
    """Rows and columns around the input that read as its zero point."""

    top: int = 0
    left: int = 0
    bottom: int = 0
    right: int = 0


NO_PADDING = Padding()


class Box(NamedTuple):
    """A range along each axis of a map."""

    rows: range
    columns: range
    channels: range

    @property
    def shape(self) -> Shape4:
        """How many there are along each axis."""
        return Shape4(1, len(self.rows), len(self.columns), len(self.channels))


class Span(NamedTuple):
    """Rows, or columns, of an input under the windows of some outputs."""

    inputs: range
    before: int
    after: int
    """Rows of padding on either side of them."""


def total_padding(input_size: int, stride: int, window: int) -> int:
    """Padding, on both sides together, that gives ceil(input / stride) outputs."""
    rest = input_size % stride
    return max(window - (rest or stride), 0)


def same_padding(height: int, width: int, kernel: Kernel) -> Padding:
    """TensorFlow's SAME padding: the odd row or column goes to the end."""
    rows = total_padding(height, kernel.stride_h, kernel.dilated_h)
    columns = total_padding(width, kernel.stride_w, kernel.dilated_w)
    return Padding(
        top=rows // 2,
        left=columns // 2,
        bottom=(rows + 1) // 2,
        right=(columns + 1) // 2,
    )


class Resampling(enum.Enum):
    """How the hardware makes a 2x2 block of each input element before it reads it."""

    NONE = "none"
    NEAREST = "nearest"
    TRANSPOSE = "transpose"

    @property
    def factor(self) -> int:
        """How many rows, and columns, the hardware makes of one."""
        return 1 if self is Resampling.NONE else 2


def input_extent(outputs: Count, stride: int, window: int, resampling: Resampling) -> Count:
    """Rows (or columns) of input under the windows of neighbouring outputs, padding included."""
    # A nearest neighbour can round to the element after the last that the window covers.
    upscaled = (outputs - 1) * stride + window + int(resampling is Resampling.NEAREST)
    return ceil_div(upscaled, resampling.factor)


def ifm_area_required(
    ofm_h: int, ofm_w: int, kernel: Kernel, resampling: Resampling = Resampling.NONE
) -> tuple[int, int]:
    """Rows and columns of the input that so many rows and columns of the output need."""
    return (
        input_extent(ofm_h, kernel.stride_h, kernel.dilated_h, resampling),
        input_extent(ofm_w, kernel.stride_w, kernel.dilated_w, resampling),
    )


def span_under(made: range, stride: int, window: int, padding: int, size: int, factor: int) -> Span:
    """What some outputs need of an input of a size; `padding` is that of the first output.

    Of rows that the hardware repeats, or follows by zeros, those are meant that are stored.
    """
    first = made.start * stride - padding
    end = (made.stop - 1) * stride - padding + window
    before, after = max(-first, 0), max(end - size * factor, 0)
    first, end = max(first, 0), min(end, size * factor)
    return Span(range(first // factor, ceil_div(end, factor)), before, after)
