"""Operators that only move elements, and resize, and break one rule each."""

from __future__ import annotations

from core.base.frozen import replace
from tests.core.lower.legality.cases import (
    GOOD,
    INT16,
    Case,
    options,
)
from tests.core.lower.legality.shaped import (
    BILINEAR,
    MIRROR,
    PAD,
    SPLIT_V,
    STRIDED,
    padded,
    taken,
    turned,
)

MOVES: tuple[tuple[str, str, Case], ...] = (
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
        "No step of a transposition is too long",
        "a step of 80000",
        turned((0, 1, 3, 2), 1, 4, 2, 40_000),
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
)
