"""Rules for functions of one element, and for PRELU and QUANTIZE."""

from __future__ import annotations

import math

from core.base.dtype import DType
from core.lower.legality.common import (
    SAME_INPUT_TYPES,
    SAME_SHAPE,
    SAME_TYPE,
    input_type,
    takes_inputs,
)
from core.lower.legality.elementwise import ONE_INPUT_IS_FULL, SPREADS_ONES, UNARY
from core.lower.legality.rule import Rule
from core.lower.source import SourceOp

_ONE_INPUT = (
    *("EXP", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "QUANTIZE", "RELU", "RELU6"),
    *("RELU_0_TO_1", "RELU_N1_TO_1", "RSQRT", "TANH"),
)


def _odd_slope(op: SourceOp) -> str | None:
    slope = op.options.real("alpha")
    return None if math.isfinite(slope) else f"a slope of {slope}"


_SLOPE_IS_FINITE = Rule(text="The slope is a number", accepted="a finite slope", check=_odd_slope)

INPUTS = {**dict.fromkeys(_ONE_INPUT, takes_inputs(1)), "PRELU": takes_inputs(2)}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "EXP": (*UNARY, input_type(DType.INT8, DType.INT16)),
    "HARD_SWISH": (input_type(DType.INT8, DType.UINT8), *UNARY),
    "LEAKY_RELU": (*UNARY, _SLOPE_IS_FINITE),
    "LOGISTIC": UNARY,
    "PRELU": (SAME_INPUT_TYPES, SAME_TYPE, ONE_INPUT_IS_FULL, SPREADS_ONES),
    "QUANTIZE": (SAME_SHAPE,),
    "RELU": UNARY,
    "RELU6": UNARY,
    "RELU_0_TO_1": UNARY,
    "RELU_N1_TO_1": UNARY,
    "RSQRT": (*UNARY, input_type(DType.INT8)),
    "TANH": UNARY,
}
