"""Rules for MAX_POOL_2D and AVERAGE_POOL_2D."""

from __future__ import annotations

from core.lower.legality.common import SAME_TYPE, has_rank, ifm_of, takes_inputs
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of
from core.lower.legality.window import (
    FOLDED_STRIDES_ARE_SHORT_OR_FEW,
    OUTPUT_FOLLOWS_FROM_WINDOW,
    STEPPED_STRIDES_ARE_SHORT_OR_FEW,
    WINDOW_IS_DEFINED,
    stride_text,
)
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits


def _other_depth(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if ifm.shape[3] == op.ofm.shape[3] else shapes_of((ifm, op.ofm))


_KEEPS_DEPTH = Rule(
    text="Pooling keeps the channels",
    accepted="an output as deep as the input",
    check=_other_depth,
)


def _long_padded_stride(op: SourceOp, limits: OperatorLimits) -> str | None:
    is_long = op.window.kernel.stride_w > limits.longest_stride
    return f"{stride_text(op)} with padding" if is_long and op.window.is_same else None


_LONG_STRIDE_HAS_NO_PADDING = LimitRule(
    text="An average with a long stride has no padding",
    accepted=lambda limits: (
        f"VALID padding, or a stride up to {limits.longest_stride} along the width"
    ),
    check=_long_padded_stride,
)


def _large_for_a_convolution(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel = op.window.kernel
    is_convolution = kernel.stride_w > limits.longest_stride and op.ofm.shape[2] != 1
    fits = not is_convolution or limits.convolves(kernel)
    return None if fits else f"{stride_text(op)}, {_kernel_text(op)}"


_LONG_STRIDE_HAS_SMALL_KERNEL = LimitRule(
    text="An average with a long stride, which becomes a convolution, has a window of one",
    accepted=lambda limits: (
        f"up to {limits.most_kernel_rows} rows, height by width up to {limits.most_kernel_span}"
    ),
    check=_large_for_a_convolution,
)


def _kernel_text(op: SourceOp) -> str:
    return f"kernel {op.window.kernel.h}x{op.window.kernel.w}"


def _large_padded_kernel(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel, most = op.window.kernel, limits.most_padded_taps
    is_narrow = kernel.w <= most or kernel.w == kernel.stride_w
    fits = not op.window.is_same or (is_narrow and kernel.h <= most)
    return None if fits else f"{_kernel_text(op)} with padding"


_PADDED_KERNEL_IS_SMALL = LimitRule(
    text="The window of an average with padding is small",
    accepted=lambda limits: (
        f"1 to {limits.most_padded_taps} rows and columns, or as many columns as the stride"
    ),
    check=_large_padded_kernel,
)


def _is_padded_mean(op: SourceOp) -> bool:
    return op.kind == "AVERAGE_POOL_2D" and op.window.is_same


def _tall(op: SourceOp, limits: OperatorLimits) -> str | None:
    fits = op.window.kernel.h <= limits.most_pool_rows
    return None if _is_padded_mean(op) or fits else _kernel_text(op)


_KERNEL_IS_LOW = LimitRule(
    text="The window is not too high",
    accepted=lambda limits: f"1 to {limits.most_pool_rows} rows",
    check=_tall,
)


def _large(op: SourceOp, limits: OperatorLimits) -> str | None:
    fits = op.window.kernel.taps <= limits.most_pool_taps
    return None if _is_padded_mean(op) or fits else _kernel_text(op)


_KERNEL_IS_SMALL = LimitRule(
    text="The window does not hold too many elements",
    accepted=lambda limits: f"height by width up to {limits.most_pool_taps}",
    check=_large,
)

_WINDOWED = (has_rank(4), WINDOW_IS_DEFINED, SAME_TYPE, _KEEPS_DEPTH)
_SIZES = (_KERNEL_IS_LOW, _KERNEL_IS_SMALL, OUTPUT_FOLLOWS_FROM_WINDOW)

INPUTS = {kind: takes_inputs(1) for kind in ("AVERAGE_POOL_2D", "MAX_POOL_2D")}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "MAX_POOL_2D": (*_WINDOWED, STEPPED_STRIDES_ARE_SHORT_OR_FEW, *_SIZES),
    "AVERAGE_POOL_2D": (
        *_WINDOWED,
        FOLDED_STRIDES_ARE_SHORT_OR_FEW,
        _LONG_STRIDE_HAS_NO_PADDING,
        _LONG_STRIDE_HAS_SMALL_KERNEL,
        _PADDED_KERNEL_IS_SMALL,
        *_SIZES,
    ),
}
