"""What the kernel of an operation sees: its input enlarged, with borders, window by window."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.geometry import Padding, Resampling
from core.ir.program import NpuOperation
from core.simulate.maps import Values


def bordered(operation: NpuOperation, values: Values, border: float) -> Values:
    """The input after upscaling, as large as all windows together, with a border around it."""
    values = upscaled(values, operation.upscale)
    kernel, output, padding = operation.kernel, operation.ofm.shape, operation.padding
    rows = (output.h - 1) * kernel.stride_h + kernel.dilated_h
    columns = (output.w - 1) * kernel.stride_w + kernel.dilated_w
    if padding == Padding() and values.shape[:2] == (rows, columns):
        return np.ascontiguousarray(values)
    full = np.full((rows, columns, values.shape[2]), border, values.dtype)
    # Upscaling can make a row or a column more than the windows have.
    bottom, right = rows - padding.bottom, columns - padding.right
    inner = values[: bottom - padding.top, : right - padding.left]
    full[padding.top : bottom, padding.left : right] = inner
    return full


def upscaled(values: Values, how: Resampling) -> Values:
    """Two rows and two columns of each one: copies of it, or with zeros after it."""
    if how is Resampling.NONE:
        return values
    if how is Resampling.NEAREST:
        return values.repeat(2, axis=0).repeat(2, axis=1)
    rows, columns, depth = values.shape
    spread = np.zeros((2 * rows, 2 * columns, depth), values.dtype)
    spread[::2, ::2] = values
    return spread


def windows(operation: NpuOperation, full: Values) -> Values:
    """By output row and column: kernel row and column, and channel; a view."""
    kernel, output = operation.kernel, operation.ofm.shape
    down, right, deep = full.strides
    return np.lib.stride_tricks.as_strided(
        full,
        (output.h, output.w, kernel.h, kernel.w, full.shape[2]),
        (
            down * kernel.stride_h,
            right * kernel.stride_w,
            down * kernel.dilation_h,
            right * kernel.dilation_w,
            deep,
        ),
        writeable=False,
    )


def folded(operation: NpuOperation, full: Values, join: np.ufunc) -> npt.NDArray[Any]:
    """All elements of each window joined into one, channel by channel."""
    kernel, output = operation.kernel, operation.ofm.shape
    result = full
    for axis, taps, dilation, stride, count in (
        (0, kernel.h, kernel.dilation_h, kernel.stride_h, output.h),
        (1, kernel.w, kernel.dilation_w, kernel.stride_w, output.w),
    ):
        span = (count - 1) * stride + 1
        lines = np.moveaxis(result, axis, 0)
        joined = lines[0:span:stride].copy()
        for tap in range(dilation, taps * dilation, dilation):
            join(joined, lines[tap : tap + span : stride], out=joined)
        result = np.moveaxis(joined, 0, axis)
    return result
