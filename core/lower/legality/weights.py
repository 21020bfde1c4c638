"""Rules for weights and biases, whatever multiplies them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.ir.network import Tensor
from core.lower.legality.common import ifm_of
from core.lower.legality.rule import LimitRule, Rule, shapes_of, types_of
from core.lower.source import SourceOp, values
from core.target.limits import OperatorLimits

LARGEST_WEIGHT = 255
"""Distance of any 8-bit weight from any 8-bit zero point."""


def weights_of(op: SourceOp) -> Tensor:
    """The weights of an operator that is known to have some."""
    if op.weights is None:
        raise LookupError(f"{op.kind} '{op.name}' has no weights")
    return op.weights


def filters_of(op: SourceOp) -> int:
    """How many channels the weights make; a depthwise convolution has them last."""
    return weights_of(op).shape[3 if op.kind == "DEPTHWISE_CONV_2D" else 0]


def filters_first(op: SourceOp) -> npt.NDArray[np.generic]:
    """Constant weights, the elements of each filter together."""
    array = values(op.weights)
    if array is None:
        raise LookupError(f"{op.kind} '{op.name}' has no constant weights")
    return np.moveaxis(array, -1, 0) if op.kind == "DEPTHWISE_CONV_2D" else array


def _other_weights(op: SourceOp) -> str | None:
    ifm, weights = ifm_of(op), weights_of(op)
    fits = weights.dtype is (DType.INT8 if ifm.dtype.is_signed else DType.UINT8)
    return None if fits else types_of((ifm, weights))


_WEIGHTS_ARE_BYTES = Rule(
    text="Weights have 8 bits, and a sign where the input has one",
    accepted="int8 weights for int8 and int16, uint8 weights for uint8",
    check=_other_weights,
)


def _computed_weights(op: SourceOp) -> str | None:
    weights = weights_of(op)
    array = values(weights)
    known = array is not None and array.shape == weights.shape
    return None if known else f"'{weights.name}' is computed at run time"


_WEIGHTS_ARE_KNOWN = Rule(
    text="Weights are known beforehand", accepted="constant weights", check=_computed_weights
)


def _other_number_of_scales(op: SourceOp) -> str | None:
    weights = weights_of(op)
    quantization = weights.quantization
    scales = () if quantization is None else quantization.scales
    points = () if quantization is None else quantization.zero_points
    filters = filters_of(op)
    if len(scales) in (1, filters) and len(points) in (0, 1, filters):
        return None
    return f"'{weights.name}' has {len(scales)} scales and {len(points)} zero points"


_SCALES_FIT_FILTERS = Rule(
    text="Weights have one scale, or one for each filter",
    accepted="1 scale and zero point, or as many as filters",
    check=_other_number_of_scales,
)


def _heavy_weights(op: SourceOp, limits: OperatorLimits) -> str | None:
    weights = weights_of(op)
    array, most = values(weights), limits.greatest_weight_sum
    if array is None or array.size * LARGEST_WEIGHT <= most:
        return None
    total = _greatest_sum(op, array, most)
    return None if total <= most else f"'{weights.name}' sums up to {total}"


def _greatest_sum(op: SourceOp, array: npt.NDArray[np.generic], most: int) -> int:
    """Over each filter, 0 where none can reach the most; over all where each has its channel."""
    quantization = weights_of(op).quantization
    points = () if quantization is None else quantization.zero_points
    zero_points = np.asarray(points or (0,), np.int64)
    is_depthwise = op.kind == "DEPTHWISE_CONV_2D"
    rows = array.reshape(-1, array.shape[-1]) if is_depthwise else array.reshape(len(array), -1)
    if not is_depthwise and rows.shape[1] * LARGEST_WEIGHT <= most:
        return 0
    centred = rows.astype(np.int64) - (zero_points if is_depthwise else zero_points[:, None])
    sums = np.abs(centred).sum(axis=None if is_depthwise else 1)
    return int(np.max(sums))


_WEIGHTS_ARE_LIGHT = LimitRule(
    text="Weights do not overflow the accumulator",
    accepted=lambda limits: f"sums of absolute weights up to {limits.greatest_weight_sum}",
    check=_heavy_weights,
)


def _bias_shape(op: SourceOp) -> str | None:
    bias = op.bias
    outputs = weights_of(op).shape[0] if op.kind == "FULLY_CONNECTED" else filters_of(op)
    return None if bias is None or bias.shape == (outputs,) else shapes_of([bias])


_BIAS_IS_FLAT = Rule(
    text="The bias, if any, has one value for each output channel",
    accepted="one dimension of the number of output channels",
    check=_bias_shape,
)


def _other_bias_type(op: SourceOp) -> str | None:
    bias, read_as = op.bias, op.sum_type
    if bias is None or bias.dtype is read_as:
        return None
    return f"{types_of([bias])}, LiteRT reads {read_as.name.lower()}"


_BIAS_HAS_TYPE = Rule(
    text="The bias, if any, has the type that LiteRT reads, whatever others make of it",
    accepted="int32; for an int16 input int64, or int32 where the options name it",
    check=_other_bias_type,
)


def _odd_declaration(op: SourceOp) -> str | None:
    given = op.options.integer("quantized_bias_type")
    is_known = given in {0, DType.INT32.code, DType.INT64.code}
    return None if is_known or ifm_of(op).dtype is not DType.INT16 else f"type {given}"


_BIAS_IS_DECLARED = Rule(
    text="The options name a type that a bias can have, or none",
    accepted=f"{DType.INT32.code} (int32), {DType.INT64.code} (int64), or 0 (none)",
    check=_odd_declaration,
)


def _computed_bias(op: SourceOp) -> str | None:
    bias = op.bias
    array = values(bias)
    known = bias is None or (array is not None and array.shape == bias.shape)
    return None if known else f"'{bias.name if bias else ''}' is computed at run time"


_BIAS_IS_KNOWN = Rule(
    text="The bias, if any, is known beforehand", accepted="a constant bias", check=_computed_bias
)


def _large_bias(op: SourceOp, limits: OperatorLimits) -> str | None:
    array, bound = values(op.bias), 1 << (limits.bias_bits - 1)
    if array is None or not array.size:
        return None
    least, most = int(array.min()), int(array.max())
    return None if -bound <= least and most < bound else f"values from {least} to {most}"


_BIAS_FITS = LimitRule(
    text="The bias fits where the hardware keeps it",
    accepted=lambda limits: f"integers of {limits.bias_bits} bits",
    check=_large_bias,
)

WEIGHT_RULES = (_WEIGHTS_ARE_BYTES, _WEIGHTS_ARE_KNOWN, _SCALES_FIT_FILTERS)
SUM_RULES = (_WEIGHTS_ARE_LIGHT,)
BIAS_RULES = (_BIAS_IS_FLAT, _BIAS_IS_DECLARED, _BIAS_HAS_TYPE, _BIAS_IS_KNOWN, _BIAS_FITS)


def _asymmetric_weights(op: SourceOp) -> str | None:
    if ifm_of(op).dtype not in (DType.INT8, DType.INT16):
        return None
    quantization = weights_of(op).quantization
    points = () if quantization is None else quantization.zero_points
    off = [point for point in points if point != 0]
    return f"'{weights_of(op).name}' has zero point {off[0]}" if off else None


SYMMETRIC_WEIGHTS = Rule(
    text="Weights for a signed input are symmetric",
    accepted="zero points of 0, or the option that takes all signed weights as symmetric",
    check=_asymmetric_weights,
)
"""Holds for `HAVE_SYMMETRIC_WEIGHTS` unless the options say otherwise."""

HAVE_SYMMETRIC_WEIGHTS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"})
