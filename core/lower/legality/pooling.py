"""Rules for MAX_POOL_2D and AVERAGE_POOL_2D."""

from __future__ import annotations

from core.lower.legality.common import SAME_TYPE, has_rank, ifm_of, takes_inputs
from core.lower.legality.rule import Rule, shapes_of
from core.lower.legality.window import (
    OUTPUT_FOLLOWS_FROM_WINDOW,
    STRIDE_CAN_BE_SHORTENED,
    STRIDE_IS_SHORT,
    WINDOW_IS_DEFINED,
    stride_text,
)
from core.lower.source import SourceOp
from core.lower.strides import LONGEST_STRIDE

MOST_PADDED_TAPS = 8
"""Rows or columns of an average's window that padding may cut into."""
MOST_ROWS = 256
MOST_TAPS = 256 * 256


def _other_depth(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if ifm.shape[3] == op.ofm.shape[3] else shapes_of((ifm, op.ofm))


_KEEPS_DEPTH = Rule(
    text="Pooling keeps the channels",
    accepted="an output as deep as the input",
    check=_other_depth,
)


def _long_padded_stride(op: SourceOp) -> str | None:
    is_long = op.window.kernel.stride_w > LONGEST_STRIDE
    return f"{stride_text(op)} with padding" if is_long and op.window.is_same else None


_LONG_STRIDE_HAS_NO_PADDING = Rule(
    text="An average with a long stride has no padding",
    accepted=f"VALID padding, or a stride up to {LONGEST_STRIDE} along the width",
    check=_long_padded_stride,
)


def _kernel_text(op: SourceOp) -> str:
    return f"kernel {op.window.kernel.h}x{op.window.kernel.w}"


def _large_padded_kernel(op: SourceOp) -> str | None:
    kernel = op.window.kernel
    is_narrow = kernel.w <= MOST_PADDED_TAPS or kernel.w == kernel.stride_w
    fits = not op.window.is_same or (is_narrow and kernel.h <= MOST_PADDED_TAPS)
    return None if fits else f"{_kernel_text(op)} with padding"


_PADDED_KERNEL_IS_SMALL = Rule(
    text="The window of an average with padding is small",
    accepted=f"1 to {MOST_PADDED_TAPS} rows and columns, or as many columns as the stride",
    check=_large_padded_kernel,
)


def _tall(op: SourceOp) -> str | None:
    is_padded_mean = op.kind == "AVERAGE_POOL_2D" and op.window.is_same
    return None if is_padded_mean or op.window.kernel.h <= MOST_ROWS else _kernel_text(op)


_KERNEL_IS_LOW = Rule(
    text="The window is not too high", accepted=f"1 to {MOST_ROWS} rows", check=_tall
)


def _large(op: SourceOp) -> str | None:
    is_padded_mean = op.kind == "AVERAGE_POOL_2D" and op.window.is_same
    return None if is_padded_mean or op.window.kernel.taps <= MOST_TAPS else _kernel_text(op)


_KERNEL_IS_SMALL = Rule(
    text="The window does not hold too many elements",
    accepted=f"height by width up to {MOST_TAPS}",
    check=_large,
)

_WINDOWED = (has_rank(4), WINDOW_IS_DEFINED, SAME_TYPE, _KEEPS_DEPTH)
_SIZES = (_KERNEL_IS_LOW, _KERNEL_IS_SMALL, OUTPUT_FOLLOWS_FROM_WINDOW)

INPUTS = {kind: takes_inputs(1) for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D")}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "MAX_POOL_2D": (*_WINDOWED, STRIDE_IS_SHORT, *_SIZES),
    "AVERAGE_POOL_2D": (
        *_WINDOWED,
        STRIDE_CAN_BE_SHORTENED,
        _LONG_STRIDE_HAS_NO_PADDING,
        _PADDED_KERNEL_IS_SMALL,
        *_SIZES,
    ),
}
