"""Rules for functions of one element, and for PRELU and QUANTIZE."""

from __future__ import annotations

import math

import numpy as np

from core.base.dtype import DType
from core.lower.legality.common import (
    SAME_INPUT_TYPES,
    SAME_SHAPE,
    SAME_TYPE,
    STORES_SHARES,
    ifm_of,
    input_type,
    takes_inputs,
)
from core.lower.legality.elementwise import ONE_INPUT_IS_FULL, SPREADS_ONES, UNARY
from core.lower.legality.factors import (
    RESCALED,
    SLOPED,
    SLOPED_BY_CHANNEL,
    exponent_of,
    reach_of,
    scale_of,
)
from core.lower.legality.rule import Rule
from core.lower.rewrites.hard_swish import HIGH_RESOLUTION_BITS, RELU_SCALE
from core.lower.source import SourceOp

_ONE_INPUT = (
    *("EXP", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "QUANTIZE", "RELU", "RELU6"),
    *("RELU_0_TO_1", "RELU_N1_TO_1", "RSQRT", "TANH"),
)
_GREATEST_LOGARITHM = math.log(np.finfo(np.float32).max)
_CURVE_STEPS = 3 << 12
_CURVE_SCALES = 2.0**-31 / _CURVE_STEPS, 2.0**16 / _CURVE_STEPS
"""The reference's factor is one after its longest shift, and 16 bits of it reach 32."""
_LONGEST_SHIFT = 15
_ROOT_EXPONENTS = (-10, 31)
"""Of the powers of two that the factor is below."""


def _odd_slope(op: SourceOp) -> str | None:
    slope = op.options.real("alpha")
    return None if math.isfinite(slope) else f"a slope of {slope}"


_SLOPE_IS_FINITE = Rule(text="The slope is a number", accepted="a finite slope", check=_odd_slope)


def _endless_exponential(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    if ifm.dtype is not DType.INT16:
        return None
    # The reference computes this table of single-precision numbers before it bounds them.
    logarithm = reach_of(ifm) * scale_of(ifm) - math.log(scale_of(op.ofm))
    return f"e to the power of {logarithm:.3g}" if logarithm > _GREATEST_LOGARITHM else None


_EXPONENTIAL_IS_FINITE = Rule(
    text="An exponential of 16 bits, in steps of the output, is a 32-bit real",
    accepted=f"up to e to the power of {_GREATEST_LOGARITHM:.3g}",
    check=_endless_exponential,
)


def _long_shift(op: SourceOp) -> str | None:
    widened = scale_of(op.ifm) / (1 << HIGH_RESOLUTION_BITS)
    for step in (scale_of(op.ofm), RELU_SCALE):
        if exponent_of(widened / step) < -_LONGEST_SHIFT:
            return f"a factor of {widened / step:.3g}"
    return None


_SHIFTS_ARE_SHORT = Rule(
    text="The 16-bit values of a HARD_SWISH are not shifted out of their bits",
    accepted=f"input scales from 2^-{_LONGEST_SHIFT + 1 - HIGH_RESOLUTION_BITS} of the output's",
    check=_long_shift,
)


def _other_root(op: SourceOp) -> str | None:
    factor = 1 / (math.sqrt(scale_of(op.ifm)) * scale_of(op.ofm))
    least, most = _ROOT_EXPONENTS
    return None if least <= exponent_of(factor) <= most else f"a factor of {factor:.3g}"


_ROOT_FITS = Rule(
    text="Inverse roots are within 32 bits before and after they are brought to the output's scale",
    accepted=f"factors from 2^{_ROOT_EXPONENTS[0] - 1} to 2^{_ROOT_EXPONENTS[1]}",
    check=_other_root,
)


def _far_in_steps(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    if ifm.dtype is not DType.INT16:
        return None
    least, most = _CURVE_SCALES
    return None if least <= scale_of(ifm) < most else f"a scale of {scale_of(ifm):g}"


_CURVE_FITS = Rule(
    text="The 16-bit input of a curve is more than nothing, and within 32 bits, in its steps",
    accepted=f"input scales from {_CURVE_SCALES[0]:.3g}, below {_CURVE_SCALES[1]:.3g}",
    check=_far_in_steps,
)

_CLAMPED = (*UNARY, RESCALED)
INPUTS = {**dict.fromkeys(_ONE_INPUT, takes_inputs(1)), "PRELU": takes_inputs(2)}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "EXP": (*UNARY, input_type(DType.INT8, DType.INT16), _EXPONENTIAL_IS_FINITE),
    "HARD_SWISH": (input_type(DType.INT8, DType.UINT8), *UNARY, _SHIFTS_ARE_SHORT),
    "LEAKY_RELU": (*UNARY, _SLOPE_IS_FINITE, SLOPED),
    "LOGISTIC": (*UNARY, STORES_SHARES, _CURVE_FITS),
    # Of 16 bits LiteRT reads slopes as bytes.
    "PRELU": (
        input_type(DType.INT8, DType.UINT8),
        SAME_INPUT_TYPES,
        SAME_TYPE,
        ONE_INPUT_IS_FULL,
        SPREADS_ONES,
        SLOPED_BY_CHANNEL,
    ),
    "QUANTIZE": (SAME_SHAPE, RESCALED),
    "RELU": _CLAMPED,
    "RELU6": _CLAMPED,
    "RELU_0_TO_1": _CLAMPED,
    "RELU_N1_TO_1": _CLAMPED,
    "RSQRT": (*UNARY, input_type(DType.INT8, DType.INT16), _ROOT_FITS),
    "TANH": (*UNARY, STORES_SHARES, _CURVE_FITS),
}
