"""Windows, convolutions and products of matrices that break one rule each."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from tests.core.lower.legality.cases import (
    INT16,
    UINT8,
    Case,
    scaled,
)
from tests.core.lower.legality.shaped import (
    BILINEAR,
    CONV,
    DENSE,
    DEPTHWISE,
    LSTM,
    MAX,
    MEAN,
    TRANSPOSED,
    heavy,
    pooled,
)

MISREAD = "The bias, if any, has the type that LiteRT reads, whatever others make of it"


def only_one_scale(scale: float) -> Case:
    """A convolution with a scale that is unlike those of the other channels."""
    return CONV.input(1, quantization=scaled(*(0.5,) * 5, scale, zero_points=(0,) * 6))


WINDOWS: tuple[tuple[str, str, Case], ...] = (
    # Windows.
    (
        "Input, weights and output have the dimensions that the operator is defined for",
        "'x' is 5x7x4",
        CONV.input(0, shape=(5, 7, 4)),
    ),
    (
        "Input and output have the dimensions that the operator is defined for",
        "'y' is 2x3x8",
        MAX.output(shape=(2, 3, 8)),
    ),
    (
        "Input and output have the dimensions that the operator is defined for",
        "'x' is 4x6",
        BILINEAR.input(0, shape=(4, 6)),
    ),
    (
        "Input and output have the dimensions that the operator is defined for",
        "'x' is 6",
        LSTM.input(0, shape=(6,)),
    ),
    ("The window is one that moves", "stride 1x0", CONV.option(stride_w=0)),
    ("The window is one that moves", "dilation 0x1", CONV.option(dilation_h_factor=0)),
    ("The window is one that moves", "kernel 0x2", MAX.option(filter_height=0)),
    ("The window is one that moves", "padding 2", MAX.option(padding=2)),
    (
        "The output has an element for each place of the window",
        "'y' has 3x5, not 5x7",
        CONV.option(padding=0),
    ),
    (
        "Strides are short, or few places are made one by one, columns folded into channels",
        "stride 1x5, 257 places",
        CONV.option(stride_w=5).output(shape=(1, 5, 257, 6)),
    ),
    (
        "Strides are short, or few places are made one by one, columns folded into channels",
        "stride 4x1, 257 places",
        CONV.option(stride_h=4).output(shape=(1, 257, 7, 6)),
    ),
    (
        "Strides are short, or few places are made one by one",
        "stride 1x4, 257 places",
        DEPTHWISE.option(stride_w=4).output(shape=(1, 5, 257, 4)),
    ),
    (
        "Strides are short, or few places are made one by one, windows that touch in steps",
        "stride 4x4, 289 places",
        pooled(MAX, (2, 2), (4, 4), 1).output(shape=(1, 17, 17, 8)),
    ),
    (
        "An average with a long stride has no padding",
        "stride 2x4 with padding",
        pooled(MEAN, (2, 2), (2, 4), 0),
    ),
    (
        "An average with a long stride, which becomes a convolution, has a window of one",
        "stride 1x4, kernel 65x4",
        pooled(MEAN, (65, 4), (1, 4), 1),
    ),
    (
        "An average with a long stride, which becomes a convolution, has a window of one",
        "stride 1x4, kernel 64x65",
        pooled(MEAN, (64, 65), (1, 4), 1),
    ),
    (
        "The window of an average with padding is small",
        "kernel 9x8 with padding",
        pooled(MEAN, (9, 8), (1, 1), 0),
    ),
    (
        "The window of an average with padding is small",
        "kernel 8x9 with padding",
        pooled(MEAN, (8, 9), (1, 1), 0),
    ),
    ("The window is not too high", "kernel 257x1", pooled(MEAN, (257, 1), (1, 1), 1)),
    ("The window is not too high", "kernel 257x1", pooled(MAX, (257, 1), (1, 1), 0)),
    (
        "The window does not hold too many elements",
        "kernel 256x257",
        pooled(MEAN, (256, 257), (1, 1), 1),
    ),
    ("Pooling keeps the channels", "'y' is 1x2x3x9", MAX.output(shape=(1, 2, 3, 9))),
    # Convolutions.
    (
        "The groups of a convolution divide its input",
        "'x' is 1x5x7x6",
        CONV.input(0, shape=(1, 5, 7, 6)),
    ),
    (
        "Every group of a convolution has as many filters",
        "6 filters in 4 groups",
        CONV.input(0, shape=(1, 5, 7, 16)),
    ),
    (
        "The weights make each channel of the output",
        "'y' is 1x3x5x7",
        CONV.output(shape=(1, 3, 5, 7)),
    ),
    (
        "The weights are as deep as the input",
        "'x' is 1x4x6x8",
        TRANSPOSED.input(2, shape=(1, 4, 6, 8)),
    ),
    (
        "The kernel, with its dilation, is not too high",
        "65 rows",
        CONV.option(dilation_h_factor=32),
    ),
    (
        "The kernel, with its dilation, does not span too many elements",
        "63x67 is 4221",
        CONV.option(dilation_h_factor=31, dilation_w_factor=33),
    ),
    (
        "Weights have 8 bits, and a sign where the input has one",
        "'x' is int8; 'weights' is uint8",
        CONV.input(1, dtype=UINT8),
    ),
    ("Weights are known beforehand", "'weights' is computed at run time", CONV.input(1, data=None)),
    (
        "Weights have one scale, or one for each filter",
        "'weights' has 2 scales and 1 zero points",
        CONV.input(1, quantization=scaled(0.5, 0.25)),
    ),
    ("Scales are finite, and above zero", "'weights' has scale 0", only_one_scale(0.0)),
    ("Scales are finite, and above zero", "'weights' has scale -1", only_one_scale(-1.0)),
    ("Scales are finite, and above zero", "not finite", only_one_scale(float("inf"))),
    ("Weights do not overflow the accumulator", "'weights' sums up to 8843264", heavy()),
    (
        "The bias, if any, has one value for each output channel",
        "'bias' is 5",
        CONV.input(2, shape=(5,)),
    ),
    (
        "The bias, if any, has one value for each output channel",
        "'bias' is 1x5",
        DENSE.input(2, shape=(1, 5)),
    ),
    (MISREAD, "'bias' is int16", CONV.input(2, dtype=INT16)),
    ("The bias, if any, is known beforehand", "'bias' is computed", CONV.input(2, data=None)),
    (
        "The bias fits where the hardware keeps it",
        "values from 0 to 549755813888",
        CONV.both(dtype=INT16).input(2, values=(0,) * 5 + (1 << 39,), dtype=DType.INT64),
    ),
    (
        "Each channel of a depthwise convolution has its filter",
        "'weights' is 2x3x3x4",
        DEPTHWISE.input(1, values=np.ones((2, 3, 3, 4))),
    ),
    (
        "Each channel gives as many channels as the multiplier says",
        "2 channels become 4 by a multiplier of 3",
        DEPTHWISE.input(0, shape=(1, 5, 7, 2)).option(depth_multiplier=3),
    ),
    (
        "Each channel gives as many channels as the multiplier says",
        "3 channels become 4 by a multiplier of 1",
        DEPTHWISE.input(0, shape=(1, 5, 7, 3)).option(depth_multiplier=0),
    ),
    (
        "A transposed convolution has a stride that upscaling gives",
        "stride 1x2, 4 input rows, 3 kernel rows",
        TRANSPOSED.option(stride_h=1),
    ),
    (
        "The output of a transposed convolution is the input enlarged by the stride",
        "'y' has 8x12, not 9x13",
        TRANSPOSED.option(padding=1),
    ),
    # Matrices.
    ("Weights are a matrix", "'weights' is 5x3x4", DENSE.input(1, values=np.ones((5, 3, 4)))),
    (
        "The input falls into rows that the weights multiply",
        "'x' is 12",
        DENSE.input(0, shape=(12,)),
    ),
    (
        "The input falls into rows that the weights multiply",
        "'x' is 2x13",
        DENSE.input(0, shape=(2, 13)),
    ),
    (
        "The output has the input's dimensions where the operator says so",
        "'x' is 1x2x12; 'y' is 2x5",
        DENSE.input(0, shape=(1, 2, 12)).option(keep_num_dims=True),
    ),
    (
        "The rows of a matrix product fit one dimension",
        "65792 rows",
        DENSE.input(0, shape=(257, 256, 12)).output(shape=(257, 256, 5)),
    ),
    ("The output has each row's outputs", "'y' is 3x5", DENSE.output(shape=(3, 5))),
    ("Weights are stored in order", "weights format 1", DENSE.option(weights_format=1)),
)
