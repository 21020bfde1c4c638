"""Operators whose result is known before execution become constants.

constant -> QUANTIZE -> x                    becomes   constant x
y -> SHAPE -> STRIDED_SLICE -> PACK -> x     becomes   constant x

A file may leave the batch open. Streams and layout are made for the one shape that it says all the
same, so shapes are known here, and so is all that follows from them (`evaluation.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import multiply_by_quantized_multiplier, quantise_scale, quantised
from core.base.frozen import replace
from core.base.ids import OpId, OpRef, SubgraphId
from core.ir.constdata import ConstData
from core.ir.network import Subgraph, Tensor
from core.lower.draft import quant_of
from core.lower.evaluation import EVALUATED, evaluated
from core.lower.source import SourceOp, bind, values


def fold_constants(graph: Subgraph, subgraph: SubgraphId, kept: Collection[OpRef] = ()) -> Subgraph:
    """The same subgraph, with data in every tensor that can be computed now.

    Operators that are to be kept compute theirs themselves.
    """
    tensors = list(graph.tensors)
    for index, operator in enumerate(graph.operators):
        ref = OpRef(subgraph, OpId(index))
        if operator.kind not in _FOLDED or ref in kept:
            continue
        op = bind(ref, operator, tuple(tensors))
        made = _folded(op)
        for out, array in zip(operator.outputs, made, strict=False):
            if out not in graph.outputs or tensors[out].dtype in _COPIED:
                tensors[out] = replace(tensors[out], data=ConstData.of(array))
    return replace(graph, tensors=tuple(tensors))


def _folded(op: SourceOp) -> Sequence[npt.NDArray[Any]]:
    if op.kind == "QUANTIZE" and len(op.outputs) == 1:
        array = _fold_quantize(op)
        return () if array is None else (array,)
    return evaluated(op) or ()


def _fold_quantize(op: SourceOp) -> npt.NDArray[Any] | None:
    source, target = op.ifm, quant_of(op.ofm)
    array = values(source)
    if source is None or array is None or target is None or not target.scale:
        return None
    if not _has_one_scale(op.ofm) or op.ofm.dtype not in _INTEGERS or np.isnan(array).any():
        return None
    if source.dtype is DType.FLOAT32:
        dtype = op.ofm.dtype
        stored = quantised(array, target.scale, target.zero_point, dtype.limits)
        return stored.astype(dtype.numpy)
    origin = quant_of(source)
    if origin is None or not origin.scale or source.dtype is not op.ofm.dtype:
        return None
    if source.dtype not in (DType.INT8, DType.INT16) or not _has_one_scale(source):
        return None
    factor = quantise_scale(origin.scale / target.scale)
    centred = np.asarray(array, np.int64).reshape(-1) - origin.zero_point
    scaled = [
        multiply_by_quantized_multiplier(int(value), factor.multiplier, factor.shift)
        for value in centred
    ]
    shifted = np.array(scaled, np.int64).reshape(array.shape) + target.zero_point
    return _stored(shifted, op.ofm.dtype)


def _has_one_scale(tensor: Tensor) -> bool:
    quantization = tensor.quantization
    if quantization is None or quantization.is_per_axis or len(tensor.shape) > _MOST_DIMENSIONS:
        return False
    return all(0 < scale < float("inf") for scale in quantization.scales)


def _stored(numbers: npt.NDArray[Any], dtype: DType) -> npt.NDArray[Any]:
    return np.asarray(np.clip(numbers, *dtype.limits), dtype=dtype.numpy)


_FOLDED = EVALUATED | {"QUANTIZE"}
_INTEGERS = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.INT32})
_MOST_DIMENSIONS = 4
_COPIED = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.INT32})
"""The caller gets a copy of what is known; of other types the operator makes it."""
