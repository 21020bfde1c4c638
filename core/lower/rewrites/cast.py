"""A change of width: a depthwise convolution of one element whose weights are ones."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.ir.constdata import ConstData
from core.ir.npugraph import ExplicitScaling, OpKind, View, Weights
from core.lower.scope import Scope


def emit_cast(
    scope: Scope, ifm: View, ofm: View, name: str, scaling: ExplicitScaling | None = None
) -> View:
    """Add the operator that stores the input's values in the output's type."""
    depth = ifm.shape.c
    wide = scope.dtype(ifm) is DType.INT16
    weights = Weights(
        values=ConstData.of(np.ones((depth, 1, 1, 1), np.uint8)),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(np.zeros(depth, np.int64 if wide else np.int32)),
    )
    return scope.emit(OpKind.DEPTHWISE_CONV_2D, ifm, ofm, name, weights=weights, scaling=scaling)
