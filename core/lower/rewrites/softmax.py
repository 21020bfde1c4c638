"""Softmax, as the fixed-point steps of the reference kernels.

8 bits       becomes   max over the channels; exp(x - max) by a table; their sum; one over the sum
                       by three rounds of Newton and Raphson; product and shift
16 bits      becomes   the same with one over the sum by a table
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import (
    elementwise_mul_scale,
    exp_on_negative_values,
    quantise_scale,
    saturating_rounding_mul32,
)
from core.base.geometry import Kernel, Shape4
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
from core.lower.rewrites.interpolation import interpolation_table
from core.lower.scope import IDENTITY, Scope

ACCUMULATION_BITS = 12
"""Integer bits of the sum of exponentials, which leave 2^12 channels room."""

_Q31_ONE = (1 << 31) - 1
_MINUS_32_OVER_17_Q29 = -1010580540
_48_OVER_17_Q29 = 1515870810
"""Newton and Raphson's first guess for 1 / x over [0.5, 1] is 48/17 - 32/17 x."""

DOUBLE = Quant(scale=2.0, zero_point=0)
WIDE_RANGE = 10.0
"""The 16-bit table of exp covers -10 to 0."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """Emits steps in 32 bits, each into a new map, unless told otherwise."""

    scope: Scope
    unscaled: Quant
    """The input's zero point, without a scale."""
    clamp: Activation | None = None

    def number(self, name: str, value: int, quant: Quant | None = None) -> View:
        """A 32-bit constant."""
        return self.scope.constant(name, [value], DType.INT32, quant or self.unscaled)

    def map_like(
        self, name: str, shape: Shape4, quant: Quant | None = None, dtype: DType = DType.INT32
    ) -> View:
        """A new map between two steps."""
        return self.scope.temporary(name, shape, dtype, quant or self.unscaled)

    def step(
        self,
        kind: OpKind,
        name: str,
        inputs: tuple[View, View],
        quant: Quant | None = None,
        clamp: Activation | None = None,
        scaling: ExplicitScaling | None = None,
    ) -> View:
        """An element-wise step of two inputs, the smaller of which is broadcast."""
        first, second = inputs
        shape = max(first.shape, second.shape, key=lambda dims: dims.elements)
        return self.scope.emit(
            kind,
            first,
            self.map_like(name, shape, quant),
            name,
            ifm2=second,
            activation=clamp or self.clamp,
            scaling=scaling,
        )

    def maximum_of_channels(self, ifm: View) -> View:
        """Of each pixel the greatest channel: a pool over the channels as if they were columns."""
        n, h, w, c = ifm.shape
        columns = replace(ifm, shape=Shape4(n, h * w, c, 1))
        made = self.map_like("max", Shape4(1, h * w, 1, 1), dtype=self.scope.dtype(ifm))
        self.scope.emit(OpKind.MAX_POOL, columns, made, "max", kernel=Kernel(w=c))
        return replace(made, shape=Shape4(1, h, w, 1))

    def sum_of_channels(self, ifm: View) -> View:
        """Of each pixel the sum of its channels."""
        made = self.map_like("sum", ifm.shape.with_depth(1))
        return self.scope.emit(OpKind.REDUCE_SUM, ifm, made, "sum", activation=self.clamp)

    def leading_zeros(self, ifm: View) -> View:
        """The number of zero bits above the first one."""
        made = self.map_like("clz", ifm.shape)
        return self.scope.emit(OpKind.COUNT_LEADING_ZEROS, ifm, made, "clz", activation=self.clamp)


def lower(scope: Scope) -> None:
    """Lower SOFTMAX over the last axis."""
    n, h, w, c = scope.ifm.shape
    rows = Shape4(1, n * h, w, c)
    ifm, ofm = replace(scope.ifm, shape=rows), replace(scope.ofm, shape=rows)
    if scope.dtype(ifm) is DType.INT16:
        _lower_wide(scope, ifm, ofm)
    else:
        _lower_narrow(scope, ifm, ofm)


def _lower_narrow(scope: Scope, ifm: View, ofm: View) -> None:
    low, high = scope.dtype(ifm).limits
    steps = _Steps(
        scope, Quant(scale=None, zero_point=_zero_point(ifm)), _clamp(float(low), float(high))
    )
    twice = _clamp(2.0 * low, 2.0 * high)
    exponentials = _exponentials(scope, ifm, steps.maximum_of_channels(ifm))

    rescaled = scope.emit(
        OpKind.SHIFT_RIGHT,
        exponentials,
        steps.map_like("rescaled", ifm.shape),
        "rescaled",
        ifm2=steps.number("accumulation_bits", ACCUMULATION_BITS),
        activation=steps.clamp,
        rounding=Rounding.NATURAL,
    )
    total = steps.sum_of_channels(rescaled)
    zeros = steps.leading_zeros(total)
    bits = steps.number("bits", ACCUMULATION_BITS + 31 - 8)
    right_shift = steps.step(OpKind.SUB, "right_shift", (bits, zeros))
    headroom = steps.step(OpKind.SUB, "headroom", (zeros, steps.number("one", 1)))
    shifted = steps.step(OpKind.SHIFT_LEFT, "shifted", (total, headroom))
    half = _half_denominator(steps, shifted)
    factor = _reciprocal(steps, half, twice)
    scaled = steps.step(OpKind.MUL, "scaled", (exponentials, factor), DOUBLE, twice)
    scope.emit(OpKind.SHIFT_RIGHT, scaled, ofm, ifm2=right_shift, rounding=Rounding.NATURAL)


def _half_denominator(steps: _Steps, shifted: View) -> View:
    """(sum + 1) / 2, for a sum that was shifted to lie between one half and one."""
    less_one = steps.step(OpKind.SUB, "less_one", (shifted, steps.number("2^30", 1 << 30)))
    doubled = steps.step(OpKind.SHIFT_LEFT, "doubled", (less_one, steps.number("one", 1)))
    one = steps.number("one_q31", _Q31_ONE)
    halving = ExplicitScaling(multiplier=1, shift=1)
    return steps.step(OpKind.ADD, "half", (doubled, one), IDENTITY, scaling=halving)


def _reciprocal(steps: _Steps, half: View, twice: Activation) -> View:
    """One over a number between one half and one, by three rounds of Newton and Raphson."""
    slope = steps.number("slope", _MINUS_32_OVER_17_Q29, IDENTITY)
    guess = steps.step(OpKind.MUL, "guess", (half, slope), DOUBLE, twice)
    offset = steps.number("offset", _48_OVER_17_Q29)
    x = steps.step(OpKind.ADD, "x", (guess, offset), IDENTITY)
    one, four = steps.number("one_q29", 1 << 29), steps.number("four", 4)
    for turn in range(3):
        product = steps.step(OpKind.MUL, f"product{turn}", (x, half), DOUBLE, twice)
        error = steps.step(OpKind.SUB, f"error{turn}", (one, product), IDENTITY)
        part = steps.step(OpKind.MUL, f"part{turn}", (x, error), DOUBLE, twice)
        step = steps.step(OpKind.MUL, f"step{turn}", (part, four))
        x = steps.step(OpKind.ADD, f"x{turn}", (x, step), IDENTITY)
    return steps.step(OpKind.MUL, "reciprocal", (x, steps.number("two", 2)), IDENTITY)


def _exponentials(scope: Scope, ifm: View, greatest: View) -> View:
    """exp(x - max) in 31 bits, by a table over the 256 differences."""
    least = -128
    quant = Quant(scale=1.0, zero_point=127)
    made = scope.temporary("exp", ifm.shape, DType.INT32, quant)
    table = exponential_table(scope.op.options.real("beta", 1.0), _scale(ifm))
    activation = Activation(
        kind=ActivationKind.LUT,
        minimum=float(least - quant.zero_point),
        maximum=0.0,
        table=table,
    )
    return scope.emit(OpKind.SUB, ifm, made, "exp", ifm2=greatest, activation=activation)


def exponential_table(beta: float, scale: float) -> ConstData:
    """exp of beta x difference for the differences -255 to 0, in 31 bits below the point."""
    integer_bits = 5
    real = min(beta * scale * (1 << (31 - integer_bits)), float((1 << 31) - 1))
    factor = quantise_scale(real)
    left_shift = 31 - factor.shift
    span = ((1 << integer_bits) - 1) * (1 << (31 - integer_bits))
    # What the left shift would push out of 32 bits is as good as zero.
    least = -math.floor(span / (1 << left_shift)) if left_shift >= 0 else -(1 << 30)
    entries = [
        exp_on_negative_values(
            saturating_rounding_mul32(_shifted(difference, left_shift), factor.multiplier)
        )
        if difference >= least
        else 0
        for difference in range(-255, 1)
    ]
    return ConstData.of(np.array(entries, np.int64).astype(np.uint32))


def _shifted(value: int, left_shift: int) -> int:
    return value << left_shift if left_shift >= 0 else value >> -left_shift


def _lower_wide(scope: Scope, ifm: View, ofm: View) -> None:
    unscaled = Quant(scale=None, zero_point=_zero_point(ifm))
    steps = _Steps(scope, unscaled)
    exponentials = _wide_exponentials(scope, steps, ifm, ofm)
    total = steps.sum_of_channels(exponentials)
    zeros = steps.leading_zeros(total)
    right_shift = steps.step(OpKind.SUB, "right_shift", (steps.number("31", 31), zeros))
    one = steps.step(OpKind.SHIFT_LEFT, "one", (steps.number("1", 1), right_shift))
    less_one = steps.step(OpKind.SUB, "less_one", (total, one))
    shifted = steps.step(OpKind.SHIFT_LEFT, "shifted", (less_one, zeros))
    short = steps.step(OpKind.SHIFT_RIGHT, "short", (shifted, steps.number("15", 15)))
    table = interpolation_table(lambda x: 1 / (1 + x), 0.0, 1.0, 1 << 15)
    factor = scope.emit(
        OpKind.SUB,
        short,
        steps.map_like("factor", short.shape, dtype=DType.INT16),
        "factor",
        ifm2=steps.number("2^15", 1 << 15),
        activation=Activation(kind=ActivationKind.LUT, table=table),
    )
    product = steps.step(OpKind.MUL, "product", (exponentials, factor))
    scope.emit(OpKind.SHIFT_RIGHT, product, ofm, ifm2=right_shift)


def _wide_exponentials(scope: Scope, steps: _Steps, ifm: View, ofm: View) -> View:
    greatest = steps.maximum_of_channels(ifm)
    difference = steps.step(OpKind.SUB, "difference", (ifm, greatest), ifm.quant)
    beta = scope.op.options.real("beta", 1.0)
    step = WIDE_RANGE / ((1 << 16) - 1)
    factor = elementwise_mul_scale(_scale(ifm), beta, step, use_double=True)
    zero_point = _zero_point(ifm)
    constant = steps.number("factor", factor.multiplier, Quant(scale=beta, zero_point=zero_point))
    target = Quant(scale=step, zero_point=_zero_point(ofm))
    scaled = steps.step(OpKind.MUL, "scaled", (difference, constant), target)
    table = interpolation_table(math.exp, -WIDE_RANGE, 0.0, 1 << 15)
    return scope.emit(
        OpKind.ADD,
        scaled,
        steps.map_like("exp", ifm.shape, target, DType.INT16),
        "exp",
        ifm2=steps.number("32767", (1 << 15) - 1),
        activation=Activation(kind=ActivationKind.LUT, table=table),
    )


def _clamp(minimum: float, maximum: float) -> Activation:
    return Activation(kind=ActivationKind.CLAMP, minimum=minimum, maximum=maximum)


def _scale(view: View) -> float:
    return 1.0 if view.quant is None or view.quant.scale is None else view.quant.scale


def _zero_point(view: View) -> int:
    return 0 if view.quant is None else view.quant.zero_point
