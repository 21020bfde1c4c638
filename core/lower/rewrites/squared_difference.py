"""SQUARED_DIFFERENCE, as the fixed-point steps of the reference kernel.

a, b -> SQUARED_DIFFERENCE -> c      becomes   a, b in 32 bits, each shifted left and scaled
                                               SUB, MUL of the difference with itself
                                               MUL that rescales -> c
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier, quantise_scale
from core.ir.npugraph import ExplicitScaling, OpKind, Quant, View
from core.lower.rewrites.cast import emit_cast
from core.lower.scope import IDENTITY, Scope

NARROW_LEFT_SHIFT = 7


def lower(scope: Scope) -> None:
    """Lower SQUARED_DIFFERENCE."""
    first, second = _scale(scope.ifm), _scale(scope.ifm2)
    twice = 2.0 * max(first, second)
    left_shift = 0 if scope.dtype(scope.ifm) is DType.INT16 else NARROW_LEFT_SHIFT
    result = twice * twice / ((1 << (2 * left_shift)) * _scale(scope.ofm))
    a = _scaled(scope, "a", scope.ifm, quantise_scale(first / twice), left_shift)
    b = _scaled(scope, "b", scope.ifm2, quantise_scale(second / twice), left_shift)
    shape = scope.ofm.shape
    difference = scope.temporary("difference", shape, DType.INT32)
    scope.emit(OpKind.SUB, a, difference, "difference", ifm2=b)
    square = scope.temporary("square", shape, DType.INT32)
    scope.emit(OpKind.MUL, difference, square, "square", ifm2=difference)
    _emit_product(scope, "result", square, scope.ofm, quantise_scale(result))


def _scaled(scope: Scope, name: str, ifm: View, factor: Multiplier, left_shift: int) -> View:
    """An input in 32 bits, shifted left, as a share of twice the larger scale."""
    wide = scope.temporary(f"{name}_wide", ifm.shape, DType.INT32, IDENTITY)
    shifting = ExplicitScaling(multiplier=1 << left_shift, shift=0)
    emit_cast(scope, ifm, wide, f"{name}_wide", shifting)
    made = scope.temporary(f"{name}_scaled", ifm.shape, DType.INT32, IDENTITY)
    return _emit_product(scope, f"{name}_scaled", wide, made, factor)


def _emit_product(scope: Scope, name: str, ifm: View, ofm: View, factor: Multiplier) -> View:
    """A 32-bit product scales by nothing but its shift, so the multiplier is an operand."""
    constant = scope.constant(f"{name}_factor", [factor.multiplier], DType.INT32, shape=(1,))
    scaling = ExplicitScaling(multiplier=factor.multiplier, shift=factor.shift)
    return scope.emit(OpKind.MUL, ifm, ofm, name, ifm2=constant, scaling=scaling)


def _scale(view: View) -> float:
    quant: Quant | None = view.quant
    return 1.0 if quant is None or quant.scale is None else quant.scale
