"""FULLY_CONNECTED as hardware computes it where that is not what LiteRT's kernel does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import (
    Ints,
    Multiplier,
    multiply_by_quantized_multiplier,
    quantise_scale,
    quantise_scale_reduced,
    round_away_from_zero,
    shift_right_rounding_up,
)
from core.base.ids import TensorId
from core.ir.network import Operator, Quantization, Subgraph, Tensor

Array = npt.NDArray[Any]


class Scaling(Enum):
    """What becomes of a sum; other compilers multiply scales in single precision, as LiteRT did."""

    TWICE = "rounded twice, by another compiler"
    REDUCED = "multiplied with 15 bits, and rounded once"
    REDUCED_BY_OTHERS = "the same, by another compiler"


def fully_connected(
    graph: Subgraph, op: Operator, given: Mapping[TensorId, Array], scaling: Scaling
) -> Array:
    """The output, scaled in a way that is not LiteRT's."""
    numbers = [number for number in op.inputs if number is not None]
    tensors = [graph.tensors[number] for number in numbers]
    output = graph.tensors[op.outputs[0]]
    arrays = [centred(tensor, given[at]) for tensor, at in zip(tensors, numbers, strict=True)]
    weights = arrays[1]
    sums = arrays[0].reshape(-1, weights.shape[-1]) @ weights.T
    if len(arrays) > 2:
        sums = sums + arrays[2].reshape(-1)
    low, high = _bounds(op, output)
    made = [
        scaled(column, factor, scaling)
        for column, factor in zip(sums.T, _factors(tensors, output, scaling), strict=True)
    ]
    values = np.clip(np.stack(made, axis=-1) + zero_point(output), low, high)
    return values.astype(np.dtype(output.dtype.numpy)).reshape(output.shape)


def centred(tensor: Tensor, values: Array) -> Ints:
    """Stored values without their zero points, which weights may have by row."""
    wide = values.astype(np.int64)
    zeros = np.array(_quantization(tensor).zero_points or (0,), np.int64)
    return wide - (zeros.reshape(-1, *[1] * (wide.ndim - 1)) if zeros.size > 1 else zeros)


def scaled(sums: Ints, factor: Multiplier, scaling: Scaling) -> Ints:
    """Sums times a factor."""
    if scaling is Scaling.TWICE:
        return multiply_by_quantized_multiplier(sums, factor.multiplier, factor.shift)
    return shift_right_rounding_up(sums * factor.multiplier, factor.shift)


def zero_point(tensor: Tensor) -> int:
    """That of a tensor with one for all."""
    return next(iter(_quantization(tensor).zero_points), 0)


def scale(tensor: Tensor) -> float:
    """That of a tensor with one for all."""
    return _quantization(tensor).scales[0]


def _factors(tensors: list[Tensor], output: Tensor, scaling: Scaling) -> list[Multiplier]:
    """By output channel."""
    given, weights = tensors[0], tensors[1]
    quantise = quantise_scale if scaling is Scaling.TWICE else quantise_scale_reduced
    precise = np.float64 if scaling is Scaling.REDUCED else np.float32
    scales = np.array(_quantization(weights).scales, precise)
    products = np.multiply(scales, scale(given), dtype=precise)
    factors = [quantise(float(product) / scale(output)) for product in products]
    return factors * (weights.shape[0] // len(factors))


def _bounds(op: Operator, output: Tensor) -> tuple[int, int]:
    low, high = output.dtype.limits
    kind = op.own_options.integer("fused_activation_function")
    least, most = _ACTIVATIONS.get(kind, (None, None))
    zero, step = zero_point(output), np.float32(scale(output))

    def stored(real: float) -> int:
        return round_away_from_zero(float(np.float32(real) / step)) + zero

    if least is not None:
        low = max(low, stored(least))
    if most is not None:
        high = min(high, stored(most))
    return low, high


_ACTIVATIONS = {1: (0.0, None), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
"""By the file format's number: RELU, RELU_N1_TO_1, RELU6."""


def is_wide(graph: Subgraph, op: Operator) -> bool:
    """Whether its sums have more than 32 bits, for which hardware has a narrower factor.

    Sums of 16 bits do that have no bias: converters leave it out where it is zero.
    """
    bias = op.inputs[2] if len(op.inputs) > 2 else None
    is_long = bias is None or graph.tensors[bias].dtype is DType.INT64
    return is_long and graph.tensors[first_input(op)].dtype is DType.INT16


_SUMMED = frozenset({DType.INT8, DType.UINT8, DType.INT16})


def is_narrow(graph: Subgraph, op: Operator) -> bool:
    """Whether its sums have 32 bits: of an input of 8 bits, or of 16 with a bias of 32."""
    return not is_wide(graph, op) and graph.tensors[first_input(op)].dtype in _SUMMED


def first_input(op: Operator) -> TensorId:
    """What an operator works on."""
    assert op.inputs[0] is not None
    return op.inputs[0]


def _quantization(tensor: Tensor) -> Quantization:
    return tensor.quantization or Quantization(scales=(1.0,))
