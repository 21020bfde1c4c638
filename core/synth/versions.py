"""The operator versions that a converter would note for an element type."""

from __future__ import annotations

from core.base.dtype import DType
from core.ir.network import Table

_OF_INT8_AND_INT16 = {
    "ADD": (2, 3),
    "ARG_MAX": (2, 3),
    "AVERAGE_POOL_2D": (2, 3),
    "BATCH_MATMUL": (2, 3),
    "CONCATENATION": (2, 3),
    "CONV_2D": (3, 4),
    "DEPTHWISE_CONV_2D": (3, 5),
    "DEQUANTIZE": (2, 3),
    "EXP": (2, 2),
    "FULLY_CONNECTED": (4, 7),
    "GATHER": (2, 4),
    "GELU": (2, 2),
    "LEAKY_RELU": (2, 2),
    "LOG": (2, 2),
    "LOGISTIC": (2, 3),
    "MAXIMUM": (2, 4),
    "MAX_POOL_2D": (2, 3),
    "MEAN": (2, 3),
    "MINIMUM": (2, 4),
    "MIRROR_PAD": (2, 3),
    "MUL": (2, 4),
    "PACK": (2, 3),
    "PAD": (2, 3),
    "PADV2": (2, 3),
    "QUANTIZE": (1, 2),
    "REDUCE_MAX": (2, 3),
    "REDUCE_MIN": (2, 3),
    "RELU": (2, 3),
    "RELU6": (2, 3),
    "RESIZE_BILINEAR": (2, 4),
    "RESIZE_NEAREST_NEIGHBOR": (2, 4),
    "RSQRT": (2, 3),
    "SLICE": (2, 4),
    "SOFTMAX": (2, 3),
    "SPACE_TO_DEPTH": (2, 2),
    "SPLIT": (2, 4),
    "SPLIT_V": (2, 2),
    "SQUARED_DIFFERENCE": (2, 2),
    "STRIDED_SLICE": (2, 4),
    "SUB": (2, 5),
    "SUM": (2, 2),
    "TANH": (2, 3),
    "TRANSPOSE": (2, 4),
    "TRANSPOSE_CONV": (3, 3),
    "UNPACK": (2, 4),
}


_WITH_BIAS_TYPE = {"CONV_2D": 8, "FULLY_CONNECTED": 11, "TRANSPOSE_CONV": 5}
"""Whose options name the type of their bias."""


def version_of(kind: str, dtype: DType, options: Table | None = None) -> int:
    """Version of an operator that works on activations of a type."""
    if options is not None and options.get("quantized_bias_type"):
        return _WITH_BIAS_TYPE[kind]
    int8, int16 = _OF_INT8_AND_INT16.get(kind, (1, 1))
    return {DType.INT8: int8, DType.INT16: int16}.get(dtype, 1)
