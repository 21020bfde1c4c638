"""How an operator in another form is made of the file's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.ir.constdata import ConstData
from core.ir.network import FieldValue, Table, Tensor
from core.lower.source import SourceOp

Shape = tuple[int, ...]
Forms = Iterator[SourceOp]
"""In the order in which they are tried."""

MOST_PIECES = 1024
"""Of an operator: with many more, the stream and the search for it would take very long."""


def formed(
    op: SourceOp,
    inputs: Mapping[int, Tensor],
    outputs: Sequence[Shape],
    *,
    options: Mapping[str, FieldValue] | None = None,
    pieces: int = 1,
) -> SourceOp:
    """The operator with some other inputs, its outputs in these shapes, and some other options."""
    given = tuple(inputs.get(index, tensor) for index, tensor in enumerate(op.inputs))
    made = (shaped(tensor, shape) for tensor, shape in zip(op.outputs, outputs, strict=True))
    operator = op.operator
    if options is not None and operator.options is not None:
        fields = {**dict(operator.options.fields), **options}
        table = replace(operator.options, fields=tuple(fields.items()))
        operator = replace(operator, options=table)
    return replace(op, operator=operator, inputs=given, outputs=tuple(made), pieces=pieces)


def turned_into(op: SourceOp, kind: str, given: Sequence[Tensor], made: Shape) -> SourceOp:
    """An operator of another kind without options, of the same first input."""
    operator = replace(
        op.operator,
        kind=kind,
        inputs=(op.operator.inputs[0], *[None] * (len(given) - 1)),
        options=Table(kind=f"{kind.title().replace('_', '')}Options", fields=()),
    )
    output = shaped(op.outputs[0], made)
    return replace(op, operator=operator, inputs=tuple(given), outputs=(output,))


def shaped(tensor: Tensor, shape: Shape) -> Tensor:
    """A tensor in another shape."""
    if tensor.shape == shape:
        return tensor
    data = tensor.data
    if data is not None:
        data = ConstData.of(data.array.reshape(shape))
    return replace(tensor, shape=shape, data=data)


def numbers(name: str, values: Sequence[int] | Sequence[Sequence[int]] | int) -> Tensor:
    """A constant of plain integers."""
    array = np.asarray(values, np.int32)
    return Tensor(name=name, shape=array.shape, dtype=DType.INT32, data=ConstData.of(array))


def in_three(shape: Shape) -> Shape:
    """The same elements as rows of pixels of the last dimension."""
    if len(shape) < 3:
        return (*[1] * (3 - len(shape)), *shape)
    return (prod(shape[:-2]), *shape[-2:])


def divided(count: int, most: int) -> int | None:
    """The least number of equal parts of which none is longer than that."""
    least = -(-count // most)
    return next(
        (parts for parts in range(least, min(count, MOST_PIECES) + 1) if count % parts == 0), None
    )
