"""Concatenation and stacking: each input is copied to its place in the output.

a, b -> CONCATENATION -> c       becomes   a -> copy -> c[first part]
                                           b -> copy -> c[second part]
a, b -> PACK -> c                the same, with the inputs in the output's rank
"""

from __future__ import annotations

from core.base.geometry import Shape4
from core.ir.npugraph import View
from core.lower.rewrites.activation import emit_activation
from core.lower.rewrites.copying import along, axis_in_four, copy_into
from core.lower.scope import Scope


def lower_concatenation(scope: Scope) -> None:
    """Lower CONCATENATION; its fused activation, if any, comes after the copies."""
    rank = len(scope.op.ofm.shape)
    axis = axis_in_four(scope.op.options.integer("axis"), rank)
    inputs = [scope.input(index) for index in range(len(scope.op.inputs))]
    if scope.op.activation == "NONE":
        _place(scope, inputs, scope.ofm, axis)
        return
    joined = scope.temporary("joined", scope.op.ofm.shape, scope.dtype(scope.ofm), scope.ofm.quant)
    _place(scope, inputs, joined, axis)
    emit_activation(scope, joined, scope.ofm, scope.op.activation)


def lower_pack(scope: Scope) -> None:
    """Lower PACK: each input gets the new axis before it is copied."""
    rank = len(scope.op.ofm.shape)
    axis = scope.op.options.integer("axis") % rank
    inputs = []
    for index, tensor in enumerate(scope.op.inputs):
        shape = () if tensor is None else tensor.shape
        inputs.append(scope.input(index, (*shape[:axis], 1, *shape[axis:])))
    _place(scope, inputs, scope.ofm, axis_in_four(axis, rank))


def _place(scope: Scope, inputs: list[View], ofm: View, axis: int) -> None:
    position = 0
    for index, ifm in enumerate(inputs):
        copy_into(scope, ifm, ofm, along(axis, position), f"part{index}")
        position += Shape4(*ifm.shape)[axis]
