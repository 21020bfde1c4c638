"""PRELU: x where it is positive, else x times a slope that differs from place to place.

x -> PRELU alpha -> y      becomes

a leaky relu of x                                         all slopes are one constant
x -> MUL alpha -> a,  MAXIMUM(a, x or x -> MUL 1) -> y    all slopes are constants below 1
x -> MINIMUM 0 -> n,  n -> MUL alpha -> a,
x -> relu -> p,       a + p -> y                          anything else
"""

from __future__ import annotations

from core.base.fixedpoint import elementwise_mul_scale
from core.ir.npugraph import OpKind, View
from core.lower.rewrites.leaky_relu import (
    Slope,
    emit_leaky,
    emit_negative_part,
    emit_rescaled,
    emit_sum_with_relu,
)
from core.lower.scaling import scaling_of
from core.lower.scope import Scope
from core.lower.source import values


def lower(scope: Scope) -> None:
    """Lower PRELU."""
    slopes = values(scope.op.ifm2)
    if slopes is None:
        _emit_sum_of_halves(scope)
        return
    scale, zero_point = scaling_of(scope.ifm2)
    least, greatest = int(slopes.min()) - zero_point, int(slopes.max()) - zero_point
    if least == greatest:
        factors = scaling_of(scope.ifm).scale, scale, scaling_of(scope.ofm).scale
        emit_leaky(
            scope,
            Slope(real=least * scale, stored=least, scaling=elementwise_mul_scale(*factors)),
        )
    elif greatest * scale < 1:
        scaled = _emit_product(scope, scope.ifm)
        scope.emit(OpKind.MAXIMUM, scaled, scope.ofm, ifm2=emit_rescaled(scope))
    else:
        _emit_sum_of_halves(scope)


def _emit_sum_of_halves(scope: Scope) -> None:
    negative = emit_negative_part(scope)
    emit_sum_with_relu(scope, _emit_product(scope, negative))


def _emit_product(scope: Scope, ifm: View) -> View:
    ofm = scope.ofm
    scaled = scope.temporary("alpha", ofm.shape, scope.dtype(ofm), ofm.quant)
    return scope.emit(OpKind.MUL, ifm, scaled, "alpha", ifm2=scope.ifm2)
