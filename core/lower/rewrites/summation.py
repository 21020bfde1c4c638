"""SUM: what MEAN does, without the division.

    a -> SUM -> b      becomes   a -> sums of 32 bits -> s,  s -> MUL factor -> b
                                 a -> sums, with the factor -> b, where one operator makes them
                                 a -> copy -> b, where nothing is left to reduce

See `reduction` for the sums.
"""

from __future__ import annotations

from core.base.fixedpoint import quantise_scale
from core.base.frozen import replace
from core.lower.rewrites.mean import emit_plain_copy, emit_scaled
from core.lower.rewrites.reduction import Reduction, emit_scaled_sums, emit_sums
from core.lower.scaling import scaling_of, single_ratio
from core.lower.scope import Scope


def lower(scope: Scope) -> None:
    """Lower SUM."""
    reduction = Reduction.of(scope)
    if reduction.count == 1:
        emit_plain_copy(scope)
        return
    factor = quantise_scale(single_ratio(scaling_of(scope.ifm).scale, scaling_of(scope.ofm).scale))
    if emit_scaled_sums(scope, reduction, factor) is not None:
        return
    sums = emit_sums(scope, reduction)
    ofm = replace(scope.ofm, shape=sums.shape)
    emit_scaled(scope, sums, ofm, factor)
