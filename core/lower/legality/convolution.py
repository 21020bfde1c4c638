"""Rules for CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV."""

from __future__ import annotations

from core.lower.legality.common import SAME_TYPE, has_rank, ifm_of, takes_inputs
from core.lower.legality.factors import WEIGHTED
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of
from core.lower.legality.weights import (
    BIAS_RULES,
    SUM_RULES,
    WEIGHT_RULES,
    filters_of,
    weights_of,
)
from core.lower.legality.window import (
    FOLDED_STRIDES_ARE_SHORT_OR_FEW,
    OUTPUT_FOLLOWS_FROM_WINDOW,
    STRIDES_ARE_SHORT_OR_FEW,
    WINDOW_IS_DEFINED,
    stride_text,
)
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits


def _divided_input(op: SourceOp) -> str | None:
    ifm, weights = ifm_of(op), weights_of(op)
    return None if ifm.shape[3] % weights.shape[3] == 0 else shapes_of((ifm, weights))


_GROUPS_DIVIDE_INPUT = Rule(
    text="The groups of a convolution divide its input",
    accepted="an input whose depth is a multiple of the weights' last dimension",
    check=_divided_input,
)


def _divided_filters(op: SourceOp) -> str | None:
    groups = ifm_of(op).shape[3] // weights_of(op).shape[3]
    return None if filters_of(op) % groups == 0 else f"{filters_of(op)} filters in {groups} groups"


_GROUPS_DIVIDE_FILTERS = Rule(
    text="Every group of a convolution has as many filters",
    accepted="a number of filters that is a multiple of the number of groups",
    check=_divided_filters,
)


def _other_input_depth(op: SourceOp) -> str | None:
    ifm, weights = ifm_of(op), weights_of(op)
    return None if ifm.shape[3] == weights.shape[3] else shapes_of((ifm, weights))


_WEIGHTS_FIT_INPUT = Rule(
    text="The weights are as deep as the input",
    accepted="weights whose last dimension is the input's",
    check=_other_input_depth,
)


def _other_output_depth(op: SourceOp) -> str | None:
    fits = op.ofm.shape[-1] == filters_of(op)
    return None if fits else shapes_of((weights_of(op), op.ofm))


_WEIGHTS_FIT_OUTPUT = Rule(
    text="The weights make each channel of the output",
    accepted="as many filters as output channels",
    check=_other_output_depth,
)


def _tall(op: SourceOp, limits: OperatorLimits) -> str | None:
    rows = op.window.kernel.dilated_h
    return None if rows <= limits.most_kernel_rows else f"{rows} rows"


_KERNEL_IS_LOW = LimitRule(
    text="The kernel, with its dilation, is not too high",
    accepted=lambda limits: f"1 to {limits.most_kernel_rows} rows",
    check=_tall,
)


def _large(op: SourceOp, limits: OperatorLimits) -> str | None:
    kernel = op.window.kernel
    span = kernel.dilated_h * kernel.dilated_w
    fits = span <= limits.most_kernel_span
    return None if fits else f"{kernel.dilated_h}x{kernel.dilated_w} is {span}"


_KERNEL_IS_SMALL = LimitRule(
    text="The kernel, with its dilation, does not span too many elements",
    accepted=lambda limits: f"height by width up to {limits.most_kernel_span}",
    check=_large,
)

_WINDOWED = (SAME_TYPE, has_rank(4, weights=True), WINDOW_IS_DEFINED)
_KERNEL_RULES = (
    *(_KERNEL_IS_LOW, _KERNEL_IS_SMALL, *WEIGHT_RULES, *SUM_RULES, *BIAS_RULES),
    WEIGHTED,
)


def _several_filters(op: SourceOp) -> str | None:
    weights = weights_of(op)
    return None if weights.shape[0] == 1 else shapes_of([weights])


_ONE_FILTER_A_CHANNEL = Rule(
    text="Each channel of a depthwise convolution has its filter",
    accepted="weights whose first dimension is 1",
    check=_several_filters,
)


def _multiplier(op: SourceOp) -> int:
    return op.options.integer("depth_multiplier") or filters_of(op) // ifm_of(op).shape[3]


def _other_multiplier(op: SourceOp) -> str | None:
    given, made = ifm_of(op).shape[3], op.ofm.shape[3]
    multiplier = _multiplier(op)
    if made == given * multiplier:
        return None
    return f"{given} channels become {made} by a multiplier of {multiplier}"


_MULTIPLIER_IS_OUTPUTS = Rule(
    text="Each channel gives as many channels as the multiplier says",
    accepted="an output of the input's channels times the depth multiplier",
    check=_other_multiplier,
)


def _several_of_several(op: SourceOp) -> str | None:
    given, multiplier = ifm_of(op).shape[3], _multiplier(op)
    return None if 1 in (given, multiplier) else f"{given} channels by a multiplier of {multiplier}"


MULTIPLIER_IS_ONE = Rule(
    text="Each channel gives one channel, or one channel gives all of them",
    accepted="a depth multiplier of 1, or an input of 1 channel",
    check=_several_of_several,
)


def _transposed_stride(op: SourceOp) -> str | None:
    kernel = op.window.kernel
    stride = (kernel.stride_h, kernel.stride_w)
    is_row = ifm_of(op).shape[1] == kernel.h == 1
    if stride in ((1, 1), (2, 2)) or (stride == (1, 2) and is_row):
        return None
    return f"{stride_text(op)}, {ifm_of(op).shape[1]} input rows, {kernel.h} kernel rows"


_TRANSPOSED_STRIDE = Rule(
    text="A transposed convolution has a stride that upscaling gives",
    accepted="strides of 1x1 or 2x2, or of 1x2 where input and kernel have one row",
    check=_transposed_stride,
)


def _transposed_output(op: SourceOp) -> str | None:
    kernel, given = op.window.kernel, ifm_of(op).shape
    height, width = given[1] * kernel.stride_h, given[2] * kernel.stride_w
    if not op.window.is_same:
        height += max(kernel.h - kernel.stride_h, 0)
        width += max(kernel.w - kernel.stride_w, 0)
    if op.ofm.shape[1:3] == (height, width):
        return None
    return f"'{op.ofm.name}' has {op.ofm.shape[1]}x{op.ofm.shape[2]}, not {height}x{width}"


_TRANSPOSED_OUTPUT = Rule(
    text="The output of a transposed convolution is the input enlarged by the stride",
    accepted="input x stride, and without padding the rest of the kernel",
    check=_transposed_output,
)

SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "CONV_2D": (
        *_WINDOWED,
        _GROUPS_DIVIDE_INPUT,
        _GROUPS_DIVIDE_FILTERS,
        _WEIGHTS_FIT_OUTPUT,
        FOLDED_STRIDES_ARE_SHORT_OR_FEW,
        *_KERNEL_RULES,
        OUTPUT_FOLLOWS_FROM_WINDOW,
    ),
    "DEPTHWISE_CONV_2D": (
        *_WINDOWED,
        _ONE_FILTER_A_CHANNEL,
        _WEIGHTS_FIT_OUTPUT,
        *_KERNEL_RULES,
        STRIDES_ARE_SHORT_OR_FEW,
        _MULTIPLIER_IS_OUTPUTS,
        OUTPUT_FOLLOWS_FROM_WINDOW,
    ),
    "TRANSPOSE_CONV": (
        *_WINDOWED,
        _WEIGHTS_FIT_INPUT,
        _WEIGHTS_FIT_OUTPUT,
        *_KERNEL_RULES,
        _TRANSPOSED_STRIDE,
        _TRANSPOSED_OUTPUT,
    ),
}
INPUTS = {
    "CONV_2D": takes_inputs(2, 3, optional=(2,)),
    "DEPTHWISE_CONV_2D": takes_inputs(2, 3, optional=(2,)),
    "TRANSPOSE_CONV": takes_inputs(3, 4, optional=(0, 3)),
}
