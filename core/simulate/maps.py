"""Feature maps in memory: elements gathered from their tiles, and put back."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import NamedTuple
from core.base.geometry import Box, ceil_div
from core.ir.program import MapUse
from core.simulate.memory import Memory, Piece
from core.target.format import BRICK_DEPTH, Format

Values = npt.NDArray[Any]
"""Elements by row, column and channel."""


class _Part(NamedTuple):
    """A piece of memory, and what of the map is in it."""

    piece: Piece
    rows: slice
    columns: slice
    bricks: slice
    channels: slice
    """Within a brick."""


def read_map(memory: Memory, use: MapUse, what: str) -> Values:
    """The elements of a map; a view of memory where they lie in one piece."""
    parts, dtype = _parts(use, whole_of(use)), np.dtype(use.dtype.numpy)
    if use.format is Format.LINEAR and len(parts) == 1:
        return memory.reading(use.region, parts[0].piece, dtype, what)[:, :, 0]
    depth = _brick_depth(use)
    gathered = np.empty((use.shape.h, use.shape.w, ceil_div(use.shape.c, depth), depth), dtype)
    for part in parts:
        box = gathered[part.rows, part.columns, part.bricks, part.channels]
        box[...] = memory.reading(use.region, part.piece, dtype, what)
    return gathered.reshape(use.shape.h, use.shape.w, -1)[:, :, : use.shape.c]


def write_map(memory: Memory, use: MapUse, values: Values, what: str) -> None:
    """Put the elements of a map where they belong."""
    depth = _brick_depth(use)
    spare = -use.shape.c % depth
    padded = np.pad(values, ((0, 0), (0, 0), (0, spare))) if spare else values
    bricks = padded.reshape(use.shape.h, use.shape.w, -1, depth)
    for part in _parts(use, whole_of(use)):
        box = memory.writing(use.region, part.piece, np.dtype(use.dtype.numpy), what)
        box[...] = bricks[part.rows, part.columns, part.bricks, part.channels]


def whole_of(use: MapUse) -> Box:
    """All of a map."""
    return Box(range(use.shape.h), range(use.shape.w), range(use.shape.c))


def pieces_of(use: MapUse, box: Box) -> tuple[Piece, ...]:
    """Where a box of a map lies."""
    return tuple(part.piece for part in _parts(use, box))


def _brick_depth(use: MapUse) -> int:
    return use.shape.c if use.format is Format.LINEAR else BRICK_DEPTH


@functools.lru_cache(maxsize=8192)
def _parts(use: MapUse, box: Box) -> tuple[_Part, ...]:
    return tuple(
        _Part(_piece(use, origin, rows, columns, bricks, channels), rows, columns, bricks, channels)
        for origin, rows, columns in _tiles(use, box)
        for bricks, channels in _bricks(use, box.channels)
    )


def _tiles(use: MapUse, box: Box) -> Iterator[tuple[int, slice, slice]]:
    """For each tile the address of the box's first element in it, its rows, and its columns."""
    (height0, height1, width0), far = use.tiles, max(use.shape.h, use.shape.w)
    for tile, top, bottom, left, right in (
        (0, 0, height0, 0, width0),
        (1, 0, height1, width0, far),
        (2, height0, far, 0, width0),
        (3, height1, far, width0, far),
    ):
        rows = slice(max(top, box.rows.start), min(bottom, box.rows.stop))
        columns = slice(max(left, box.columns.start), min(right, box.columns.stop))
        if rows.start < rows.stop and columns.start < columns.stop:
            step = (rows.start - top) * use.strides.y + (columns.start - left) * _column_step(use)
            yield use.bases[tile] + step, rows, columns


def _bricks(use: MapUse, channels: range) -> Iterator[tuple[slice, slice]]:
    """Bricks, and channels within them: the first and the last may be used in part."""
    depth = _brick_depth(use)
    at = channels.start
    while at < channels.stop:
        brick, first = divmod(at, depth)
        count = (channels.stop - at) // depth if first == 0 else 0
        if count:
            yield slice(brick, brick + count), slice(0, depth)
            at += count * depth
        else:
            last = min(channels.stop - brick * depth, depth)
            yield slice(brick, brick + 1), slice(first, last)
            at = brick * depth + last


def _column_step(use: MapUse) -> int:
    if use.format is Format.LINEAR:
        return use.strides.x
    return BRICK_DEPTH * use.dtype.size_bytes


def _piece(
    use: MapUse, origin: int, rows: slice, columns: slice, bricks: slice, channels: slice
) -> Piece:
    size = use.dtype.size_bytes
    shape = tuple(box.stop - box.start for box in (rows, columns, bricks, channels))
    strides = (use.strides.y, _column_step(use), use.strides.c, size)
    first = origin + bricks.start * use.strides.c + channels.start * size
    return Piece(first, shape, strides, size)
