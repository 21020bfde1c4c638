"""Which part of a PAD the hardware can apply itself, while it reads the input of a window.

PAD by 1 -> CONV_2D 3x3 VALID            becomes   CONV_2D with a padding of 1
PAD by 1, 2 -> CONV_2D 3x3 in steps of 2 becomes   CONV_2D with what its last step reaches of it
PAD -> CONV_2D SAME                      becomes   CONV_2D with the padding of both
"""

from __future__ import annotations

import numpy as np

from core.base.geometry import Kernel, Padding, same_padding
from core.lower.source import SourceOp, values


def pad_amounts(pad: SourceOp) -> tuple[Padding, int, int]:
    """Rows and columns that a PAD adds, and channels before and after."""
    amounts = values(pad.input(1))
    rows = [[0, 0]] * 4 if amounts is None else np.asarray(amounts).astype(int).tolist()
    (top, bottom), (left, right), (near, far) = rows[-3:]
    return Padding(top=top, left=left, bottom=bottom, right=right), near, far


def padding_of_both(pad: SourceOp, op: SourceOp) -> Padding:
    """The padding with which an operator reads what a PAD before it reads."""
    asked, _, _ = pad_amounts(pad)
    _, height, width, _ = (1, 1, 1, *(() if pad.ifm is None else pad.ifm.shape))[-4:]
    kernel = op.window.kernel
    if op.window.is_same:
        own = same_padding(
            height + asked.top + asked.bottom, width + asked.left + asked.right, kernel
        )
        asked = Padding(
            top=asked.top + own.top,
            left=asked.left + own.left,
            bottom=asked.bottom + own.bottom,
            right=asked.right + own.right,
        )
    return reachable_padding(height, width, kernel, asked)


def reachable_padding(height: int, width: int, kernel: Kernel, asked: Padding) -> Padding:
    """The part of an explicit padding that the last step of the window still reaches."""
    return Padding(
        top=asked.top,
        left=asked.left,
        bottom=_reached(height, kernel.stride_h, kernel.dilated_h, asked.top, asked.bottom),
        right=_reached(width, kernel.stride_w, kernel.dilated_w, asked.left, asked.right),
    )


def _reached(size: int, stride: int, window: int, before: int, after: int) -> int:
    steps = (size + before + after - window) // stride
    return max(steps * stride + window - size - before, 0)


def hardware_can_pad(padding: Padding, kernel: Kernel) -> bool:
    """Whether no side is longer than half the window, as all windows can be padded."""
    height, width = kernel.dilated_h // 2, kernel.dilated_w // 2
    return _is_within(padding, height, width) and _starts_on_a_step(padding, kernel)


def convolution_can_pad(padding: Padding, kernel: Kernel) -> bool:
    """Whether the window of a convolution lies nowhere on padding alone."""
    height, width = kernel.dilated_h - 1, kernel.dilated_w - 1
    return _is_within(padding, height, width) and _starts_on_a_step(padding, kernel)


def _is_within(padding: Padding, height: int, width: int) -> bool:
    return max(padding.top, padding.bottom) <= height and max(padding.left, padding.right) <= width


def _starts_on_a_step(padding: Padding, kernel: Kernel) -> bool:
    """Whether the hardware, which starts in the padding, comes to the same rows and columns."""
    return all(
        amount == window // 2 or window // 2 <= stride or amount % stride == 0
        for amount, window, stride in (
            (padding.top, kernel.dilated_h, kernel.stride_h),
            (padding.left, kernel.dilated_w, kernel.stride_w),
        )
    )


def pads_half_or_nothing(padding: Padding, kernel: Kernel) -> bool:
    """Whether each side is as long as in SAME, or not padded."""
    return all(
        amount in (0, window // 2)
        for amount, window in (
            (padding.top, kernel.dilated_h),
            (padding.bottom, kernel.dilated_h),
            (padding.left, kernel.dilated_w),
            (padding.right, kernel.dilated_w),
        )
    )
