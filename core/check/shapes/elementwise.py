"""Operators whose output has the shape of their inputs, spread where there are several."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest

from core.check.shapes.asked import Asked, Infer, Shape, Unknown

_KEEP = (
    *("ABS", "CAST", "CEIL", "COS", "CUMSUM", "DEQUANTIZE", "ELU", "EXP", "FLOOR", "GELU"),
    *("HARD_SWISH", "L2_NORMALIZATION", "LEAKY_RELU", "LOCAL_RESPONSE_NORMALIZATION", "LOG"),
    *("LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "PRELU", "QUANTIZE", "RELU", "RELU6"),
    *("RELU_0_TO_1", "RELU_N1_TO_1", "REVERSE_V2", "ROUND", "RSQRT", "SIN", "SOFTMAX", "SQRT"),
    *("SQUARE", "TANH", "ZEROS_LIKE"),
)
_SPREAD = (
    *("ADD", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS"),
    *("LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL", "POW"),
    *("SQUARED_DIFFERENCE", "SUB"),
)


def _kept(asked: Asked) -> tuple[Shape, ...]:
    return (asked.shape(),)


def _spread(asked: Asked) -> tuple[Shape, ...]:
    return (broadcast(asked.shape(0), asked.shape(1)),)


def broadcast(first: Shape, second: Shape) -> Shape:
    """The shape over which two are spread; Unknown where they do not go together."""
    dims = list(zip_longest(reversed(first), reversed(second), fillvalue=1))
    if any(a != b and 1 not in (a, b) for a, b in dims):
        raise Unknown
    return tuple(b if a == 1 else a for a, b in reversed(dims))


SHAPES: Mapping[str, Infer] = {**dict.fromkeys(_KEEP, _kept), **dict.fromkeys(_SPREAD, _spread)}
