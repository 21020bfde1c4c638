"""TILE: copies of the input beside each other, along one axis after the other.

    a -> TILE 1x2x3x1 -> b      becomes   a -> three copies along the width -> t
                                          t -> two copies along the height  -> b

The inner axes come first: a later copy then takes along what the earlier ones have made.
"""

from __future__ import annotations

from core.base.geometry import Shape4
from core.lower.rewrites.copying import along, copy_into
from core.lower.rewrites.mean import emit_plain_copy
from core.lower.scope import Scope
from core.lower.slicing import integers


def lower(scope: Scope) -> None:
    """Lower TILE."""
    multiples = Shape4.of(integers(scope.op.input(1)) or ())
    repeated = [axis for axis in (3, 2, 1) if multiples[axis] > 1]
    if not repeated:
        emit_plain_copy(scope)
        return
    view = scope.ifm
    for axis in repeated:
        size, times = view.shape[axis], multiples[axis]
        shape = view.shape.plus(along(axis, size * (times - 1)))
        ofm = scope.ofm
        if axis != repeated[-1]:
            ofm = scope.temporary(f"axis{axis}", shape, scope.dtype(ofm), ofm.quant)
        for copy in range(times):
            copy_into(scope, view, ofm, along(axis, copy * size), f"axis{axis}_{copy}")
        view = ofm
