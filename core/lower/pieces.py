"""Operators that are done part by part, such as one picture of a batch after the other.

a of 3xHxWxC -> CONV_2D -> b      becomes   a[first picture] -> CONV_2D -> copy -> b[first picture]
                                            and so on; copies go where their makers can do without

Parts lie behind each other, so that all of them are one map of as many times the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.base.ids import FmId, TensorId
from core.ir.network import Tensor
from core.ir.npugraph import View
from core.lower.draft import quant_of
from core.lower.rewrites.copying import along, copy_into
from core.lower.scope import Scope
from core.lower.source import SourceOp

_HEIGHT = 1


def emit_pieces(scope: Scope, rewrite: Callable[[Scope], None]) -> None:
    """Lower an operator, once for each of its pieces."""
    if scope.op.pieces == 1:
        rewrite(scope)
        return
    for piece in range(scope.op.pieces):
        op = _named(scope.op, piece)
        given = {
            number: _given(scope, number, tensor, piece)
            for number, tensor in zip(op.operator.inputs, op.inputs, strict=True)
            if number is not None and tensor is not None
        }
        made = {
            number: scope.draft.new_fm(tensor.name, tensor.shape, tensor.dtype, quant_of(tensor))
            for number, tensor in zip(op.operator.outputs, op.outputs, strict=True)
        }
        rewrite(replace(scope, op=op, maps={**scope.maps, **given, **made}))
        for number, tensor in zip(op.operator.outputs, op.outputs, strict=True):
            part = scope.draft.view(made[number], tensor.shape)
            whole = _whole(scope, number, tensor)
            copy_into(scope, part, whole, along(_HEIGHT, piece * part.shape.h), f"piece{piece}")


def _named(op: SourceOp, piece: int) -> SourceOp:
    made = tuple(replace(tensor, name=f"{tensor.name}_{piece}") for tensor in op.outputs)
    return replace(op, outputs=made, pieces=1)


def _given(scope: Scope, number: TensorId, tensor: Tensor, piece: int) -> FmId:
    """An input's part, or all of it where it is the same for every piece."""
    whole = scope.draft.feature_maps[scope.maps[number]]
    if prod(whole.shape) == tensor.elements:
        return whole.id
    quant, name = quant_of(tensor), f"{tensor.name}_{piece}"
    if whole.data is not None:
        array = whole.data.array.reshape(scope.op.pieces, *tensor.shape)[piece]
        return scope.draft.new_constant(name, array, tensor.dtype, quant, tensor.shape)
    part = scope.draft.view(scope.draft.new_fm(name, tensor.shape, tensor.dtype, quant))
    at = along(_HEIGHT, piece * part.shape.h)
    source = replace(_whole(scope, number, tensor), offset=at, extent=part.shape)
    scope.emit_slice(source, part)
    return part.fm


def _whole(scope: Scope, number: TensorId, tensor: Tensor) -> View:
    """All pieces below each other."""
    n, h, w, c = Shape4.of(tensor.shape)
    shape = Shape4(n, scope.op.pieces * h, w, c)
    return scope.draft.view(scope.maps[number], shape, quant_of(tensor))
