"""Rules for windows that move over height and width."""

from __future__ import annotations

from core.base.geometry import ceil_div, total_padding
from core.lower.legality.common import ifm_of
from core.lower.legality.rule import LimitRule, Rule
from core.lower.source import PADDING_SAME, PADDING_VALID, SourceOp
from core.lower.strides import MOST_APART, apart, columns_to_fold, short_steps
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


def _many_places(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel = op.window.kernel
    return _places_apart(op, limits, kernel.stride_h, kernel.stride_w)


def _many_folded_places(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel, width = op.window.kernel, ifm_of(op).shape[2]
    folded = kernel.stride_w // columns_to_fold(width, kernel.stride_w)
    return _places_apart(op, limits, kernel.stride_h, folded)


def _many_stepped_places(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel, shape = op.window.kernel, ifm_of(op).shape
    sides = (
        (shape[1], kernel.dilated_h, kernel.stride_h),
        (shape[2], kernel.dilated_w, kernel.stride_w),
    )
    strides = (
        short_steps(
            window,
            stride,
            total_padding(size, stride, window) if op.window.is_same else 0,
            limits.longest_stride,
        )[0][1]
        for size, window, stride in sides
    )
    return _places_apart(op, limits, *strides)


def _places_apart(op: SourceOp, limits: OperatorLimits, stride_h: int, stride_w: int) -> str | None:
    height, width = op.ofm.shape[1:3]
    rows = apart(height, stride_h, limits.longest_stride)
    columns = apart(width, stride_w, limits.longest_stride)
    count = len(rows) * len(columns)
    return None if count <= MOST_APART else f"{stride_text(op)}, {count} places"


STRIDES_ARE_SHORT_OR_FEW = LimitRule(
    text="Strides are short, or few places are made one by one",
    accepted=lambda limits: (
        f"1 to {limits.longest_stride}, or any where the output has up to {MOST_APART} rows,"
        " columns or places along those that are longer"
    ),
    check=_many_places,
)

FOLDED_STRIDES_ARE_SHORT_OR_FEW = LimitRule(
    text="Strides are short, or few places are made one by one, columns folded into channels",
    accepted=lambda limits: (
        f"1 to {limits.longest_stride}, or any where the output has up to {MOST_APART} rows,"
        " columns or places along those that are longer; along the width also a multiple of 2 or 3"
        " of which the input's width is a multiple of the half or third, or a divisor of the width"
    ),
    check=_many_folded_places,
)

STEPPED_STRIDES_ARE_SHORT_OR_FEW = LimitRule(
    text="Strides are short, or few places are made one by one, windows that touch in steps",
    accepted=lambda limits: (
        f"1 to {limits.longest_stride}, or any where the output has up to {MOST_APART} rows,"
        " columns or places along those that are longer; also as long as the window, with factors"
        f" of up to {limits.longest_stride} and without padding"
    ),
    check=_many_stepped_places,
)
