"""Operators that move elements, leave some out, or repeat them."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from core.base.geometry import ceil_div
from core.check.shapes.asked import (
    Asked,
    Infer,
    Shape,
    Unknown,
    axes_within,
    axis_within,
)


def _reshape(asked: Asked) -> tuple[Shape, ...]:
    given = asked.options.get("new_shape")
    if len(asked.inputs) > 1:
        asked_for = asked.integers(1)
    elif isinstance(given, tuple):
        asked_for = tuple(int(dim) for dim in given if isinstance(dim, int))
    else:
        raise Unknown
    elements = prod(asked.shape())
    rest = prod(dim for dim in asked_for if dim != -1)
    if asked_for.count(-1) > 1 or (-1 in asked_for and not rest):
        raise Unknown
    return (tuple(elements // rest if dim == -1 else dim for dim in asked_for),)


def _squeeze(asked: Asked) -> tuple[Shape, ...]:
    shape, given = asked.shape(), asked.options.get("squeeze_dims")
    named = tuple(axis for axis in given if isinstance(axis, int)) if given else ()  # type: ignore[union-attr]
    axes = axes_within(named, len(shape))
    gone = axes or frozenset(axis for axis, dim in enumerate(shape) if dim == 1)
    return (tuple(dim for axis, dim in enumerate(shape) if axis not in gone),)


def _expand_dims(asked: Asked) -> tuple[Shape, ...]:
    shape = asked.shape()
    axis = axis_within(asked.integer(1), len(shape) + 1)
    return ((*shape[:axis], 1, *shape[axis:]),)


def _transpose(asked: Asked) -> tuple[Shape, ...]:
    shape = asked.shape()
    order = [axis_within(axis, len(shape)) for axis in asked.integers(1)]
    if sorted(order) != list(range(len(shape))):
        raise Unknown
    return (tuple(shape[axis] for axis in order),)


def _pad(asked: Asked) -> tuple[Shape, ...]:
    shape, amounts = asked.shape(), asked.integers(1)
    if len(amounts) != 2 * len(shape):
        raise Unknown
    sides = zip(amounts[::2], amounts[1::2], strict=True)
    return (tuple(dim + sum(pair) for dim, pair in zip(shape, sides, strict=True)),)


def _tile(asked: Asked) -> tuple[Shape, ...]:
    shape, times = asked.shape(), asked.integers(1)
    if len(times) != len(shape):
        raise Unknown
    return (tuple(dim * count for dim, count in zip(shape, times, strict=True)),)


def _slice(asked: Asked) -> tuple[Shape, ...]:
    shape, begin, size = asked.shape(), asked.integers(1), asked.integers(2)
    if not len(shape) == len(begin) == len(size):
        raise Unknown
    parts = zip(shape, begin, size, strict=True)
    return (tuple(dim - at if count == -1 else count for dim, at, count in parts),)


def _strided_slice(asked: Asked) -> tuple[Shape, ...]:
    options, shape = asked.options, asked.shape()
    begin, end, steps = (asked.integers(index) for index in (1, 2, 3))
    is_plain = not (options.integer("ellipsis_mask") or options.integer("new_axis_mask"))
    is_whole = len(begin) == len(end) == len(steps) <= len(shape) and 0 not in steps
    if not is_plain or not is_whole or options.flag("offset"):
        raise Unknown
    masks = [options.integer(f"{name}_mask") for name in ("begin", "end", "shrink_axis")]
    made: list[int] = []
    for axis, dim in enumerate(shape):
        if axis >= len(begin):
            made.append(dim)
            continue
        no_begin, no_end, is_gone = (bool(mask >> axis & 1) for mask in masks)
        if not is_gone:
            first = None if no_begin else begin[axis]
            last = None if no_end else end[axis]
            made.append(len(range(dim)[first : last : steps[axis]]))
    return (tuple(made),)


def _gather(asked: Asked) -> tuple[Shape, ...]:
    if asked.options.integer("batch_dims"):
        raise Unknown
    shape, picks = asked.shape(), asked.tensor(1)
    axis = axis_within(asked.options.integer("axis"), len(shape))
    indices = picks.shape if picks.data is not None else asked.shape(1)
    return ((*shape[:axis], *indices, *shape[axis + 1 :]),)


def _space_to_depth(asked: Asked) -> tuple[Shape, ...]:
    n, h, w, c = asked.image()
    block = _block(asked)
    return ((n, ceil_div(h, block), ceil_div(w, block), c * block * block),)


def _depth_to_space(asked: Asked) -> tuple[Shape, ...]:
    n, h, w, c = asked.image()
    block = _block(asked)
    return ((n, h * block, w * block, c // (block * block)),)


def _space_to_batch(asked: Asked) -> tuple[Shape, ...]:
    shape, blocks, pads = asked.shape(), asked.integers(1), asked.integers(2)
    sizes = _around(shape, blocks, pads)
    inner = [size // block for size, block in zip(sizes, blocks, strict=True)]
    return ((shape[0] * prod(blocks), *inner, *shape[1 + len(blocks) :]),)


def _batch_to_space(asked: Asked) -> tuple[Shape, ...]:
    shape, blocks, crops = asked.shape(), asked.integers(1), asked.integers(2)
    whole = (shape[0], *(dim * block for dim, block in zip(shape[1:], blocks, strict=False)))
    inner = _around(whole, blocks, tuple(-crop for crop in crops))
    return ((shape[0] // prod(blocks), *inner, *shape[1 + len(blocks) :]),)


def _around(shape: Shape, blocks: tuple[int, ...], pads: tuple[int, ...]) -> Shape:
    """The sizes of the dimensions that are taken apart, with what is put around them."""
    if len(pads) != 2 * len(blocks) or not 0 < len(blocks) < len(shape) or min(blocks) < 1:
        raise Unknown
    sides = zip(shape[1:], pads[::2], pads[1::2], strict=False)
    return tuple(dim + before + after for dim, before, after in sides)[: len(blocks)]


def _block(asked: Asked) -> int:
    block = asked.options.integer("block_size")
    if block < 1:
        raise Unknown
    return block


def _broadcast_to(asked: Asked) -> tuple[Shape, ...]:
    return (asked.integers(1),)


def _fill(asked: Asked) -> tuple[Shape, ...]:
    return (asked.integers(0),)


def _shape_of(asked: Asked) -> tuple[Shape, ...]:
    return ((len(asked.shape()),),)


SHAPES: Mapping[str, Infer] = {
    "BATCH_TO_SPACE_ND": _batch_to_space,
    "BROADCAST_TO": _broadcast_to,
    "DEPTH_TO_SPACE": _depth_to_space,
    "EXPAND_DIMS": _expand_dims,
    "FILL": _fill,
    "GATHER": _gather,
    "MIRROR_PAD": _pad,
    "PAD": _pad,
    "PADV2": _pad,
    "RESHAPE": _reshape,
    "SHAPE": _shape_of,
    "SLICE": _slice,
    "SPACE_TO_BATCH_ND": _space_to_batch,
    "SPACE_TO_DEPTH": _space_to_depth,
    "SQUEEZE": _squeeze,
    "STRIDED_SLICE": _strided_slice,
    "TILE": _tile,
    "TRANSPOSE": _transpose,
}
