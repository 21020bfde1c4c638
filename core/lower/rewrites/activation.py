"""Activations that stand alone.

    x -> RELU6 -> y        becomes   x -> average pool of one element, clamped -> y
    x -> LOGISTIC -> y     becomes   x -> ADD 0, with a table -> y                       (8 bits)
                                     x -> average pool of one element, sigmoid -> y      (16 bits)
    x -> EXP -> y          becomes   x -> ADD 0, with a table -> y; so do ELU, GELU and LOG
    x -> NEG -> y          becomes   x -> ADD 0, with a table -> y                       (8 bits)
                                     0 - x -> SUB, without scaling -> y                  (16 bits)

A clamp that rescales stays an operator; one that does not may merge into the one before it.
"""

from __future__ import annotations

import math

import numpy as np

from core.base.dtype import DType
from core.base.errors import InternalError
from core.base.frozen import replace
from core.base.single import single_erfc, single_exp, single_expm1, single_log, single_tanh
from core.ir.npugraph import Activation, OpKind, View
from core.lower.rewrites.lookup import (
    Function,
    Reals,
    emit_function,
    emit_table,
    stored_table,
    stored_values,
)
from core.lower.scaling import (
    UNSCALED,
    Scaling,
    factor,
    have_same_scaling,
    scaling_of,
    single_ratio,
)
from core.lower.scope import Scope, named_activation

_TABLE_TYPES = (DType.INT8, DType.UINT8)

_GELU_CUBIC = 0.044715
"""Coefficient of the cubic term in the approximation of GELU by tanh."""


def lower_relu(scope: Scope) -> None:
    """Lower RELU, RELU6, RELU_0_TO_1 and RELU_N1_TO_1."""
    emit_activation(scope, scope.ifm, scope.ofm, scope.op.kind)


def emit_activation(scope: Scope, ifm: View, ofm: View, name: str) -> View:
    """Add the operator that only clamps, from one feature map into another."""
    alone = _alone(scope, name)
    if have_same_scaling(ifm, ofm):
        return scope.emit_pointwise(OpKind.AVERAGE_POOL, ifm, ofm, name, activation=alone)
    # What rescales is the copy's business, and the activation becomes a part of the copy.
    rescale = factor(single_ratio(scaling_of(ifm).scale, scaling_of(ofm).scale))
    part = replace(alone, stands_alone=False)
    return scope.emit(OpKind.AVERAGE_POOL, ifm, ofm, name, activation=part, scaling=rescale)


def _alone(scope: Scope, name: str) -> Activation:
    activation = named_activation(name)
    if activation is None:
        raise InternalError(f"'{scope.op.name}' has an unknown activation {name}")
    return replace(activation, stands_alone=True)


def lower_logistic(scope: Scope) -> None:
    """Lower LOGISTIC."""
    _lower_saturating(scope, _logistic)


def _logistic(x: Reals) -> Reals:
    """Rounded to single precision at each step: that decides where results are nearly halves."""
    return (np.float32(1) / (np.float32(1) + single_exp(-x).astype(np.float32))).astype(np.float64)


def lower_tanh(scope: Scope) -> None:
    """Lower TANH."""
    _lower_saturating(scope, single_tanh)


def _lower_saturating(scope: Scope, function: Function) -> None:
    """The hardware computes these two for 16 bits; for fewer a table is exact."""
    if scope.dtype(scope.ifm) is scope.dtype(scope.ofm) and scope.dtype(scope.ofm) in _TABLE_TYPES:
        emit_function(scope, function)
    else:
        scope.emit(
            OpKind.AVERAGE_POOL, scope.ifm, scope.ofm, activation=_alone(scope, scope.op.kind)
        )


def lower_exp(scope: Scope) -> None:
    """Lower EXP."""
    emit_function(scope, single_exp)


def lower_elu(scope: Scope) -> None:
    """Lower ELU."""
    emit_function(scope, lambda x: np.where(x < 0, single_expm1(np.minimum(x, 0.0)), x))


def lower_gelu(scope: Scope) -> None:
    """Lower GELU, exact or approximated by tanh."""
    emit_function(scope, _gelu_by_tanh if scope.op.options.flag("approximate") else _gelu)


def _gelu(x: Reals) -> Reals:
    """Rounded to single precision at each step, like the logistic."""
    single = x.astype(np.float32)
    gate = single_erfc((-single * np.float32(math.sqrt(0.5))).astype(np.float64)).astype(np.float32)
    return (np.float32(0.5) * single * gate).astype(np.float64)


def _gelu_by_tanh(x: Reals) -> Reals:
    single = x.astype(np.float32)
    with np.errstate(over="ignore"):
        at = single + np.float32(_GELU_CUBIC) * single * single * single
        scaled = np.float32(math.sqrt(2 / math.pi)) * at
    gate = np.float32(1) + single_tanh(scaled.astype(np.float64)).astype(np.float32)
    return (np.float32(0.5) * single * gate).astype(np.float64)


def lower_log(scope: Scope) -> None:
    """Lower LOG."""
    emit_function(scope, logarithm(scope.dtype(scope.ofm), scaling_of(scope.ofm)))


def logarithm(dtype: DType, made: Scaling) -> Function:
    """The logarithm; what has none gives the least output."""
    least = (dtype.limits[0] - made.zero_point) * made.scale
    return lambda x: np.where(x > 0, single_log(np.where(x > 0, x, 1.0)), least)


def lower_neg(scope: Scope) -> None:
    """Lower NEG: like the reference, of the stored values, whatever the quantisations say."""
    ifm, ofm, dtype = scope.ifm, scope.ofm, scope.dtype(scope.ofm)
    if dtype is DType.UINT8:
        # The reference has no such kernel, and the negative of a stored value has no meaning.
        emit_function(scope, np.negative)
        return
    if dtype is DType.INT8:
        low, _ = dtype.limits
        negated = -stored_values(dtype)
        # The reference's negation of the least value overflows back to itself.
        emit_table(scope, stored_table(dtype, np.where(negated == -low, low, negated)))
        return
    zero = scope.constant("zero", 0, dtype, UNSCALED, shape=())
    plain = replace(ifm, quant=UNSCALED)
    scope.emit(OpKind.SUB, zero, replace(ofm, quant=UNSCALED), ifm2=plain)
