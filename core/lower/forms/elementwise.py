"""Forms of operators that work on elements, each by itself or beside another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.network import Tensor
from core.lower.forms.form import Forms, Shape, divided, formed, in_three, shaped
from core.lower.source import SourceOp

_LONGEST = 1 << 16
_MOST_GROUPS = 3


def alone(op: SourceOp) -> Forms:
    """All dimensions but the last two are one; or any three, as only the number counts."""
    if op.ifm is None or op.ifm.shape != op.ofm.shape:
        return
    for shape in (in_three(op.ifm.shape), _balanced(op.ifm.elements)):
        if shape is not None:
            yield formed(op, {0: shaped(op.ifm, shape)}, [shape])


def _balanced(elements: int) -> Shape | None:
    """Three dimensions of which none is too long."""
    rows = divided(elements, _LONGEST)
    if rows is None:
        return None
    return (rows, 1, elements // rows)


def together(op: SourceOp) -> Forms:
    """Neighbouring dimensions along which the same inputs are spread are one."""
    given = [tensor for tensor in op.inputs if tensor is not None]
    if len(given) != 2 or len(op.inputs) != 2:
        return
    made = op.ofm.shape
    if not made or any(len(tensor.shape) > len(made) for tensor in given):
        return
    aligned = [(*[1] * (len(made) - len(tensor.shape)), *tensor.shape) for tensor in given]
    if any(
        one not in (1, size) for shape in aligned for one, size in zip(shape, made, strict=True)
    ):
        return
    scalars = [tensor.shape == () for tensor in given]
    groups = _groups(made, aligned, _MOST_GROUPS)
    if groups is None:
        if not any(scalars):
            yield from _by_rows(op, given, aligned)
        return
    shapes = [
        tuple(prod(each[at] for at in group) for group in groups) for each in (*aligned, made)
    ]
    inputs = {
        index: given[index] if scalars[index] else shaped(given[index], shapes[index])
        for index in range(2)
    }
    yield formed(op, inputs, shapes[2:])


def _by_rows(op: SourceOp, given: Sequence[Tensor], aligned: Sequence[Shape]) -> Forms:
    """Row by row of the first dimension, which both inputs have or one of them is spread along."""
    groups = _groups(op.ofm.shape, aligned, 1) or []
    shapes = [
        tuple(prod(shape[at] for at in group) for group in groups)
        for shape in (*aligned, op.ofm.shape)
    ]
    rows, parts = shapes[2][0], [(1, *shape[1:]) for shape in shapes]
    inputs = {index: _row(given[index], parts[index]) for index in range(2)}
    yield formed(op, inputs, parts[2:], pieces=rows)


def _row(tensor: Tensor, shape: Shape) -> Tensor:
    """A row of a tensor; of a constant, which has its numbers, the first one."""
    data = tensor.data
    if data is not None:
        data = ConstData.of(data.array.reshape(-1, *shape)[0])
    return replace(tensor, shape=shape, data=data)


def _groups(made: Shape, given: Sequence[Shape], most: int) -> list[list[int]] | None:
    """Runs of dimensions, the last of them as short as can be: so many at most, or where that is
    one, as few as can be."""
    spread = [tuple(shape[axis] == 1 != made[axis] for shape in given) for axis in range(len(made))]
    groups = [[axis] for axis in range(len(made)) if made[axis] > 1] or [[0]]
    while len(groups) > most:
        pair = next(
            (at for at, (a, b) in enumerate(pairwise(groups)) if spread[a[0]] == spread[b[0]]),
            None,
        )
        if pair is None:
            return groups if most == 1 else None
        groups[pair : pair + 2] = [groups[pair] + groups[pair + 1]]
    return groups
