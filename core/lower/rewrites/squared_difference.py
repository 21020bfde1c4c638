"""SQUARED_DIFFERENCE, in the reference's 32-bit arithmetic.

    a, b -> SQUARED_DIFFERENCE -> c      becomes   a -> widened, << 7 -> MUL factor -> a'
                                                   b -> widened, << 7 -> MUL factor -> b'
                                                   a' - b' -> d,  d d -> MUL factor -> c

Both inputs come to half of the greater scale; inputs of 16 bits have no room for a shift.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.fixedpoint import quantise_scale
from core.ir.npugraph import ExplicitScaling, OpKind, View
from core.lower.operands import parts_of
from core.lower.rewrites.unit_weights import emit_cast
from core.lower.scaling import UNSCALED, scaling_of
from core.lower.scope import IDENTITY, Scope

SPARE_BITS = 7
"""Bits by which 8-bit inputs are widened before they are scaled."""


def lower(scope: Scope) -> None:
    """Lower SQUARED_DIFFERENCE."""
    one, other = scope.operands()
    spare = 0 if scope.dtype(one) is DType.INT16 else SPARE_BITS
    steps = scaling_of(one).scale, scaling_of(other).scale
    common = 2.0 * max(steps)
    a = _emit_scaled_input(scope, one, "a", spare, steps[0] / common)
    b = _emit_scaled_input(scope, other, "b", spare, steps[1] / common)
    shape = scope.ofm.shape
    difference = scope.temporary("difference", shape, DType.INT32, UNSCALED)
    for name, first, second, part in parts_of(a, b, difference):
        scope.emit(OpKind.SUB, first, part, f"difference{name}", ifm2=second)
    square = scope.temporary("square", shape, DType.INT32, UNSCALED)
    scope.emit(OpKind.MUL, difference, square, "square", ifm2=difference)
    made = scaling_of(scope.ofm).scale
    _emit_factor(scope, square, scope.ofm, "scaled", common * common / ((1 << 2 * spare) * made))


def _emit_scaled_input(scope: Scope, ifm: View, name: str, spare: int, factor: float) -> View:
    wide = scope.temporary(f"{name}_wide", ifm.shape, DType.INT32, IDENTITY)
    shifted = ExplicitScaling(multiplier=1 << spare, shift=0)
    emit_cast(scope, ifm, wide, f"{name}_wide", scaling=shifted)
    scaled = scope.temporary(f"{name}_scaled", ifm.shape, DType.INT32, IDENTITY)
    return _emit_factor(scope, wide, scaled, f"{name}_scaled", factor)


def _emit_factor(scope: Scope, ifm: View, ofm: View, name: str, factor: float) -> View:
    multiplier, shift = quantise_scale(factor)
    constant = scope.constant(f"{name}_factor", multiplier, DType.INT32, shape=(1,))
    # A product of 32-bit values is shifted, not scaled: the multiplier is one of its factors.
    scaling = ExplicitScaling(multiplier=1, shift=shift)
    return scope.emit(OpKind.MUL, ifm, ofm, name, ifm2=constant, scaling=scaling)
