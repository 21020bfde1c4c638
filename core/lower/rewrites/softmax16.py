"""The 16-bit softmax.

    e = table((x - greatest x) scaled to 10/65535)           exp of -10 to 0, in Q0.15
    s = sum(e)
    r = table(s without its leading one, in Q0.15)           1 / (1 + rest)
    y = (e r) >> (31 - leading zeros of s)

The shape of the output's rows is the input's; everything between e and y has one element a row.
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import elementwise_mul_scale
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, ExplicitScaling, OpKind, Quant, View
from core.lower.rewrites.lookup import sampled_table
from core.lower.rewrites.softmax_chain import Chain
from core.lower.scaling import scaling_of

SMALLEST_EXPONENT = -10.0
"""Below it nothing is left of exp in fifteen bits."""

INDEX_SCALE = 10.0 / 65535.0
"""What one step of the exponentials' table index stands for."""

_ONE = np.float64(1 << 15)


def exponential_table() -> ConstData:
    """exp over its whole range, in Q0.15."""
    within = np.float64(SMALLEST_EXPONENT), np.float64(0.0)
    return sampled_table(np.exp, within, _ONE)


def reciprocal_table() -> ConstData:
    """1 / (1 + x) for x from 0 to 1, in Q0.15."""
    return sampled_table(lambda x: 1.0 / (1.0 + x), (np.float64(0.0), np.float64(1.0)), _ONE)


def emit_softmax16(chain: Chain) -> None:
    """Add the fourteen operators of a 16-bit softmax."""
    exponentials = _emit_exponentials(chain, chain.greatest())
    total = chain.total(exponentials)
    zeros = chain.step(OpKind.COUNT_LEADING_ZEROS, (total,))
    right_shift = chain.step(OpKind.SUB, (chain.constant(31), zeros))
    leading_one = chain.step(OpKind.SHIFT_LEFT, (chain.constant(1), right_shift))
    rest = chain.step(OpKind.SUB, (total, leading_one))
    rest = chain.step(OpKind.SHIFT_LEFT, (rest, zeros))
    rest = chain.step(OpKind.SHIFT_RIGHT, (rest, chain.constant(15)))
    reciprocal = chain.step(
        OpKind.SUB,
        (rest, chain.constant(1 << 15)),
        dtype=DType.INT16,
        activation=_looked_up(reciprocal_table()),
    )
    product = chain.step(OpKind.MUL, (exponentials, reciprocal))
    chain.step_to(chain.ofm, OpKind.SHIFT_RIGHT, (product, right_shift))


def _emit_exponentials(chain: Chain, greatest: View) -> View:
    given, beta = scaling_of(chain.ifm), chain.scope.op.options.real("beta")
    multiplier, shift = elementwise_mul_scale(given.scale, beta, INDEX_SCALE, use_double=True)
    differences = chain.step(OpKind.SUB, (chain.ifm, greatest), Quant(scale=given.scale))
    index = Quant(scale=INDEX_SCALE)
    # A product of 32-bit values is shifted, not scaled: the multiplier is one of its factors.
    scaled = chain.step(
        OpKind.MUL,
        (differences, chain.constant(multiplier, Quant(scale=beta))),
        index,
        scaling=ExplicitScaling(multiplier=1, shift=shift),
    )
    return chain.step(
        OpKind.ADD,
        (scaled, chain.constant(DType.INT16.limits[1])),
        index,
        dtype=DType.INT16,
        activation=_looked_up(exponential_table()),
    )


def _looked_up(table: ConstData) -> Activation:
    return Activation(kind=ActivationKind.LUT, table=table)
