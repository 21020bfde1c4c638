"""Adds the operators of a window that moves over a map, however long its strides are."""

from __future__ import annotations

from core.lower.rewrites.convolution import Convolution
from core.lower.rewrites.long_stride import with_short_strides
from core.lower.scope import Scope


def emit_convolution(scope: Scope, convolution: Convolution, name: str = "") -> None:
    """Add what a finished convolution describes."""
    for place, part in with_short_strides(convolution, scope.limits.longest_stride):
        scope.emit(
            part.kind,
            part.ifm,
            part.ofm,
            "_".join(filter(None, (name, place))),
            kernel=part.kernel,
            padding=part.settled_padding,
            weights=part.weights,
            activation=scope.fused_activation,
            rounding=part.rounding,
            resampling=part.resampling,
        )


def emit_pool(scope: Scope, pool: Convolution) -> None:
    """Add a pooling whose window needs no weights."""
    for place, part in with_short_strides(pool, scope.limits.longest_stride):
        scope.emit(
            part.kind,
            part.ifm,
            part.ofm,
            place,
            kernel=part.kernel,
            padding=part.settled_padding,
            activation=scope.fused_activation,
        )
