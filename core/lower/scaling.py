"""Quantisation as rewrites need it: present for certain, and turned into factors."""

from __future__ import annotations

import numpy as np

from core.base.errors import InternalError
from core.base.fixedpoint import elementwise_mul_scale, quantise_scale
from core.base.frozen import NamedTuple
from core.ir.npugraph import ExplicitScaling, Quant, View

UNSCALED = Quant(scale=None, zero_point=0)
"""Stored values are taken as they are: no operator rescales what it reads or writes with it."""

NO_SCALING = ExplicitScaling(multiplier=1, shift=0)
"""The accumulator is the result."""


class Scaling(NamedTuple):
    """real = scale x (stored - zero point)."""

    scale: float
    zero_point: int


def scaling_of(view: View) -> Scaling:
    """The scale and zero point of a view that legality has found to be quantised."""
    if view.quant is None or view.quant.scale is None:
        raise InternalError(f"feature map {view.fm} is not quantised")
    return Scaling(view.quant.scale, view.quant.zero_point)


def have_same_scaling(a: View, b: View) -> bool:
    """Whether equal stored values mean equal real ones."""
    return a.quant is not None and a.quant == b.quant


def single_ratio(numerator: float, denominator: float) -> float:
    """A quotient in single precision, as the reference finds many of its factors."""
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        return float(np.float32(numerator) / np.float32(denominator))


def factor(real: float) -> ExplicitScaling:
    """A real factor as the hardware takes it."""
    quantised = quantise_scale(real)
    return ExplicitScaling(multiplier=quantised.multiplier, shift=quantised.shift)


def product_factor(a: float, b: float, made: float) -> ExplicitScaling:
    """The factor of a product of two scales, in double precision."""
    quantised = elementwise_mul_scale(a, b, made, use_double=True)
    return ExplicitScaling(multiplier=quantised.multiplier, shift=quantised.shift)
