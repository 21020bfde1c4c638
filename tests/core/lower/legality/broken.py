"""Operators that break one rule each: what they break, what is found, and how they come about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.base.dtype import DType
from core.ir.network import Quantization
from tests.core.lower.legality.cases import (
    GOOD,
    INT8,
    INT16,
    INT32,
    UINT8,
    Case,
    const,
    fm,
    options,
    scaled,
)

CONV, DEPTHWISE, TRANSPOSED = GOOD["CONV_2D"], GOOD["DEPTHWISE_CONV_2D"], GOOD["TRANSPOSE_CONV"]
DENSE, MEAN, MAX, LSTM = (
    *(GOOD["FULLY_CONNECTED"], GOOD["AVERAGE_POOL_2D"], GOOD["MAX_POOL_2D"]),
    GOOD["UNIDIRECTIONAL_SEQUENCE_LSTM"],
)
ADD, RELU, STRIDED, SPLIT_V = GOOD["ADD"], GOOD["RELU"], GOOD["STRIDED_SLICE"], GOOD["SPLIT_V"]
BILINEAR, PAD, MIRROR, MEANS = (
    *(GOOD["RESIZE_BILINEAR"], GOOD["PAD"], GOOD["MIRROR_PAD"]),
    GOOD["MEAN"],
)
MATMUL = GOOD["BATCH_MATMUL"]


def heavy() -> Case:
    taps = np.full((6, 64, 64, 17), 127, np.int8)
    case = CONV.input(0, shape=(1, 64, 64, 17)).input(1, values=taps)
    return case.output(shape=(1, 1, 1, 6))


def pooled(case: Case, kernel: tuple[int, int], stride: tuple[int, int], padding: int) -> Case:
    """A pool over a wide picture, whose output is as large as it must be."""
    height, width = 400, 420
    sizes = [
        -(-size // step) if padding == 0 else (size - window) // step + 1
        for size, window, step in zip((height, width), kernel, stride, strict=True)
    ]
    fields = {"filter_height": kernel[0], "filter_width": kernel[1], "padding": padding}
    case = case.option(**fields, stride_h=stride[0], stride_w=stride[1])
    return case.input(0, shape=(1, height, width, 8)).output(shape=(1, *sizes, 8))


def turned(axes: tuple[int, ...], *shape: int) -> Case:
    case = GOOD["TRANSPOSE"].input(0, shape=shape).input(1, values=axes)
    return case.output(shape=tuple(shape[axis] for axis in axes))


def padded(case: Case, amounts: tuple[tuple[int, int], ...]) -> Case:
    shape = case.inputs[0].shape  # type: ignore[union-attr]
    made = tuple(dim + sum(pair) for dim, pair in zip(shape, amounts, strict=True))
    return case.input(1, values=amounts).output(shape=made)


def reduced(case: Case, axes: tuple[int, ...], *shape: int, dtype: DType = INT8) -> Case:
    kept = tuple(dim for axis, dim in enumerate(shape) if axis not in axes)
    case = case.input(0, shape=shape, dtype=dtype).input(1, values=axes)
    return case.output(shape=kept, dtype=dtype)


def taken(begin: tuple[int, ...], end: tuple[int, ...], steps: tuple[int, ...]) -> Case:
    case = STRIDED.option(begin_mask=0, end_mask=0)
    return case.input(1, values=begin).input(2, values=end).input(3, values=steps)


def lstm(place: int, **changes: object) -> Case:
    return LSTM.input(place, **changes)


BROKEN: tuple[tuple[str, str, Case], ...] = (
    # Every operator.
    ("The operator has its outputs", "0 outputs", replace(RELU, outputs=())),
    ("The operator has its outputs", "2 outputs", replace(RELU, outputs=RELU.outputs * 2)),
    ("The operator has its inputs", "0 inputs", replace(RELU, inputs=())),
    ("The operator has its inputs", "input 1 is left out", CONV.without(1)),
    ("The operator has its inputs", "no inputs", replace(GOOD["PACK"], inputs=())),
    ("The operator has its inputs", "input 1 is left out", GOOD["PACK"].without(1)),
    ("The file gives the operator's options", "no options", replace(ADD, options=None)),
    (
        "The file gives the operator's options",
        "no squeeze_dims",
        replace(GOOD["SQUEEZE"], options=options("Squeeze")),
    ),
    ("Every tensor that is computed has a shape", "'a' has no shape", ADD.input(0, shape=())),
    ("Every tensor that is computed has a shape", "'y' has no shape", ADD.output(shape=())),
    (
        "Inputs have dimensions",
        "'x' is a scalar",
        replace(RELU, inputs=(const("x", 3, INT8, scaled(0.5)),)),
    ),
    ("No tensor has too many dimensions", "'x' is 1x1x1x1x8", RELU.both(shape=(1, 1, 1, 1, 8))),
    ("Inputs, weights and outputs are quantised", "'x'", RELU.input(0, quantization=None)),
    (
        "Inputs, weights and outputs are quantised",
        "'x'",
        RELU.input(0, quantization=Quantization(minimum=(0.0,), maximum=(6.0,), zero_points=(0,))),
    ),
    (
        "Scales are finite, and above zero for what the operator reads and writes",
        "'weights' has a scale that is not finite",
        CONV.input(1, quantization=scaled(float("inf"))),
    ),
    (
        "Scales are finite, and above zero for what the operator reads and writes",
        "'x' has scale 0 and zero point 0",
        RELU.input(0, quantization=scaled(0.0)),
    ),
    (
        "The output's scale, and the input's divided by it, are ordinary 32-bit reals",
        "'y' has scale 1e-40",
        RELU.output(quantization=scaled(1e-40)),
    ),
    (
        "The output's scale, and the input's divided by it, are ordinary 32-bit reals",
        "'y' divides 1000 by 1e-37",
        RELU.input(0, quantization=scaled(1e3)).output(quantization=scaled(1e-37)),
    ),
    (
        "Zero points can be stored",
        "zero point 128, but holds -128 to 127",
        RELU.input(0, quantization=scaled(0.5, zero_points=(128,))),
    ),
    (
        "Elements are of a type that the NPU has",
        "'x' is float32; 'y' is float32",
        RELU.both(dtype=DType.FLOAT32),
    ),
    (
        "Elements of 32 bits are for arithmetic only",
        "'x' is int32; 'y' is int32",
        GOOD["RESHAPE"].both(dtype=INT32),
    ),
    (
        "Every dimension fits the NPU's counters",
        "'x' is 1x65536x1x1",
        RELU.both(shape=(1, 65536, 1, 1)),
    ),
    ("Every dimension fits the NPU's counters", "'x' is 1x-1x4", RELU.both(shape=(1, -1, 4))),
    ("Every dimension fits the NPU's counters", "'x' is 1x0x4", RELU.both(shape=(1, 0, 4))),
    (
        "One scale serves the whole tensor",
        "'x' has 8 scales",
        RELU.input(0, quantization=scaled(*(0.5,) * 8)),
    ),
    ("The batch holds one picture", "'x' is 2x4x6x8", RELU.both(shape=(2, 4, 6, 8))),
    (
        "The fused activation is one that the NPU applies",
        "SIGN_BIT",
        ADD.option(fused_activation_function=5),
    ),
    (
        "A fused activation writes a type that it is defined for",
        "RELU on 1x4x6x8 of int32",
        ADD.output(dtype=INT32).option(fused_activation_function=1),
    ),
    # Types and shapes that several kinds ask for.
    ("Input and output have one element type", "'y' is int16", RELU.output(dtype=INT16)),
    ("Input and output have one shape", "'y' is 4x6x8", RELU.output(shape=(4, 6, 8))),
    ("All inputs have one element type", "'b' is uint8", ADD.input(1, dtype=UINT8)),
    (
        "Inputs and output have one scale and zero point",
        "'a' has scale 0.25 and zero point 0; 'y' has scale 0.5 and zero point 0",
        GOOD["MINIMUM"].input(0, quantization=scaled(0.25)),
    ),
    (
        "Input and output have as many elements",
        "'y' is 24x9",
        GOOD["RESHAPE"].output(shape=(24, 9)),
    ),
    ("The input has a suitable element type", "'x' is uint8", GOOD["EXP"].both(dtype=UINT8)),
    ("The input has a suitable element type", "'x' is int16", GOOD["RSQRT"].both(dtype=INT16)),
    ("The input has a suitable element type", "'x' is int16", GOOD["HARD_SWISH"].both(dtype=INT16)),
    ("The output has a suitable element type", "'y' is int8", GOOD["ARG_MAX"].output(dtype=INT8)),
    # Arithmetic on elements.
    (
        "Only one of the inputs is spread",
        "'a' is 1x4x6x1; 'b' is 1x4x1x8; 'y' is 1x4x6x8",
        ADD.input(0, shape=(1, 4, 6, 1)).input(1, shape=(1, 4, 1, 8)),
    ),
    (
        "An input is spread along dimensions where it has one element",
        "'b' is 1x2x6x8",
        ADD.input(1, shape=(1, 2, 6, 8)),
    ),
    (
        "An input is spread along dimensions where it has one element",
        "'b' is 7",
        GOOD["PRELU"].input(1, shape=(7,)),
    ),
    (
        "A signed input gives a signed output",
        "'a' is int8; 'y' is uint8",
        ADD.output(dtype=UINT8),
    ),
    (
        "An unsigned input gives an output of its own type, or a wide one",
        "'a' is uint8; 'y' is int16",
        ADD.both(dtype=UINT8).input(1, dtype=UINT8).output(dtype=INT16),
    ),
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
        "Strides are short, or folding columns into channels makes them short",
        "stride 1x5, 7 input columns",
        CONV.option(stride_w=5),
    ),
    (
        "Strides are short, or folding columns into channels makes them short",
        "stride 4x1, 3 output rows",
        CONV.option(stride_h=4),
    ),
    ("Strides are short enough for the hardware", "stride 1x4", DEPTHWISE.option(stride_w=4)),
    ("Strides are short enough for the hardware", "stride 4x4", pooled(MAX, (2, 2), (4, 4), 1)),
    (
        "An average with a long stride has no padding",
        "stride 2x4 with padding",
        pooled(MEAN, (2, 2), (2, 4), 0),
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
    ("Weights have 8 bits", "'weights' is int16", CONV.input(1, dtype=INT16)),
    ("Weights are known beforehand", "'weights' is computed at run time", CONV.input(1, data=None)),
    (
        "Weights have one scale, or one for each filter",
        "'weights' has 2 scales and 1 zero points",
        CONV.input(1, quantization=scaled(0.5, 0.25)),
    ),
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
    ("The bias, if any, is of 32 or 64 bits", "'bias' is int16", CONV.input(2, dtype=INT16)),
    ("The bias, if any, is known beforehand", "'bias' is computed", CONV.input(2, data=None)),
    (
        "The bias fits where the hardware keeps it",
        "values from 0 to 549755813888",
        CONV.input(2, values=(0,) * 5 + (1 << 39,), dtype=DType.INT64),
    ),
    (
        "Each channel of a depthwise convolution has its filter",
        "'weights' is 2x3x3x4",
        DEPTHWISE.input(1, values=np.ones((2, 3, 3, 4))),
    ),
    (
        "Each channel gives one channel, or one channel gives all of them",
        "2 channels become 4 by a multiplier of 2",
        DEPTHWISE.input(0, shape=(1, 5, 7, 2)).option(depth_multiplier=2),
    ),
    (
        "Each channel gives one channel, or one channel gives all of them",
        "2 channels become 4 by a multiplier of 2",
        DEPTHWISE.input(0, shape=(1, 5, 7, 2)).option(depth_multiplier=0),
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
    ("The output has each row's outputs", "'y' is 3x5", DENSE.output(shape=(3, 5))),
    ("Weights are stored in order", "weights format 1", DENSE.option(weights_format=1)),
    # Joining and taking apart.
    ("The axis is one of the output's", "axis 4 of 1x4x6x8", GOOD["CONCATENATION"].option(axis=4)),
    ("The axis is one of the output's", "axis -4 of 4x3x6", GOOD["PACK"].option(axis=-4)),
    (
        "The inputs, one after the other, are the output",
        "'b' is 1x4x6x6",
        GOOD["CONCATENATION"].input(1, shape=(1, 4, 6, 6)),
    ),
    (
        "The inputs, one after the other, are the output",
        "'b' is 4x6x5",
        GOOD["CONCATENATION"].input(1, shape=(4, 6, 5)),
    ),
    ("The inputs, stacked, are the output", "3 inputs", GOOD["PACK"].output(shape=(4, 2, 6))),
    (
        "The axis is known beforehand",
        "the axis is computed",
        SPLIT_V.input(2, data=None, shape=(1,)),
    ),
    ("The axis is known beforehand", "2 axes", GOOD["SPLIT"].input(0, values=(1, 2))),
    ("The axis is one of the input's", "axis -5 of 1x4x6x8", GOOD["SPLIT"].input(0, values=-5)),
    ("The axis is one of the input's", "axis 3 of 4x3x6", GOOD["UNPACK"].option(axis=3)),
    (
        "There is an output for each part",
        "3 parts asked for, 2 outputs",
        SPLIT_V.option(num_splits=3),
    ),
    (
        "The axis falls into equal parts",
        "axis 3 of 1x4x6x9 in 2 parts",
        GOOD["SPLIT"].input(1, shape=(1, 4, 6, 9)),
    ),
    ("The list of sizes is known beforehand", "'sizes' is computed", SPLIT_V.input(1, data=None)),
    ("Sizes of the parts are given, but for one", "sizes -1x-1", SPLIT_V.input(1, values=(-1, -1))),
    ("Sizes of the parts are given, but for one", "3 sizes", SPLIT_V.input(1, values=(1, 1, 1))),
    (
        "The outputs, one after the other, are the input",
        "'y' is 1x4x6x4",
        SPLIT_V.output(shape=(1, 4, 6, 4)),
    ),
    (
        "The outputs are all slices of the input along the axis",
        "3 outputs; 'x' is 4x4x6",
        GOOD["UNPACK"].input(0, shape=(4, 4, 6)),
    ),
    # Renaming.
    (
        "The new shape is given",
        "neither an input nor an option",
        replace(GOOD["RESHAPE"], options=options("Reshape")).without(1),
    ),
    (
        "The new shape is known beforehand",
        "'shape' is computed",
        GOOD["RESHAPE"].input(1, data=None),
    ),
    (
        "The new order is known beforehand",
        "'order' is computed",
        GOOD["TRANSPOSE"].input(1, data=None),
    ),
    (
        "The new order names every dimension once",
        "(0, 2, 2, 3) for 4 dimensions",
        GOOD["TRANSPOSE"].input(1, values=(0, 2, 2, 3)),
    ),
    (
        "A transposition exchanges two dimensions that can be seen as height and width",
        "1x4x6x8 in the order (0, 3, 1, 2)",
        turned((0, 3, 1, 2), 1, 4, 6, 8),
    ),
    (
        "A transposition exchanges two dimensions that can be seen as height and width",
        "1x4x6x8 in the order (0, 1, 3, 2)",
        turned((0, 1, 3, 2), 1, 4, 6, 8),
    ),
    (
        "The output has the input's dimensions in the new order",
        "'y' is 1x4x6x8, not 1x6x4x8",
        GOOD["TRANSPOSE"].output(shape=(1, 4, 6, 8)),
    ),
    # Slices.
    (
        "Begin and size of a slice are known beforehand",
        "'begin' is computed",
        GOOD["SLICE"].input(1, data=None),
    ),
    ("Begin, end and step of a slice are known beforehand", "'end'", STRIDED.input(2, data=None)),
    (
        "Begin, end and step are given for the input's dimensions",
        "3x4 numbers for 4 dimensions",
        GOOD["SLICE"].input(1, values=(0, 1, 2)),
    ),
    (
        "Begin, end and step are given for the input's dimensions",
        "5x5x5 numbers for 4 dimensions",
        taken((0,) * 5, (1,) * 5, (1,) * 5),
    ),
    (
        "Every dimension of the slice is spelt out",
        "ellipsis mask 4",
        STRIDED.option(ellipsis_mask=4),
    ),
    (
        "A slice adds dimensions or drops some, not both",
        "new axis mask 1, shrink axis mask 2",
        STRIDED.option(new_axis_mask=1, shrink_axis_mask=2),
    ),
    ("Ends are positions in the input", "ends count from the begin", STRIDED.option(offset=True)),
    (
        "The slice takes some of the input",
        "from 0x3x0x0 up to 1x3x6x8 of 1x4x6x8",
        taken((0, 3, 0, 0), (1, 3, 6, 8), (1, 1, 1, 1)),
    ),
    (
        "The slice takes some of the input",
        "from 0x3x2x0 up to 1x5x6x8",
        GOOD["SLICE"].input(1, values=(0, 3, 2, 0)),
    ),
    (
        "Only rows and columns are skipped, and none backwards",
        "steps 1x1x1x2",
        taken((0, 1, 0, 0), (1, 4, 6, 8), (1, 1, 1, 2)),
    ),
    (
        "Only rows and columns are skipped, and none backwards",
        "steps 1x1x-1x1",
        taken((0, 1, 0, 0), (1, 4, 6, 8), (1, 1, -1, 1)),
    ),
    (
        "The output is as large as what the slice takes",
        "1x3x3x8; 'y' is 3x3x9",
        STRIDED.output(shape=(3, 3, 9)),
    ),
    # Padding.
    ("Padding is known beforehand", "'amounts' is computed", PAD.input(1, data=None)),
    (
        "Padding is given for each dimension of a picture",
        "'x' is 4x6; 'amounts' is 2x2",
        padded(PAD.input(0, shape=(4, 6)), ((1, 2), (3, 0))),
    ),
    ("Padding is given in wide integers", "'amounts' is int16", PAD.input(1, dtype=INT16)),
    ("Padding adds elements", "padding (-1, 0)", padded(PAD, ((0, 0), (-1, 0), (0, 0), (0, 0)))),
    ("The output is the input and its padding", "not 1x7x9x10", PAD.output(shape=(1, 7, 9, 11))),
    (
        "The batch is not padded",
        "batch padded by (0, 1)",
        padded(PAD, ((0, 1), (0, 0), (0, 0), (0, 0))),
    ),
    (
        "The depth is not padded by a mirror image",
        "depth padded by (1, 0)",
        padded(MIRROR, ((0, 0), (0, 0), (0, 0), (1, 0))),
    ),
    (
        "A mirror image is no larger than what it mirrors",
        "padding (4, 0) of a dimension of 4",
        padded(MIRROR, ((0, 0), (4, 0), (0, 0), (0, 0))),
    ),
    # Resizing.
    (
        "Resizing changes height and width only",
        "'y' is 1x8x12x9",
        BILINEAR.output(shape=(1, 8, 12, 9)),
    ),
    (
        "Height and width grow by one factor that doubling gives",
        "4x6 to 12x18",
        BILINEAR.input(1, values=(12, 18)).output(shape=(1, 12, 18, 8)),
    ),
    (
        "Height and width grow by one factor that doubling gives",
        "4x6 to 8x24",
        BILINEAR.input(1, values=(8, 24)).output(shape=(1, 8, 24, 8)),
    ),
    (
        "Height and width grow by one factor that doubling gives",
        "4x6 to 8x12 with aligned corners",
        BILINEAR.option(align_corners=True),
    ),
    (
        "Height and width grow by one factor that doubling gives",
        "1x6 to 5x6 with aligned corners",
        BILINEAR.input(0, shape=(1, 1, 6, 8))
        .output(shape=(1, 5, 6, 8))
        .input(1, values=(5, 6))
        .option(align_corners=True),
    ),
    (
        "The size that is asked for is known, and the output's",
        "size 8x13",
        BILINEAR.input(1, values=(8, 13)),
    ),
    (
        "The size that is asked for is known, and the output's",
        "computed",
        BILINEAR.input(1, data=None),
    ),
    ("The size that is asked for is known, and the output's", "computed", BILINEAR.without(1)),
    (
        "Corners are aligned or centres are at half pixels, not both",
        "aligned corners and half-pixel centres",
        BILINEAR.output(shape=(1, 7, 11, 8))
        .input(1, values=(7, 11))
        .option(align_corners=True, half_pixel_centers=True),
    ),
    (
        "With half-pixel centres height and width double",
        "'y' is 1x16x24x8",
        BILINEAR.output(shape=(1, 16, 24, 8))
        .input(1, values=(16, 24))
        .option(half_pixel_centers=True),
    ),
    # Reductions.
    ("The input of a mean has some dimensions", "'x' is 8", MEANS.input(0, shape=(8,))),
    ("The list of axes is known beforehand", "'axes' is computed", MEANS.input(1, data=None)),
    ("The reduced axes are some of the input's", "axes (-1,)", MEANS.input(1, values=(-1,))),
    ("The reduced axes are some of the input's", "axes (1, 4)", MEANS.input(1, values=(1, 4))),
    (
        "The depth is reduced only where height, width or depth is 1",
        "axes (3,) of 1x4x6x8",
        reduced(MEANS, (3,), 1, 4, 6, 8),
    ),
    (
        "A sum does not overflow the accumulator",
        "65792 elements of int16",
        reduced(MEANS, (1, 2), 1, 257, 256, 2, dtype=INT16),
    ),
    (
        "The input of a mean is not too wide",
        "width 4097 of 1x2x4097x2",
        reduced(MEANS, (1,), 1, 2, 4097, 2),
    ),
    (
        "A depth that is reduced is not too large",
        "axes (3,) of 1x1x2x4097",
        reduced(MEANS, (3,), 1, 1, 2, 4097),
    ),
    ("The output has the dimensions that are left", "not 1x1x1x8", MEANS.option(keep_dims=True)),
    (
        "What is searched for its greatest element is quantised",
        "'x' has no scale",
        GOOD["ARG_MAX"].input(0, quantization=None),
    ),
    (
        "The greatest element is searched along the depth",
        "axes (2,) of 1x4x6x8",
        GOOD["ARG_MAX"].input(1, values=2),
    ),
    (
        "The position of the greatest element fits 7 bits",
        "depth 128",
        GOOD["ARG_MAX"].input(0, shape=(1, 4, 6, 128)),
    ),
    ("There is a position for each pixel", "'y' is 1x4x7", GOOD["ARG_MAX"].output(shape=(1, 4, 7))),
    ("The steepness of a softmax is not negative", "beta -1", GOOD["SOFTMAX"].option(beta=-1.0)),
    (
        "The pixels of a softmax fit one dimension",
        "65792 pixels",
        GOOD["SOFTMAX"].both(shape=(257, 256, 4)),
    ),
    # LSTM.
    (
        "The file gives the scales inside the cell",
        "4 intermediate tensors",
        replace(LSTM, intermediates=LSTM.intermediates[:4]),
    ),
    ("States outlive a run", "'hidden' is not a variable", lstm(18, is_variable=False)),
    ("States outlive a run", "input 19 is left out", LSTM.without(19)),
    ("The input gate is not derived from the forget gate", "no weights", LSTM.without(1, 5)),
    (
        "The cell has no peephole",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:10], fm("p", 4), *LSTM.inputs[11:])),
    ),
    (
        "The cell has no projection",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:16], fm("p", 4), *LSTM.inputs[17:])),
    ),
    (
        "The cell has no normalisation",
        "'p'",
        replace(LSTM, inputs=(*LSTM.inputs[:23], fm("p", 4))),
    ),
    ("Every gate has its weights", "input 6 is left out", LSTM.without(6)),
    ("Every gate has its biases", "input 13 is left out", LSTM.without(13)),
    (
        "The weights of each gate are a matrix",
        "'weights' is 4x4x1",
        lstm(7, values=np.ones((4, 4, 1))),
    ),
    (
        "Weights, biases and states fit input and output",
        "'weights' is 4x2",
        lstm(2, values=np.ones((4, 2))),
    ),
    ("Weights, biases and states fit input and output", "'hidden' is 2x4", lstm(18, shape=(2, 4))),
    ("Weights and biases are known beforehand", "'weights' is computed", lstm(8, data=None)),
    ("Weights have 8 bits, biases 32 or 64", "'weights' is uint8", lstm(8, dtype=UINT8)),
    ("Weights have 8 bits, biases 32 or 64", "'bias' is int16", lstm(12, dtype=INT16)),
    (
        "The cell's state has 16 bits, the hidden state those of the input",
        "'cell' is int8",
        lstm(19, dtype=INT8),
    ),
    ("Weights, states and what lies between are quantised", "'cell'", lstm(19, quantization=None)),
    # Kinds that wait for their rewrite.
    (
        "What the padding is filled with is known beforehand",
        "'fill' is 1 and not one constant",
        GOOD["PADV2"].input(2, shape=(1,), data=None),
    ),
    (
        "What the padding is filled with is known beforehand",
        "'fill' has scale 0.25",
        GOOD["PADV2"].input(2, quantization=scaled(0.25)),
    ),
    (
        "A reduction goes over the plane or over the depth",
        "axes (2, 3) of 1x4x6x8",
        GOOD["REDUCE_MIN"].input(1, values=(2, 3)),
    ),
    (
        "What is reduced fits a pooling window",
        "514 elements of 257 rows",
        GOOD["REDUCE_MAX"].input(0, shape=(1, 257, 2, 8)),
    ),
    (
        "The pixels of a reduction over the depth fit one dimension",
        "65792 pixels",
        reduced(GOOD["REDUCE_MIN"], (3,), 1, 257, 256, 2),
    ),
    ("The list of multiples is known beforehand", "'times'", GOOD["TILE"].input(1, data=None)),
    ("The output is the input, repeated", "multiples (2, 1)", GOOD["TILE"].input(1, values=(2, 1))),
    ("The output is the input, repeated", "not 2x4x12", GOOD["TILE"].input(1, values=(2, 1, 2))),
    (
        "The output holds one picture",
        "'y' is 2x4x6x8",
        replace(
            GOOD["TILE"],
            inputs=(fm("x", 1, 4, 6, 8), const("times", (2, 1, 1, 1))),
            outputs=(fm("y", 2, 4, 6, 8),),
        ),
    ),
    ("Rows or columns are reversed", "axes (3,)", GOOD["REVERSE_V2"].input(1, values=(3,))),
    ("Reversing keeps the shape", "'y' is 1x6x4x8", GOOD["REVERSE_V2"].output(shape=(1, 6, 4, 8))),
    ("A product of matrices has 8 bits", "'y' is int16", MATMUL.output(dtype=INT16)),
    (
        "The first matrix is taken as it is",
        "the first matrix is transposed",
        MATMUL.option(adj_x=True),
    ),
    ("The matrices multiply to the output", "'b' is 1x2x7x3", MATMUL.option(adj_y=True)),
    ("The matrices multiply to the output", "'b' is 3", MATMUL.input(1, shape=(3,))),
    (
        "There are few products of rows and matrices",
        "1026 products",
        MATMUL.input(0, shape=(1, 342, 5, 7))
        .input(1, shape=(1, 342, 7, 3))
        .output(shape=(1, 342, 5, 3)),
    ),
    (
        "A sum of products fits into 32 bits",
        "33026 products in a sum",
        MATMUL.input(0, shape=(1, 2, 5, 33026)).input(1, shape=(1, 2, 33026, 3)),
    ),
)
"""The text of the rule, part of what is found, and the operator."""
