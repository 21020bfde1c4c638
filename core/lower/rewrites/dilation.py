"""Dilations that the hardware does not have are spelled out in the kernel.

kernel 3x3, dilation 4      becomes   kernel 5x5 with zeros between the taps, dilation 2
kernel 3x3, dilation 3      becomes   kernel 7x7 with zeros between the taps, dilation 1

1x96x8, kernel 1x3, dilation 8      becomes   12x8x8, kernel 3x1

Of a sequence, what lies between two taps can be seen as a row, where that divides its length and
what is padded: the bytes stay where they are, and no zeros are multiplied.
"""

from __future__ import annotations

import math

import numpy as np

from core.base.frozen import replace
from core.base.geometry import Padding, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Weights
from core.lower.rewrites.convolution import Convolution

LARGEST_DILATION = 2


def with_gaps_as_rows(convolution: Convolution, most_rows: int) -> Convolution:
    """The same convolution of a sequence with its dilation, or a part of it, along the rows of a
    picture; as it is where nothing divides it."""
    kernel, given, made = convolution.kernel, convolution.ifm.shape, convolution.ofm.shape
    dilation, before = kernel.dilation_w, convolution.settled_padding.left
    columns = math.gcd(dilation, given.w, made.w, before)
    seen = replace(
        kernel, h=kernel.w, w=1, dilation_h=dilation // max(columns, 1), dilation_w=1, stride_h=1
    )
    is_sequence = given.h == made.h == kernel.h == kernel.stride_w == 1
    is_worth_it = dilation > LARGEST_DILATION and kernel.w > 1 and columns > 1
    if not (is_sequence and is_worth_it and seen.dilated_h <= most_rows):
        return convolution
    read, rows = given.w // columns, made.w // columns
    top = before // columns
    padding = Padding(top=top, bottom=max(rows - 1 - top + seen.dilated_h - read, 0))
    weights = convolution.weights
    turned = np.ascontiguousarray(np.swapaxes(weights.values.array, 1, 2))
    return replace(
        convolution,
        ifm=replace(convolution.ifm, shape=Shape4(given.n, read, columns, given.c)),
        ofm=replace(convolution.ofm, shape=Shape4(made.n, rows, columns, made.c)),
        kernel=seen,
        weights=replace(weights, values=ConstData.of(turned)),
        is_same=False,
        padding=padding,
    )


def dilate_kernel(convolution: Convolution) -> Convolution:
    """The same convolution with a dilation of at most two."""
    kernel = convolution.kernel
    if max(kernel.dilation_h, kernel.dilation_w) <= LARGEST_DILATION:
        return convolution
    spread_h, kept_h = _split(kernel.dilation_h)
    spread_w, kept_w = _split(kernel.dilation_w)
    larger = replace(
        kernel,
        h=(kernel.h - 1) * spread_h + 1,
        w=(kernel.w - 1) * spread_w + 1,
        dilation_h=kept_h,
        dilation_w=kept_w,
    )
    return replace(
        convolution,
        kernel=larger,
        weights=_spread(convolution.weights, (larger.h, larger.w), (spread_h, spread_w)),
    )


def _split(dilation: int) -> tuple[int, int]:
    """Into the part that spreads the kernel, and the part that the hardware does."""
    kept = 1 if dilation % 2 else LARGEST_DILATION
    return dilation // kept, kept


def _spread(weights: Weights, size: tuple[int, int], step: tuple[int, int]) -> Weights:
    taps = weights.values.array
    zero_points = np.array(weights.zero_points, taps.dtype).reshape(-1, 1, 1, 1)
    spread = np.empty((taps.shape[0], *size, taps.shape[3]), taps.dtype)
    spread[:] = zero_points
    spread[:, :: step[0], :: step[1]] = taps
    return replace(weights, values=ConstData.of(spread))
