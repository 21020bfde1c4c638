"""What happens to a scaled value before it is written: rounding, curve or table, bounds."""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import MAX_INT16, round_away_from_zero
from core.ir.npugraph import ActivationKind, NpuOp, OpKind, Rounding, View
from core.ir.program import ActivationUse, Clip, Curve
from core.target.unit import Unit

_WINDOWED = frozenset({Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT})
_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"})
_RESIZES = frozenset({OpKind.RESIZE_BILINEAR, OpKind.RESIZE_NEAREST})
_CURVES = {
    ActivationKind.CLAMP: Curve.NONE,
    ActivationKind.TANH: Curve.TANH,
    ActivationKind.SIGMOID: Curve.SIGMOID,
    ActivationKind.LUT: Curve.TABLE,
}


def rounding_of(op: NpuOp, ifm: DType) -> Rounding:
    """How the hardware is told to round."""
    if op.rounding is Rounding.AWAY_FROM_ZERO:
        # The nudge that makes it so is in the scales.
        return Rounding.NATURAL
    if op.rounding is not None:
        return op.rounding
    # The reference kernels round once here, and with accumulators of 64 bits.
    if op.kind in _RESIZES or op.origin == "FULLY_CONNECTED":
        return Rounding.NATURAL
    is_wide = op.kind.unit in _WINDOWED and ifm is DType.INT16 and op.origin in _CONVOLUTIONS
    return Rounding.NATURAL if is_wide else Rounding.DOUBLE


def activation_of(op: NpuOp, ofm: DType, table: int | None) -> ActivationUse:
    """The activation of an operation whose look-up table, if it has one, has this number."""
    activation, (low, high) = op.activation, ofm.limits
    low, high = max(low, -MAX_INT16 - 1), min(high, MAX_INT16)
    if activation is None:
        return ActivationUse(minimum=low, maximum=high)
    if activation.minimum is not None:
        low = max(low, stored(activation.minimum, op.ofm))
    if activation.maximum is not None:
        high = min(high, stored(activation.maximum, op.ofm))
    curve = _CURVES[activation.kind]
    clip = Clip.OUTPUT
    if curve is Curve.TABLE and ofm is DType.INT32:
        # Entries are as wide as the output; the index has eight bits all the same.
        clip, (least, most) = Clip.INT8, DType.INT8.limits
        low, high = max(low, least), min(high, most)
    return ActivationUse(minimum=low, maximum=high, curve=curve, table=table, clip=clip)


def stored(real: float, view: View) -> int:
    """How a real bound is stored, found in single precision as the reference does."""
    scale, zero_point = 1.0, 0
    if view.quant is not None:
        scale, zero_point = view.quant.scale or 1.0, view.quant.zero_point
    with np.errstate(over="ignore"):
        steps = float(np.float32(real) / np.float32(scale))
    most = float(1 << 31)
    return round_away_from_zero(max(-most, min(steps, most))) + zero_point
