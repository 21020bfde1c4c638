"""Scale and bias records: one for each output channel, read beside the weight stream."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.fixedpoint import (
    Multiplier,
    away_at_halves,
    away_from_zero,
    quantise_scale,
    quantise_scale_reduced,
)
from core.ir.npugraph import NpuOp, Quant, Rounding, Weights
from core.target.weight_format import ScaleRecord

_MATRIX_PRODUCT = "FULLY_CONNECTED"
_SINGLE_PRECISION = frozenset({"BATCH_MATMUL", "UNIDIRECTIONAL_SEQUENCE_LSTM"})
"""Source operators for which the reference multiplies the scales of input and weights in single
precision, whatever the hardware runs them as. It does so for convolutions of uint8, too, and did so
for FULLY_CONNECTED before LiteRT 2.3, which biases of 30 bits show."""


def scale_records(op: NpuOp, ifm: DType, record: ScaleRecord) -> npt.NDArray[np.uint8]:
    """A record for each output channel of an operator that reads `ifm`."""
    weights = _weights_of(op)
    bias = _bias(weights, op.name, record.bias_bits)
    factors = channel_factors(op, ifm)
    multipliers = np.array([factor.multiplier for factor in factors], dtype="<u8")
    records = np.empty((bias.size, record.size_bytes), dtype=np.uint8)
    split = record.bias_bytes
    records[:, :split] = bias.view(np.uint8).reshape(-1, 8)[:, :split]
    low = multipliers.view(np.uint8).reshape(-1, 8)
    records[:, split:-1] = low[:, : record.multiplier_bits // 8]
    records[:, -1] = [factor.shift for factor in factors]
    return records


def channel_factors(op: NpuOp, ifm: DType) -> tuple[Multiplier, ...]:
    """What the accumulator of each channel is multiplied with, or one factor for all of them."""
    weights = _weights_of(op)
    if op.scaling is not None:
        factors: tuple[Multiplier, ...] = (Multiplier(op.scaling.multiplier, op.scaling.shift),)
    else:
        is_reduced = ifm is DType.INT16 and weights.has_wide_sums
        quantise = quantise_scale_reduced if is_reduced else quantise_scale
        factors = tuple(quantise(factor) for factor in _real_factors(op, weights, ifm))
        if op.origin == _MATRIX_PRODUCT and not is_reduced:
            factors = tuple(away_at_halves(factor) for factor in factors)
    if op.rounding is Rounding.AWAY_FROM_ZERO:
        factors = tuple(away_from_zero(factor) for factor in factors)
    return factors


def _real_factors(op: NpuOp, weights: Weights, ifm: DType) -> list[float]:
    ifm_scale = _scale(op.ifm.quant, "input", op.name)
    ofm_scale = _scale(op.ofm.quant, "output", op.name)
    if not weights.scales:
        raise InputError("the weights have no scale", op.name)
    for scale in weights.scales:
        _check_scale(scale, "weights", op.name)
    channels = weights.values.shape[0]
    if len(weights.scales) not in {1, channels}:
        raise InputError(
            f"{len(weights.scales)} weight scales for {channels} output channels", op.name
        )
    is_old = ifm is DType.UINT8 and op.origin != _MATRIX_PRODUCT
    if is_old or op.origin in _SINGLE_PRECISION:
        single = np.float32(ifm_scale) * np.array(weights.scales, dtype=np.float32)
        return [float(product) / ofm_scale for product in single]
    return [ifm_scale * scale / ofm_scale for scale in weights.scales]


def _scale(quant: Quant | None, what: str, name: str) -> float:
    """The scale of a feature map; values that are taken as they are have the scale 1."""
    if quant is None or quant.scale is None:
        return 1.0
    _check_scale(quant.scale, what, name)
    return quant.scale


def _check_scale(scale: float, what: str, name: str) -> None:
    if not (math.isfinite(scale) and scale > 0):
        raise InputError(f"the scale of the {what} is {scale}; it must be positive", name)


def _bias(weights: Weights, name: str, bits: int) -> npt.NDArray[np.int64]:
    bias = weights.bias.array.reshape(-1).astype("<i8")
    channels = weights.values.shape[0]
    if bias.size != channels:
        raise InputError(f"{bias.size} biases for {channels} output channels", name)
    most = (1 << (bits - 1)) - 1
    if bias.max() > most or bias.min() < -most - 1:
        raise InputError(f"a bias has more than {bits} bits", name)
    return bias


def _weights_of(op: NpuOp) -> Weights:
    if op.weights is None:
        raise InputError("the operator has no weights", op.name)
    return op.weights
