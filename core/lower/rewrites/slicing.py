"""Operators that take parts of their input.

    a -> SPLIT -> b, c              becomes   b is a[first part], c is a[second part]
    a -> STRIDED_SLICE -> b         becomes   b is a[box], every second row, ...

Who reads b then reads the part of a itself, where the hardware can; else the part is copied.
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import ORIGIN, Shape4
from core.lower.aliases import is_reshape
from core.lower.rewrites import reshape
from core.lower.rewrites.copying import along, axis_in_four
from core.lower.scope import Scope
from core.lower.slicing import slice_box
from core.lower.source import axis_of


def lower_split(scope: Scope) -> None:
    """Lower SPLIT and SPLIT_V; into one part, nothing is split."""
    if is_reshape(scope.op):
        reshape.lower(scope)
        return
    ifm = scope.ifm
    axis_input = 0 if scope.op.kind == "SPLIT" else 2
    tensor = scope.op.ifm
    rank = 4 if tensor is None else len(tensor.shape)
    axis = axis_in_four(axis_of(scope.op.input(axis_input)), rank)
    position = 0
    for index in range(len(scope.op.outputs)):
        ofm = scope.output(index)
        part = replace(ifm, offset=along(axis, position), extent=ofm.shape)
        scope.emit_slice(part, ofm)
        position += Shape4(*ofm.shape)[axis]


def lower_unpack(scope: Scope) -> None:
    """Lower UNPACK: parts of one element along an axis that the outputs do not have."""
    ifm, tensor = scope.ifm, scope.op.ifm
    rank = 4 if tensor is None else len(tensor.shape)
    axis = scope.op.options.integer("axis") % rank
    for index, output in enumerate(scope.op.outputs):
        shape = Shape4.of((*output.shape[:axis], 1, *output.shape[axis:]))
        ofm = replace(scope.output(index), shape=shape)
        part = replace(ifm, offset=along(axis_in_four(axis, rank), index), extent=shape)
        scope.emit_slice(part, ofm)


def lower_slice(scope: Scope) -> None:
    """Lower SLICE and STRIDED_SLICE."""
    box = slice_box(scope.op)
    begin = Shape4.of(box.begin, fill=0)
    steps = Shape4.of(box.strides)
    taken = [
        -(-(end - start) // step)
        for start, end, step in zip(box.begin, box.end, box.strides, strict=True)
    ]
    extent = Shape4.of(taken)
    # The output may lack axes of one element, or have some more: its bytes are the same.
    ofm = replace(scope.ofm, shape=extent)
    offset = None if begin == ORIGIN and extent == scope.ifm.shape else begin
    part = replace(
        scope.ifm,
        offset=offset,
        extent=None if offset is None else extent,
        step_h=steps.h,
        step_w=steps.w,
    )
    scope.emit_slice(part, ofm)
