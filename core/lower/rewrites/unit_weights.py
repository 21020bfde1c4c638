"""Convolutions whose weights are all alike: they widen numbers, or add them up."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import Ints
from core.base.frozen import replace
from core.base.geometry import Kernel
from core.ir.constdata import ConstData
from core.ir.npugraph import ExplicitScaling, OpKind, View, Weights
from core.lower.scope import Scope


def emit_window_sum(
    scope: Scope, ifm: View, ofm: View, name: str, kernel: Kernel, scaling: ExplicitScaling
) -> View:
    """Add the sum over each window of each channel."""
    weights = alike(1, ifm.shape.c, kernel, bias_of(scope.dtype(ifm), ifm.shape.c))
    return scope.emit(
        OpKind.DEPTHWISE_CONV_2D, ifm, ofm, name, kernel=kernel, weights=weights, scaling=scaling
    )


def emit_channel_sum(
    scope: Scope, ifm: View, ofm: View, name: str, scaling: ExplicitScaling
) -> View:
    """Add the sum over the channels of each place."""
    weights = replace(
        alike(1, 1, Kernel(), bias_of(scope.dtype(ifm), 1)),
        values=ConstData.of(np.ones((1, 1, 1, ifm.shape.c), np.uint8)),
    )
    return scope.emit(OpKind.CONV_2D, ifm, ofm, name, weights=weights, scaling=scaling)


def emit_cast(
    scope: Scope, ifm: View, ofm: View, name: str, scaling: ExplicitScaling | None = None
) -> View:
    """Add a copy of every element in another width."""
    weights = alike(1, ifm.shape.c, Kernel(), bias_of(scope.dtype(ifm), ifm.shape.c))
    return scope.emit(OpKind.DEPTHWISE_CONV_2D, ifm, ofm, name, weights=weights, scaling=scaling)


def alike(weight: int, depth: int, kernel: Kernel, bias: Ints) -> Weights:
    """One weight for every tap of every channel."""
    return Weights(
        values=ConstData.of(np.full((depth, kernel.h, kernel.w, 1), weight, np.uint8)),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(bias),
    )


def bias_of(ifm: DType, depth: int) -> Ints:
    """Zeros in the width that goes with an input."""
    return np.zeros(depth, np.int64 if ifm is DType.INT16 else np.int32)
