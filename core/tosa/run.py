"""Computes a graph operator by operator, as the specification defines each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from core.base.errors import InputError, UnsupportedOperator
from core.base.progress import SILENT, Progress
from core.ir.tosa import Element, TosaGraph, TosaOperator
from core.tosa import elementwise, moves, reductions, scaling, windows
from core.tosa.call import Array, Call, Rule, Unpredictable

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "ABS": elementwise.absolute,
        "ADD": elementwise.summed(np.add),
        "ARGMAX": reductions.argmax,
        "ARITHMETIC_RIGHT_SHIFT": elementwise.arithmetic_right_shift,
        "AVG_POOL2D": windows.avg_pool2d,
        "BITWISE_AND": elementwise.combined(np.bitwise_and),
        "BITWISE_NOT": elementwise.inverted,
        "BITWISE_OR": elementwise.combined(np.bitwise_or),
        "BITWISE_XOR": elementwise.combined(np.bitwise_xor),
        "CAST": elementwise.cast,
        "CLAMP": elementwise.clamp,
        "CLZ": elementwise.count_leading_zeros,
        "CONCAT": moves.concat,
        "CONV2D": windows.conv2d,
        "DEPTHWISE_CONV2D": windows.depthwise,
        "EQUAL": elementwise.combined(np.equal),
        "GATHER": moves.gather,
        "GREATER": elementwise.combined(np.greater),
        "GREATER_EQUAL": elementwise.combined(np.greater_equal),
        "IDENTITY": moves.identity,
        "INTDIV": elementwise.intdiv,
        "LOGICAL_AND": elementwise.combined(np.logical_and),
        "LOGICAL_LEFT_SHIFT": elementwise.logical_left_shift,
        "LOGICAL_NOT": elementwise.inverted,
        "LOGICAL_OR": elementwise.combined(np.logical_or),
        "LOGICAL_RIGHT_SHIFT": elementwise.logical_right_shift,
        "LOGICAL_XOR": elementwise.combined(np.logical_xor),
        "MATMUL": reductions.matmul,
        "MAXIMUM": elementwise.combined(np.maximum),
        "MAX_POOL2D": windows.max_pool2d,
        "MINIMUM": elementwise.combined(np.minimum),
        "MUL": scaling.multiply,
        "NEGATE": elementwise.negate,
        "PAD": moves.pad,
        "REDUCE_ALL": reductions.reduced(np.all),
        "REDUCE_ANY": reductions.reduced(np.any),
        "REDUCE_MAX": reductions.reduced(np.max),
        "REDUCE_MIN": reductions.reduced(np.min),
        "REDUCE_SUM": reductions.reduce_sum,
        "RESCALE": scaling.rescale,
        "RESHAPE": moves.reshape,
        "RESIZE": windows.resize,
        "REVERSE": moves.reverse,
        "SCATTER": moves.scatter,
        "SELECT": elementwise.select,
        "SLICE": moves.slice_,
        "SUB": elementwise.summed(np.subtract),
        "TABLE": scaling.table,
        "TILE": moves.tile,
        "TRANSPOSE": moves.transpose,
        "TRANSPOSE_CONV2D": windows.transpose_conv2d,
    }
)
"""By kind of operator; those that are not here are refused by name."""

Values = Mapping[int, Array]


def demand_known(graph: TosaGraph) -> None:
    """Refuse a graph with operators of which nothing is known, before there is work."""
    for op in graph.operators:
        if op.kind not in RULES:
            raise UnsupportedOperator(
                op.kind, "a graph has operators of the integer profile", "it is not one of them"
            )
        if len(op.outputs) != 1:
            raise InputError(f"has {len(op.outputs)} outputs, where it makes 1", op.kind)


def run(graph: TosaGraph, inputs: Sequence[Array], progress: Progress = SILENT) -> dict[int, Array]:
    """All tensors of a graph, by their numbers; Unpredictable where nothing says what they are."""
    demand_known(graph)
    values = constants(graph)
    for number, given in zip(graph.inputs, inputs, strict=True):
        values[number] = given
    total = len(graph.operators)
    for number, op in enumerate(graph.operators):
        progress.advance("TOSA", number, total)
        try:
            values[op.outputs[0]] = compute(graph, op, values)
        except Unpredictable as error:
            raise Unpredictable(f"{graph.title(number)}: {error}") from error
    return values


def constants(graph: TosaGraph) -> dict[int, Array]:
    """What does not depend on inputs."""
    tensors = enumerate(graph.tensors)
    return {at: tensor.data.array for at, tensor in tensors if tensor.data is not None}


def compute(graph: TosaGraph, op: TosaOperator, values: Values) -> Array:
    """What one operator makes of its inputs."""
    made = graph.tensors[op.outputs[0]]
    call = Call(
        kind=op.kind,
        inputs=tuple(values[number] for number in op.inputs),
        elements=tuple(graph.tensors[number].element for number in op.inputs),
        attribute=op.attribute,
        shape=made.shape,
        element=made.element,
    )
    if not call.inputs:
        raise call.refuse("has no input")
    result = RULES[op.kind](call)
    call.demand_shape(*result.shape)
    if result.dtype != np.dtype(made.element.numpy):
        told = Element.BOOL.name if result.dtype == np.bool_ else result.dtype.name
        raise call.refuse(f"makes {told.lower()}, where the graph has {made.element.name.lower()}")
    return np.ascontiguousarray(result)
