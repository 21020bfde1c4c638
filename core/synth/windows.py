"""Windows that slide over height and width, as convolutions and poolings share them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.frozen import Frozen
from core.base.geometry import NO_PADDING, Kernel, Padding, ceil_div, same_padding
from core.ir.network import FieldValue
from core.synth.draws import Array
from core.synth.graph import enum_value

Pair = int | tuple[int, int]


class Window(Frozen):
    """A kernel and whether its input is padded so that a stride of one keeps the size."""

    kernel: Kernel
    same: bool = True

    @property
    def stride(self) -> tuple[int, int]:
        """Steps in height and width."""
        return self.kernel.stride_h, self.kernel.stride_w

    def padding(self, height: int, width: int) -> Padding:
        """Padding around an input of this size."""
        return same_padding(height, width, self.kernel) if self.same else NO_PADDING

    def output_size(self, height: int, width: int) -> tuple[int, int]:
        """Height and width of the output; not positive where the window does not fit."""
        kernel = self.kernel
        if self.same:
            return ceil_div(height, kernel.stride_h), ceil_div(width, kernel.stride_w)
        return (
            (height - kernel.dilated_h) // kernel.stride_h + 1,
            (width - kernel.dilated_w) // kernel.stride_w + 1,
        )

    def fits(self, height: int, width: int) -> bool:
        """Whether an input of this size gives any output."""
        return min(self.output_size(height, width)) > 0

    def taps(self, image: Array, fill: float = 0.0) -> Iterator[tuple[int, int, Array]]:
        """For each element of the kernel, what of the padded NHWC image it meets."""
        pad = self.padding(image.shape[1], image.shape[2])
        rows, columns = self.output_size(image.shape[1], image.shape[2])
        around = ((0, 0), (pad.top, pad.bottom), (pad.left, pad.right), (0, 0))
        padded = np.pad(image, around, constant_values=fill)
        kernel = self.kernel
        for y in range(kernel.h):
            top = y * kernel.dilation_h
            for x in range(kernel.w):
                left = x * kernel.dilation_w
                yield (
                    y,
                    x,
                    padded[
                        :,
                        top : top + (rows - 1) * kernel.stride_h + 1 : kernel.stride_h,
                        left : left + (columns - 1) * kernel.stride_w + 1 : kernel.stride_w,
                    ],
                )

    def options(self) -> dict[str, FieldValue]:
        """The fields that the options of every windowed operator share."""
        return {
            "padding": enum_value("Padding", "SAME" if self.same else "VALID"),
            "stride_h": self.kernel.stride_h,
            "stride_w": self.kernel.stride_w,
        }

    def dilations(self) -> dict[str, FieldValue]:
        """The further fields of convolutions."""
        return {
            "dilation_h_factor": self.kernel.dilation_h,
            "dilation_w_factor": self.kernel.dilation_w,
        }


def window(size: Pair = 1, stride: Pair = 1, dilation: Pair = 1, *, same: bool = True) -> Window:
    """A window from its size, stride and dilation; pairs are height, then width."""
    (h, w), (stride_h, stride_w) = _pair(size), _pair(stride)
    dilation_h, dilation_w = _pair(dilation)
    kernel = Kernel(
        h=h,
        w=w,
        stride_h=stride_h,
        stride_w=stride_w,
        dilation_h=dilation_h,
        dilation_w=dilation_w,
    )
    return Window(kernel=kernel, same=same)


def _pair(value: Pair) -> tuple[int, int]:
    return value if isinstance(value, tuple) else (value, value)
