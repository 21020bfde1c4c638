"""MEAN: a sum, and a product that divides and rescales it.

    a -> MEAN -> b      becomes   a -> sums of 32 bits -> s,  s -> MUL factor -> b
                                  a -> sums, with the factor -> b, where one operator makes them
                                  a -> copy -> b, where nothing is left to reduce

See `reduction` for the sums.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier, quantise_scale
from core.base.frozen import replace
from core.ir.npugraph import ExplicitScaling, OpKind, Rounding, View
from core.lower.rewrites.reduction import Reduction, emit_scaled_sums, emit_sums
from core.lower.scaling import have_same_scaling, scaling_of
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower MEAN."""
    reduction = Reduction.of(scope)
    if reduction.count == 1:
        emit_plain_copy(scope)
        return
    given, made = scaling_of(scope.ifm), scaling_of(scope.ofm)
    factor = mean_factor(given.scale / made.scale, reduction.count)
    if emit_scaled_sums(scope, reduction, factor) is not None:
        return
    sums = emit_sums(scope, reduction)
    ofm = replace(scope.ofm, shape=sums.shape)
    emit_scaled(scope, sums, ofm, factor)


def emit_plain_copy(scope: Scope) -> View:
    """Add a copy of the input's elements in their order, rescaled where need be."""
    ifm = scope.ifm
    ofm = replace(scope.ofm, shape=ifm.shape)
    is_plain = have_same_scaling(ifm, ofm) and scope.dtype(ifm) is scope.dtype(ofm)
    return scope.emit(OpKind.COPY if is_plain else OpKind.AVERAGE_POOL, ifm, ofm)


def mean_factor(scale: float, count: int) -> Multiplier:
    """The factor that rescales a sum and divides it, as precisely as the reference does."""
    multiplier, shift = quantise_scale(scale)
    kept = max(min(count.bit_length() - 1, 32, 62 - shift), 0)
    return Multiplier((multiplier << kept) // count, shift + kept)


def emit_scaled(
    scope: Scope,
    sums: View,
    ofm: View,
    factor: Multiplier,
    rounding: Rounding = Rounding.DOUBLE,
    stored: View | None = None,
) -> View:
    """Add the product of 32-bit sums and a factor, of which one may be stored for many."""
    constant = stored_factor(scope, factor) if stored is None else stored
    # A product of 32-bit values is shifted, not scaled: the multiplier is one of its factors.
    return scope.emit(
        OpKind.MUL,
        sums,
        ofm,
        "mul",
        ifm2=constant,
        scaling=ExplicitScaling(multiplier=1, shift=factor.shift),
        rounding=rounding,
        activation=scope.fused_activation,
    )


def stored_factor(scope: Scope, factor: Multiplier) -> View:
    """The constant by which sums are multiplied."""
    return scope.constant("factor", factor.multiplier, DType.INT32)
