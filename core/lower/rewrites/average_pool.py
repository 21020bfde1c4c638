"""AVERAGE_POOL_2D.

AVERAGE_POOL_2D                     becomes   the hardware's average pool
AVERAGE_POOL_2D of a long stride    becomes   an average pool for each place of the output, or a
                                              convolution that picks and weighs one channel, its
                                              stride folded into channels
PAD -> AVERAGE_POOL_2D              becomes   a depthwise convolution with padding: unlike the
                                              pool's own padding, PAD's zeros count in the mean
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, Rounding, Weights
from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.width_stride import fold_width_stride
from core.lower.rewrites.windowed import emit_convolution, emit_pool
from core.lower.scope import Scope
from core.lower.strides import MOST_APART, apart

_WEIGHTS_A_CYCLE = 6
"""Decoders make 8 at most (`target/families`). These three figures are rough: they only say which
of two ways is taken, before any block is chosen."""
_ELEMENTS_A_CYCLE = 5.5
_CYCLES_OF_AN_OPERATOR = 100
"""What one of no elements takes."""


def lower(scope: Scope) -> None:
    """Lower AVERAGE_POOL_2D."""
    longest = scope.limits.longest_stride
    if scope.op.window.kernel.stride_w > longest and _is_less_by_rows(scope):
        mean = _mean_by_convolution(scope)
        emit_convolution(scope, fold_width_stride(mean, longest, is_first=False))
    elif scope.absorbed is not None:
        emit_convolution(scope, _mean_with_padding(scope))
    else:
        emit_pool(scope, Convolution.of_window(scope, OpKind.AVERAGE_POOL))


def _is_less_by_rows(scope: Scope) -> bool:
    """Whether a convolution for each row takes less than a pool for each of the row's places.

    For a row all weights are decoded, of each channel for each, and multiplied with each place; a
    small array takes longer for the latter.
    """
    kernel, shape, longest = scope.op.window.kernel, scope.ofm.shape, scope.limits.longest_stride
    if len(apart(shape.h, kernel.stride_h, longest)) * shape.w > MOST_APART:
        return True
    taps = kernel.taps
    weights = taps * shape.c * shape.c
    row = max(weights / _WEIGHTS_A_CYCLE, weights * shape.w / scope.macs)
    row += _CYCLES_OF_AN_OPERATOR
    place = _CYCLES_OF_AN_OPERATOR + taps * shape.c / _ELEMENTS_A_CYCLE
    return shape.w > 1 and row < shape.w * place


def _mean_by_convolution(scope: Scope) -> Convolution:
    kernel, depth = scope.op.window.kernel, scope.ofm.shape.c
    values = np.zeros((depth, kernel.h, kernel.w, depth), np.int8)
    values[np.arange(depth), :, :, np.arange(depth)] = 1
    convolution = Convolution.of_window(scope, OpKind.CONV_2D)
    # 32 bits of bias ask for the full precision of the scale, for an input of 16 bits as well.
    bias = ConstData.of(np.zeros(depth, np.int32))
    return replace(
        convolution,
        ifm=replace(convolution.ifm, is_raw=True),
        ofm=replace(convolution.ofm, is_raw=True),
        weights=_ones_weigh(values, kernel.taps, bias),
        rounding=Rounding.AWAY_FROM_ZERO,
    )


def _mean_with_padding(scope: Scope) -> Convolution:
    kernel, depth = scope.op.window.kernel, scope.ofm.shape.c
    values = np.ones((depth, kernel.h, kernel.w, 1), np.int8)
    convolution = Convolution.of_window(scope, OpKind.DEPTHWISE_CONV_2D)
    zero_point = convolution.ifm.quant.zero_point if convolution.ifm.quant else 0
    ofm = convolution.ofm
    if scope.dtype(scope.ifm) is DType.UINT8:
        bias, rounding = np.zeros(depth, np.int32), Rounding.NATURAL
    else:
        # To round away from zero the output must be free of its zero point, which the mean of a
        # window brings along once for each tap; 32 bits of bias ask for the full scale precision.
        bias = np.full(depth, zero_point * kernel.taps, np.int32)
        rounding, ofm = Rounding.AWAY_FROM_ZERO, replace(ofm, is_raw=True)
    return replace(
        convolution,
        ofm=ofm,
        weights=_ones_weigh(values, kernel.taps, ConstData.of(bias)),
        rounding=rounding,
    )


def _ones_weigh(values: np.ndarray, taps: int, bias: ConstData) -> Weights:
    return Weights(values=ConstData.of(values), scales=(1.0 / taps,), zero_points=(0,), bias=bias)
