"""The 8-bit softmax.

    e = table(x - greatest x)                             exponentials, in Q0.31
    s = sum(e >> 12)                                      in Q12.19
    d = (s << (leading zeros of s - 1)) / 2 + 1/2         half the denominator, within [1/2, 1)
    r = 48/17 - 32/17 d;  three times r += r (1 - d r)    its reciprocal by Newton and Raphson
    y = (2 r e) >> (35 - leading zeros of s)              or 27, where y has 16 bits

The shape of the output's rows is the input's; everything between e and y has one element a row.
"""

from __future__ import annotations

import math
from typing import TypedDict

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import (
    MAX_INT32,
    exp_on_negative_values,
    multiply_by_quantized_multiplier,
    quantise_scale,
)
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.npugraph import (
    Activation,
    ActivationKind,
    ExplicitScaling,
    OpKind,
    Quant,
    Rounding,
    View,
)
from core.lower.rewrites.softmax_chain import HIGH_HALF, ONE_UNIT, TWO_UNITS, Chain
from core.lower.scaling import NO_SCALING, UNSCALED, scaling_of

ACCUMULATION_BITS = 12
"""Integer bits of the sum: as many rows' elements can be added."""

DIFFERENCE_BITS = 5
"""Integer bits of what is exponentiated: exp(-32) is nothing in 31 bits."""

NEWTON_STEPS = 3

_MINUS_32_17THS, _48_17THS, _ONE_Q2 = -1010580540, 1515870810, 1 << 29
"""-32/17, 48/17 and 1 in Q2.29."""

_LAST_ENTRY = 127
"""Where a difference of zero looks into the table, as a signed index."""


class _Clamped(TypedDict):
    activation: Activation


def emit_softmax8(chain: Chain) -> None:
    """Add the thirty-one operators of an 8-bit softmax."""
    bounded = _bounds(chain, 1)
    exponentials = _emit_exponentials(chain, chain.greatest())
    shift = chain.constant(ACCUMULATION_BITS)
    terms = chain.step(
        OpKind.SHIFT_RIGHT, (exponentials, shift), rounding=Rounding.NATURAL, **bounded
    )
    total = chain.total(terms, **bounded)
    zeros = chain.step(OpKind.COUNT_LEADING_ZEROS, (total,), **bounded)
    most = chain.constant(ACCUMULATION_BITS + 31 - chain.scope.dtype(chain.ofm).bits)
    right_shift = chain.step(OpKind.SUB, (most, zeros), **bounded)
    half = _emit_half_denominator(chain, total, zeros)
    reciprocal = _emit_reciprocal(chain, half)
    factor = chain.step(OpKind.MUL, (reciprocal, chain.constant(2)), ONE_UNIT, **bounded)
    product = _emit_high_half(chain, exponentials, factor)
    last = OpKind.SHIFT_RIGHT, (product, right_shift)
    if chain.scope.dtype(chain.ofm) is not DType.INT16:
        chain.step_to(chain.ofm, *last, rounding=Rounding.NATURAL)
        return
    # A zero point is no part of 16 bits: the least value is added to what is still of 32.
    shares = chain.step(*last, rounding=Rounding.NATURAL, **bounded)
    least, made = chain.constant(DType.INT16.limits[0]), replace(chain.ofm, quant=UNSCALED)
    chain.step_to(made, OpKind.ADD, (shares, least), scaling=NO_SCALING)


def _bounds(chain: Chain, units: int) -> _Clamped:
    low, high = chain.scope.dtype(chain.ifm).limits
    kind = ActivationKind.CLAMP
    return {"activation": Activation(kind=kind, minimum=low * units, maximum=high * units)}


def _emit_exponentials(chain: Chain, greatest: View) -> View:
    beta = chain.scope.op.options.real("beta")
    table = exponential_table(beta * scaling_of(chain.ifm).scale)
    # The zero point moves differences, which are not positive, to the range of a signed index.
    indexed = chain.step(
        OpKind.SUB,
        (chain.ifm, greatest),
        Quant(scale=1.0, zero_point=_LAST_ENTRY),
        activation=Activation(
            kind=ActivationKind.LUT, minimum=-128 - _LAST_ENTRY, maximum=0, table=table
        ),
    )
    return replace(indexed, quant=ONE_UNIT)


def exponential_table(scale: float) -> ConstData:
    """exp of each difference from -255 to 0, times the scale, in Q0.31."""
    fraction_bits = 31 - DIFFERENCE_BITS
    real = min(scale * (1 << fraction_bits), float(MAX_INT32))
    multiplier, shift = quantise_scale(real)
    reach = math.floor(((1 << DIFFERENCE_BITS) - 1) * math.ldexp(1, fraction_bits + shift - 31))
    differences = np.arange(-255, 1, dtype=np.int64)
    within = np.maximum(differences, -reach)
    exponents = multiply_by_quantized_multiplier(within, multiplier, shift)
    results = np.where(differences >= -reach, exp_on_negative_values(exponents), 0)
    return ConstData.of(results.astype(DType.UINT32.numpy))


def _emit_half_denominator(chain: Chain, total: View, zeros: View) -> View:
    bounded = _bounds(chain, 1)
    one = chain.constant(1)
    headroom = chain.step(OpKind.SUB, (zeros, one), **bounded)
    full = chain.step(OpKind.SHIFT_LEFT, (total, headroom), **bounded)
    # The leading one is taken off, so that what follows it has all 31 bits to itself.
    rest = chain.step(OpKind.SUB, (full, chain.constant(1 << 30)), **bounded)
    rest = chain.step(OpKind.SHIFT_LEFT, (rest, one), **bounded)
    halved = ExplicitScaling(multiplier=1, shift=1)
    return chain.step(
        OpKind.ADD, (rest, chain.constant(MAX_INT32)), ONE_UNIT, scaling=halved, **bounded
    )


def _emit_reciprocal(chain: Chain, half: View) -> View:
    bounded = _bounds(chain, 1)
    x = _emit_high_half(chain, half, chain.constant(_MINUS_32_17THS, ONE_UNIT))
    x = chain.step(OpKind.ADD, (x, chain.constant(_48_17THS)), ONE_UNIT, **bounded)
    one, four = chain.constant(_ONE_Q2), chain.constant(4)
    for _ in range(NEWTON_STEPS):
        product = _emit_high_half(chain, x, half)
        error = chain.step(OpKind.SUB, (one, product), ONE_UNIT, **bounded)
        # A product of two numbers in Q2.29 is one in Q4.27.
        change = _emit_high_half(chain, x, error)
        change = chain.step(OpKind.MUL, (change, four), **bounded)
        x = chain.step(OpKind.ADD, (x, change), ONE_UNIT, **bounded)
    return x


def _emit_high_half(chain: Chain, a: View, b: View) -> View:
    return chain.step(OpKind.MUL, (a, b), TWO_UNITS, scaling=HIGH_HALF, **_bounds(chain, 2))
