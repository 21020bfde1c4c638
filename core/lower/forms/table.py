"""Which operators have other forms, and which of them an operator that the NPU has not gets.

Where no form is one that the NPU runs, the operator stays as the file has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from core.lower.forms import elementwise, joining, matrices, moving, reductions, windows
from core.lower.forms.form import MOST_PIECES, Forms
from core.lower.source import SourceOp

_FORMS: Mapping[str, Callable[[SourceOp], Forms]] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                *(
                    "ABS",
                    "ELU",
                    "EXP",
                    "GELU",
                    "HARD_SWISH",
                    "LEAKY_RELU",
                    "LOG",
                    "LOGISTIC",
                    "NEG",
                ),
                *("QUANTIZE", "RELU", "RELU6", "RELU_0_TO_1", "RELU_N1_TO_1", "RSQRT", "TANH"),
            ),
            elementwise.alone,
        ),
        **dict.fromkeys(
            ("ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE", "PRELU"),
            elementwise.together,
        ),
        **dict.fromkeys(
            (
                *("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "AVERAGE_POOL_2D"),
                "MAX_POOL_2D",
            ),
            windows.of_windows,
        ),
        **dict.fromkeys(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"), windows.by_pictures),
        **dict.fromkeys(("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"), reductions.reduced),
        **dict.fromkeys(("PAD", "PADV2", "MIRROR_PAD"), moving.padded),
        **dict.fromkeys(("SLICE", "STRIDED_SLICE"), moving.sliced),
        **dict.fromkeys(("SPLIT", "SPLIT_V"), joining.split),
        "ARG_MAX": reductions.searched,
        "BATCH_MATMUL": matrices.stacked,
        "BROADCAST_TO": moving.spread_out,
        "CONCATENATION": joining.concatenated,
        "DEPTH_TO_SPACE": moving.squares_of_depth,
        "FULLY_CONNECTED": matrices.multiplied,
        "PACK": joining.packed,
        "REVERSE_V2": moving.reversed_along_an_axis,
        "SOFTMAX": reductions.by_rows,
        "SPACE_TO_DEPTH": moving.depth_of_squares,
        "TILE": moving.repeated,
        "TRANSPOSE": moving.transposed,
        "UNPACK": joining.unpacked,
    }
)
OTHER_KINDS = frozenset({"BROADCAST_TO", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH"})
"""Which the NPU has in another form alone."""


def better_forms(op: SourceOp, longest_stride: int) -> Forms:
    """Forms that are tried before the file's."""
    if op.outputs and op.inputs and all(op.inputs[:1]):
        yield from windows.with_long_strides(op, longest_stride)


def other_forms(op: SourceOp) -> Forms:
    """All forms of an operator beside the file's."""
    if op.kind in _FORMS and op.outputs and len(op.inputs) > 0 and op.inputs[0] is not None:
        yield from (form for form in _FORMS[op.kind](op) if form.pieces <= MOST_PIECES)
