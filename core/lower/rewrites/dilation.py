"""Dilations that the hardware does not have are spelled out in the kernel.

kernel 3x3, dilation 4      becomes   kernel 5x5 with zeros between the taps, dilation 2
kernel 3x3, dilation 3      becomes   kernel 7x7 with zeros between the taps, dilation 1
"""

from __future__ import annotations

import numpy as np

from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.npugraph import Weights
from core.lower.rewrites.convolution import Convolution

LARGEST_DILATION = 2


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
