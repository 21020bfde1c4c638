"""TILE: copies of the input beside each other, along one axis after the other.

    a -> TILE 1x2x3x1 -> b      becomes   a -> three copies along the width -> t
                                          t -> two copies along the height  -> b

The inner axes come first: a later copy then takes along what the earlier ones have made. A tensor
of more than four dimensions is seen as what lies before an axis, the axis, and what lies behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.lower.rewrites.copying import along, copy_into
from core.lower.rewrites.mean import emit_plain_copy
from core.lower.scope import Scope
from core.lower.slicing import integers
from core.lower.tiles import tile_pictures

_WIDTH = 2


def lower(scope: Scope) -> None:
    """Lower TILE."""
    multiples = integers(scope.op.input(1)) or ()
    if max(multiples, default=1) == 1:
        emit_plain_copy(scope)
    elif len(multiples) > len(Shape4._fields):
        _along_each_axis(scope, multiples)
    else:
        _in_four_dimensions(scope, Shape4.of(multiples))


def _in_four_dimensions(scope: Scope, multiples: Shape4) -> None:
    repeated = [axis for axis in (3, 2, 1) if multiples[axis] > 1]
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


def _along_each_axis(scope: Scope, multiples: Sequence[int]) -> None:
    view, tensor = scope.ifm, scope.op.ifm
    pictures = tile_pictures(() if tensor is None else tensor.shape, multiples)
    for step, (picture, times) in enumerate(pictures, 1):
        made = picture.with_hw(picture.h, picture.w * times)
        ofm = replace(scope.ofm, shape=made)
        if step < len(pictures):
            ofm = scope.temporary(f"axis{step}", made, scope.dtype(ofm), ofm.quant)
        for copy in range(times):
            at = along(_WIDTH, copy * picture.w)
            copy_into(scope, replace(view, shape=picture), ofm, at, f"axis{step}_{copy}")
        view = ofm
