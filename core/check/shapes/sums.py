"""Operators that take many elements together: reductions, matrix products, recurrent cells."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from core.check.shapes.asked import Asked, Infer, Shape, Unknown, axes_within, axis_within
from core.check.shapes.elementwise import broadcast

_REDUCTIONS = (
    *("MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "SUM"),
)
_STATE_WEIGHTS = 8
"""Place of an LSTM's weights from its state to the output gate, a row for each cell."""


def _reduction(asked: Asked) -> tuple[Shape, ...]:
    shape = asked.shape()
    axes = axes_within(asked.integers(1), len(shape))
    if asked.options.flag("keep_dims"):
        return (tuple(1 if axis in axes else dim for axis, dim in enumerate(shape)),)
    return (tuple(dim for axis, dim in enumerate(shape) if axis not in axes),)


def _extreme_place(asked: Asked) -> tuple[Shape, ...]:
    shape = asked.shape()
    axis = axis_within(asked.integer(1), len(shape))
    return ((*shape[:axis], *shape[axis + 1 :]),)


def _fully_connected(asked: Asked) -> tuple[Shape, ...]:
    shape, weights = asked.shape(), asked.shape(1)
    if len(weights) != 2 or not weights[1] or asked.options.integer("weights_format"):
        raise Unknown
    if asked.options.flag("keep_num_dims"):
        return ((*shape[:-1], weights[0]),)
    return ((prod(shape) // weights[1], weights[0]),)


def _matrix_product(asked: Asked) -> tuple[Shape, ...]:
    first, second = asked.shape(0), asked.shape(1)
    if min(len(first), len(second)) < 2:
        raise Unknown
    rows = first[-1 if asked.options.flag("adj_x") else -2]
    columns = second[-2 if asked.options.flag("adj_y") else -1]
    return ((*broadcast(first[:-2], second[:-2]), rows, columns),)


def _lstm(asked: Asked) -> tuple[Shape, ...]:
    shape, weights = asked.shape(), asked.shape(_STATE_WEIGHTS)
    return ((*shape[:-1], weights[-1]),)


SHAPES: Mapping[str, Infer] = {
    **dict.fromkeys(_REDUCTIONS, _reduction),
    "ARG_MAX": _extreme_place,
    "ARG_MIN": _extreme_place,
    "BATCH_MATMUL": _matrix_product,
    "FULLY_CONNECTED": _fully_connected,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}
