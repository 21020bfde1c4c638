"""Rules for windows that move over height and width."""

from __future__ import annotations

from core.base.geometry import ceil_div
from core.lower.legality.common import ifm_of
from core.lower.legality.rule import LimitRule, Rule
from core.lower.source import PADDING_SAME, PADDING_VALID, SourceOp
from core.lower.strides import columns_to_fold
from core.target.limits import OperatorLimits


def stride_text(op: SourceOp) -> str:
    """The strides of an operator's window."""
    kernel = op.window.kernel
    return f"stride {kernel.stride_h}x{kernel.stride_w}"


def _undefined_window(op: SourceOp) -> str | None:
    kernel = op.window.kernel
    if min(kernel.h, kernel.w) < 1:
        return f"kernel {kernel.h}x{kernel.w}"
    if min(kernel.stride_h, kernel.stride_w) < 1:
        return stride_text(op)
    if min(kernel.dilation_h, kernel.dilation_w) < 1:
        return f"dilation {kernel.dilation_h}x{kernel.dilation_w}"
    padding = op.options.integer("padding")
    return None if padding in (PADDING_SAME, PADDING_VALID) else f"padding {padding}"


WINDOW_IS_DEFINED = Rule(
    text="The window is one that moves",
    accepted="kernel, stride and dilation of 1 or more; SAME or VALID padding",
    check=_undefined_window,
)


def _other_output(op: SourceOp) -> str | None:
    kernel, given = op.window.kernel, ifm_of(op).shape
    sides = (
        (given[1], kernel.dilated_h, kernel.stride_h),
        (given[2], kernel.dilated_w, kernel.stride_w),
    )
    height, width = (
        ceil_div(size if op.window.is_same else size - span + 1, stride)
        for size, span, stride in sides
    )
    if op.ofm.shape[1:3] == (height, width):
        return None
    return f"'{op.ofm.name}' has {op.ofm.shape[1]}x{op.ofm.shape[2]}, not {height}x{width}"


OUTPUT_FOLLOWS_FROM_WINDOW = Rule(
    text="The output has an element for each place of the window",
    accepted="the height and width that input, kernel, stride and padding give",
    check=_other_output,
)


def _long_stride(op: SourceOp, limits: OperatorLimits) -> str | None:
    longest = max(op.window.kernel.stride_h, op.window.kernel.stride_w)
    return None if longest <= limits.longest_stride else stride_text(op)


STRIDE_IS_SHORT = LimitRule(
    text="Strides are short enough for the hardware",
    accepted=lambda limits: f"1 to {limits.longest_stride} along height and width",
    check=_long_stride,
)


def _unreachable_stride(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel, width = op.window.kernel, ifm_of(op).shape[2]
    if op.ofm.shape[1] != 1 and kernel.stride_h > limits.longest_stride:
        return f"{stride_text(op)}, {op.ofm.shape[1]} output rows"
    left = kernel.stride_w // columns_to_fold(width, kernel.stride_w)
    if op.ofm.shape[2] != 1 and left > limits.longest_stride:
        return f"{stride_text(op)}, {width} input columns"
    return None


STRIDE_CAN_BE_SHORTENED = LimitRule(
    text="Strides are short, or folding columns into channels makes them short",
    accepted=lambda limits: (
        f"1 to {limits.longest_stride}, any where the output has one row or column; along the width"
        " also a multiple of 2 or 3 of which the input's width is a multiple of the half or third,"
        " or a divisor of the width"
    ),
    check=_unreachable_stride,
)
