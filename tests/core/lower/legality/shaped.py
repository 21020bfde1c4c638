"""Operators in the shape that a rule asks about."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from tests.core.lower.legality.cases import (
    GOOD,
    INT8,
    Case,
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
    gone = {axis % len(shape) for axis in axes}
    kept = tuple(dim for axis, dim in enumerate(shape) if axis not in gone)
    case = case.input(0, shape=shape, dtype=dtype).input(1, values=axes)
    return case.output(shape=kept, dtype=dtype)


def taken(begin: tuple[int, ...], end: tuple[int, ...], steps: tuple[int, ...]) -> Case:
    case = STRIDED.option(begin_mask=0, end_mask=0)
    return case.input(1, values=begin).input(2, values=end).input(3, values=steps)


def lstm(place: int, **changes: object) -> Case:
    return LSTM.input(place, **changes)
