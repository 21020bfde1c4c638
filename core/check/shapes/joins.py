"""Operators that put tensors together along an axis, or take them apart."""

from __future__ import annotations

from collections.abc import Mapping

from core.check.shapes.asked import Asked, Infer, Shape, Unknown, axis_within, with_dimension


def _concatenation(asked: Asked) -> tuple[Shape, ...]:
    parts = asked.shapes()
    if not parts:
        raise Unknown
    axis = axis_within(asked.options.integer("axis"), len(parts[0]))
    frames = {with_dimension(part, axis, 0) for part in parts if len(part) == len(parts[0])}
    if len(frames) != 1 or {len(part) for part in parts} != {len(parts[0])}:
        raise Unknown
    return (with_dimension(parts[0], axis, sum(part[axis] for part in parts)),)


def _pack(asked: Asked) -> tuple[Shape, ...]:
    parts = asked.shapes()
    if len(set(parts)) != 1:
        raise Unknown
    axis = axis_within(asked.options.integer("axis"), len(parts[0]) + 1)
    return ((*parts[0][:axis], len(parts), *parts[0][axis:]),)


def _unpack(asked: Asked) -> tuple[Shape, ...]:
    shape = asked.shape()
    axis = axis_within(asked.options.integer("axis"), len(shape))
    return ((*shape[:axis], *shape[axis + 1 :]),) * len(asked.outputs)


def _split(asked: Asked) -> tuple[Shape, ...]:
    shape, count = asked.shape(1), asked.options.integer("num_splits")
    axis = axis_within(asked.integer(0), len(shape))
    if count < 1:
        raise Unknown
    return (with_dimension(shape, axis, shape[axis] // count),) * len(asked.outputs)


def _split_by_sizes(asked: Asked) -> tuple[Shape, ...]:
    shape, sizes = asked.shape(), asked.integers(1)
    axis = axis_within(asked.integer(2), len(shape))
    if len(sizes) != len(asked.outputs):
        raise Unknown
    rest = shape[axis] - sum(size for size in sizes if size != -1)
    return tuple(with_dimension(shape, axis, rest if size == -1 else size) for size in sizes)


SHAPES: Mapping[str, Infer] = {
    "CONCATENATION": _concatenation,
    "PACK": _pack,
    "SPLIT": _split,
    "SPLIT_V": _split_by_sizes,
    "UNPACK": _unpack,
}
