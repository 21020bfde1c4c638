"""REVERSE_V2 along the height or the width: a copy that is written backwards.

a -> REVERSE_V2 -> b      becomes   a -> copy -> b, from the last row or column on
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import ORIGIN
from core.ir.npugraph import LinearReason, OpKind
from core.lower.rewrites.reduction import reduced_axes
from core.lower.scope import Scope

HEIGHT = 1


def lower(scope: Scope) -> None:
    """Lower REVERSE_V2."""
    ifm, ofm = scope.ifm, scope.ofm
    _, h, w, c = ifm.shape
    is_vertical = HEIGHT in reduced_axes(scope)
    pixels = (h - 1) * w if is_vertical else w - 1
    scope.draft.must_be_linear(ofm.fm, LinearReason.WRITTEN_BACKWARDS)
    scope.emit(
        OpKind.AVERAGE_POOL,
        ifm,
        replace(
            ofm,
            shape=ifm.shape,
            offset=ORIGIN,
            extent=ifm.shape,
            step_h=-1 if is_vertical else 1,
            step_w=1 if is_vertical else -1,
            base_offset_bytes=pixels * c * scope.dtype(ofm).size_bytes,
        ),
    )
