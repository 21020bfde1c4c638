"""Forms of operators that put tensors together along an axis, or take them apart."""

from __future__ import annotations

from math import prod

from core.ir.network import Tensor
from core.lower.forms.form import Forms, Shape, formed, numbers, shaped
from core.lower.slicing import integers
from core.lower.source import SourceOp


def _around(shape: Shape, axis: int) -> tuple[Shape, int]:
    """The shape as a picture, and the axis in it: what is behind it but the last may be in it."""
    outer, behind = prod(shape[:axis]), shape[axis + 1 :]
    if not behind:
        return (
            1,
            prod(shape[: axis - 1]) if axis else 1,
            shape[axis - 1] if axis else 1,
            shape[axis],
        ), 3
    if outer == 1 and len(behind) > 1:
        return (1, shape[axis] * prod(behind[:-2]), *behind[-2:]), 1
    return (1, outer, shape[axis] * prod(behind[:-1]), behind[-1]), 2


def concatenated(op: SourceOp) -> Forms:
    """What is before the axis, the axis with what is behind it, and the last dimension."""
    rank = len(op.ofm.shape)
    axis = op.options.integer("axis")
    given = [tensor for tensor in op.inputs if tensor is not None]
    if not -rank <= axis < rank or len(given) != len(op.inputs):
        return
    if any(len(tensor.shape) != rank for tensor in given):
        return
    inputs = {
        at: shaped(tensor, _around(tensor.shape, axis % rank)[0]) for at, tensor in enumerate(given)
    }
    made, place = _around(op.ofm.shape, axis % rank)
    yield formed(op, inputs, [made], options={"axis": place})


def split(op: SourceOp) -> Forms:
    """The same for SPLIT and SPLIT_V, whose axis is an input."""
    place = 0 if op.kind == "SPLIT" else 2
    ifm, given = op.ifm, integers(op.input(place))
    if ifm is None or given is None or len(given) != 1:
        return
    rank = len(ifm.shape)
    if not -rank <= given[0] < rank or any(len(part.shape) != rank for part in op.outputs):
        return
    axis = given[0] % rank
    shape, seen_axis = _around(ifm.shape, axis)
    inputs: dict[int, Tensor] = {place: numbers("axis", seen_axis)}
    inputs[op.roles.ifm or 0] = shaped(ifm, shape)
    if op.kind == "SPLIT_V":
        sizes = [_around(part.shape, axis)[0][seen_axis] for part in op.outputs]
        inputs[1] = numbers("sizes", sizes)
    yield formed(op, inputs, [_around(part.shape, axis)[0] for part in op.outputs])


def packed(op: SourceOp) -> Forms:
    """What is before the axis, the axis, and what is behind it, its last dimension by itself."""
    rank, axis = len(op.ofm.shape), op.options.integer("axis")
    given = [tensor for tensor in op.inputs if tensor is not None]
    if not -rank <= axis < rank or len(given) != len(op.inputs):
        return
    axis %= rank
    for shape, place in _stacked(op.ofm.shape, axis):
        part = (*shape[:place], *shape[place + 1 :])
        if all(tensor.elements == prod(part) for tensor in given):
            inputs = {at: shaped(tensor, part) for at, tensor in enumerate(given)}
            yield formed(op, inputs, [shape], options={"axis": place})


def unpacked(op: SourceOp) -> Forms:
    """The same the other way round."""
    ifm, axis = op.ifm, op.options.integer("axis")
    if ifm is None or not -len(ifm.shape) <= axis < len(ifm.shape):
        return
    for shape, place in _stacked(ifm.shape, axis % len(ifm.shape)):
        part = (*shape[:place], *shape[place + 1 :])
        if all(tensor.elements == prod(part) for tensor in op.outputs):
            inputs = {0: shaped(ifm, shape)}
            yield formed(op, inputs, [part] * len(op.outputs), options={"axis": place})


def _stacked(shape: Shape, axis: int) -> list[tuple[Shape, int]]:
    outer, behind = prod(shape[:axis]), shape[axis + 1 :]
    found = []
    if outer == 1 and behind:
        found.append(((shape[axis], prod(behind[:-1]), behind[-1]), 0))
    if not behind and axis:
        # Neighbours that lie side by side are read at once.
        before, beside = shape[:axis][:-2], shape[:axis][-2:]
        found.append(((prod(before), prod(beside), shape[axis]), 2))
    return [*found, ((outer, shape[axis], prod(behind)), 1)]
