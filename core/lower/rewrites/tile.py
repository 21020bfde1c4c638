"""TILE: copies of the input beside each other, along one axis after the other.

    a -> TILE 1x2x3x1 -> b      becomes   a -> three copies along the width -> t
                                          t -> two copies along the height  -> b

    a -> TILE of rows -> TILE of columns    becomes   a -> as many doublings of both as that takes

The inner axes come first: a later copy then takes along what the earlier ones have made. A tensor
of more than four dimensions is seen as what lies before an axis, the axis, and what lies behind it;
with nothing before the axis, copies of the whole lie below each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.errors import InternalError
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.lower.rewrites.copying import along, copy_into
from core.lower.rewrites.mean import emit_plain_copy
from core.lower.rewrites.resize import emit_nearest
from core.lower.scope import Scope
from core.lower.slicing import integers
from core.lower.source import SourceOp
from core.lower.tiles import Repetition, enlarged, tile_steps

_HEIGHT, _WIDTH = 1, 2


def lower(scope: Scope) -> None:
    """Lower TILE."""
    multiples = integers(scope.op.input(1)) or ()
    if scope.absorbed is not None:
        _enlarge(scope, scope.absorbed)
    elif max(multiples, default=1) == 1:
        emit_plain_copy(scope)
    elif len(multiples) > len(Shape4._fields):
        _along_each_axis(scope, multiples)
    else:
        _in_four_dimensions(scope, Shape4.of(multiples))


def repetition(op: SourceOp) -> Repetition:
    """What a TILE repeats, and how often."""
    return Repetition(() if op.ifm is None else op.ifm.shape, integers(op.input(1)) or ())


def _enlarge(scope: Scope, before: SourceOp) -> None:
    """Repeat rows and columns of what the TILE before reads."""
    found = enlarged(repetition(before), repetition(scope.op))
    if found is None:
        raise InternalError(f"'{scope.op.name}' took over a TILE that it does not go with")
    picture, times = found
    made = picture.with_hw(picture.h * times, picture.w * times)
    ofm = replace(scope.ofm, shape=made)
    ifm = scope.draft.view(scope.map_of(before.input_id(0)), picture, ofm.quant)
    emit_nearest(scope, ifm, ofm)


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
    steps = tile_steps(() if tensor is None else tensor.shape, multiples)
    for number, step in enumerate(steps, 1):
        ofm = replace(scope.ofm, shape=step.made)
        if number < len(steps):
            ofm = scope.temporary(f"axis{number}", step.made, scope.dtype(ofm), ofm.quant)
        axis = _HEIGHT if step.is_below else _WIDTH
        for copy in range(step.times):
            at = along(axis, copy * step.picture[axis])
            copy_into(scope, replace(view, shape=step.picture), ofm, at, f"axis{number}_{copy}")
        view = ofm
