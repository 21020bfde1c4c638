"""SUM of quantised elements: exact sums, scaled once.

LiteRT's reference kernel returns what its memory held before, whatever is summed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import multiply_by_quantized_multiplier, quantise_scale
from core.base.ids import TensorId
from core.ir.network import Operator, Subgraph
from core.pipeline.proof.hardware_fully_connected import (
    centred,
    first_input,
    scale,
    zero_point,
)

Array = npt.NDArray[Any]

_QUANTISED = frozenset({DType.INT8, DType.UINT8, DType.INT16})


def is_quantised(graph: Subgraph, op: Operator) -> bool:
    """Whether what is summed has a scale."""
    tensor = graph.tensors[first_input(op)]
    return tensor.dtype in _QUANTISED and tensor.quantization is not None


def summed(
    graph: Subgraph, op: Operator, given: Mapping[TensorId, Array]
) -> Mapping[TensorId, Array]:
    """The sums over the axes that the operator names."""
    ifm, number = graph.tensors[first_input(op)], op.outputs[0]
    ofm, axes = graph.tensors[number], given[_axes(op)]
    sums = centred(ifm, given[first_input(op)]).sum(axis=tuple(np.ravel(axes).tolist()))
    factor = quantise_scale(float(np.float32(scale(ifm)) / np.float32(scale(ofm))))
    scaled = multiply_by_quantized_multiplier(sums, *factor) + zero_point(ofm)
    values = np.clip(scaled, *ofm.dtype.limits).astype(np.dtype(ofm.dtype.numpy))
    return {number: values.reshape(ofm.shape)}


def _axes(op: Operator) -> TensorId:
    assert op.inputs[1] is not None
    return op.inputs[1]
