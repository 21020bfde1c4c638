"""Operators at the edge of what the rules accept."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from tests.core.lower.legality.cases import (
    GOOD,
    INT16,
    Case,
    const,
    fm,
    options,
    scaled,
)
from tests.core.lower.legality.shaped import padded, pooled, reduced, taken, turned

ADD, CONV, DEPTHWISE, TRANSPOSED, DENSE = (
    GOOD[kind]
    for kind in ("ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED")
)
BILINEAR, STRIDED, MEAN, POOL = (
    GOOD[kind] for kind in ("RESIZE_BILINEAR", "STRIDED_SLICE", "MEAN", "AVERAGE_POOL_2D")
)


def resized(case: Case, given: tuple[int, int], made: tuple[int, int], **fields: bool) -> Case:
    case = case.input(0, shape=(1, *given, 8)).output(shape=(1, *made, 8))
    return case.input(1, values=made).option(**fields)


def strided(width: int, stride: int, made: int) -> Case:
    """A convolution with SAME padding, so that any width has an output."""
    case = CONV.input(0, shape=(1, 5, width, 4)).output(shape=(1, 5, made, 6))
    return case.option(padding=0, stride_w=stride)


ALSO_GOOD: tuple[tuple[str, Case], ...] = (
    (
        "a scalar constant is spread",
        replace(ADD, inputs=(ADD.inputs[0], const("b", 3, DType.INT8, scaled(0.5)))),
    ),
    ("a row of channels is spread", ADD.input(1, shape=(8,))),
    (
        "a constant is spread beside another input",
        replace(
            ADD.input(0, shape=(1, 4, 6, 1)),
            inputs=(
                ADD.input(0, shape=(1, 4, 6, 1)).inputs[0],
                const("b", tuple(range(8)), DType.INT8, scaled(0.5)),
            ),
        ),
    ),
    ("no bias", CONV.without(2)),
    ("no bias in the list", replace(CONV, inputs=CONV.inputs[:2])),
    (
        "a scale for each filter",
        CONV.input(1, quantization=scaled(*(0.5,) * 6, zero_points=(0,) * 6)),
    ),
    ("three groups", CONV.input(0, shape=(1, 5, 7, 12))),
    ("the whole stride is folded", strided(15, 5, 3)),
    ("half of the stride is folded", strided(15, 6, 3)),
    ("a third of the stride is folded", strided(14, 21, 1)),
    (
        "any stride for one row and column",
        CONV.option(stride_h=9, stride_w=11).output(shape=(1, 1, 1, 6)),
    ),
    ("a 64-row kernel", CONV.option(dilation_h_factor=31, padding=0).output(shape=(1, 5, 7, 6))),
    (
        "light though many weights",
        CONV.input(0, shape=(1, 64, 64, 17))
        .input(1, values=np.ones((6, 64, 64, 17)))
        .output(shape=(1, 1, 1, 6)),
    ),
    (
        "64-bit bias",
        CONV.both(dtype=DType.INT16)
        .input(2, values=(1 - (1 << 38),) + ((1 << 38) - 1,) * 5, dtype=DType.INT64)
        .output(quantization=scaled(256.0)),
    ),
    ("one channel gives four", DEPTHWISE.input(0, shape=(1, 5, 7, 1)).option(depth_multiplier=4)),
    ("the multiplier follows from the shapes", DEPTHWISE.option(depth_multiplier=0)),
    ("transposed without padding", TRANSPOSED.option(padding=1).output(shape=(1, 9, 13, 6))),
    (
        "a transposed row",
        TRANSPOSED.input(1, values=np.ones((6, 1, 3, 4)))
        .input(2, shape=(1, 1, 6, 4))
        .output(shape=(1, 1, 12, 6))
        .option(stride_h=1),
    ),
    (
        "rows of windows of windows",
        DENSE.input(0, shape=(1, 2, 3, 2, 3, 12)).output(shape=(1, 2, 3, 2, 3, 5)),
    ),
    ("rows of a picture", DENSE.input(0, shape=(1, 2, 6, 4)).output(shape=(4, 5))),
    (
        "dimensions are kept",
        DENSE.input(0, shape=(1, 2, 12)).output(shape=(1, 2, 5)).option(keep_num_dims=True),
    ),
    ("as large a window as there is", pooled(POOL, (256, 256), (1, 1), 1)),
    (
        "a stride as long as the input",
        POOL.input(0, shape=(1, 9, 9, 8))
        .output(shape=(1, 1, 1, 8))
        .option(filter_height=9, filter_width=9, stride_h=9, stride_w=9, padding=0),
    ),
    ("an average folded along the width", pooled(POOL, (2, 2), (2, 4), 1)),
    ("as many padded columns as the stride", pooled(POOL, (8, 3), (1, 3), 0)),
    ("one element becomes many", resized(BILINEAR, (1, 1), (7, 13))),
    ("nothing is resized", resized(BILINEAR, (3, 5), (3, 5))),
    ("corners are aligned", resized(BILINEAR, (4, 6), (25, 41), align_corners=True)),
    ("half-pixel centres", resized(BILINEAR, (4, 6), (8, 12), half_pixel_centers=True)),
    ("one row grows along the width", resized(BILINEAR, (1, 6), (1, 48))),
    ("shape only in the options", replace(GOOD["RESHAPE"], inputs=GOOD["RESHAPE"].inputs[:1])),
    ("all spelt out", taken((0, 1, 0, 0), (1, 4, 6, 8), (1, 1, 2, 1))),
    ("counted from the end, and beyond it", taken((0, -3, 0, -99), (1, 99, 6, 8), (1, 1, 2, 1))),
    ("fewer entries than dimensions", taken((0, 1), (1, 4), (1, 1)).output(shape=(1, 3, 6, 8))),
    ("a dimension is dropped", STRIDED.option(shrink_axis_mask=2).output(shape=(1, 3, 8))),
    (
        "a dimension is added",
        taken((0, 0, 2, 0), (1, 0, 4, 6), (1, 1, 1, 1))
        .option(new_axis_mask=2)
        .output(shape=(1, 1, 2, 48)),
    ),
    ("from the start of the batch", GOOD["UNPACK"].input(0, shape=(3, 4, 6)).option(axis=-3)),
    ("width and channels", turned((0, 1, 3, 2), 1, 1, 6, 8)),
    ("height and channels", turned((0, 3, 2, 1), 1, 6, 1, 8)),
    ("a matrix", turned((1, 0), 6, 8)),
    ("rows and columns of three", turned((1, 0, 2), 4, 6, 8)),
    ("width and channels of three", turned((0, 2, 1), 1, 6, 8)),
    ("height and channels of three", turned((2, 1, 0), 6, 1, 8)),
    ("no scales to transpose", turned((1, 0), 6, 8).both(quantization=None)),
    ("the mean of a flat picture's depth", reduced(MEAN, (3,), 1, 1, 6, 8)),
    ("the depth alone", reduced(MEAN, (3,), 1, 4, 6, 8)),
    ("the mean of a matrix", reduced(MEAN, (0,), 4, 6)),
    ("a mean along axes from the end", reduced(MEAN, (-3, -2), 1, 4, 6, 8)),
    ("a mean along the last axis of rows", reduced(MEAN, (-1,), 1, 6, 8)),
    ("as many elements as a mean takes", reduced(MEAN, (1, 2), 1, 256, 256, 2, dtype=INT16)),
    ("the axis from the end", GOOD["ARG_MAX"].input(1, values=(-1,))),
    (
        "mirrored with its edge",
        padded(GOOD["MIRROR_PAD"].option(mode=1), ((0, 0), (4, 4), (6, 0), (0, 0))),
    ),
    ("a mirrored depth", padded(GOOD["MIRROR_PAD"], ((0, 0), (1, 0), (0, 2), (1, 0)))),
    (
        "three padded dimensions",
        padded(GOOD["PAD"].input(0, shape=(4, 6, 8)), ((1, 0), (0, 1), (2, 2))),
    ),
    ("a batch of rows", GOOD["SOFTMAX"].both(shape=(32, 8))),
    ("a shared second matrix", GOOD["BATCH_MATMUL"].input(1, shape=(7, 3))),
    (
        "a turned second matrix",
        GOOD["BATCH_MATMUL"].input(1, shape=(1, 2, 3, 7)).option(adj_y=True),
    ),
    ("a constant of no scale", GOOD["PADV2"].input(2, quantization=None)),
    ("a scalar", Case("QUANTIZE", (fm("x"),), (fm("y", dtype=INT16),))),
    ("options that are left out", replace(GOOD["STRIDED_SLICE"], options=options("StridedSlice"))),
)
"""What is special about the operator, and the operator."""
