"""Operators that enlarge an image."""

from __future__ import annotations

import enum

import numpy as np

from core.ir.network import FieldValue
from core.synth.draws import Array, Integers
from core.synth.graph import Graph, Value, integers, table


class Corners(enum.Enum):
    """Where the samples of an enlarged image lie between those of the original."""

    PLAIN = "plain"
    ALIGNED = "aligned"
    HALF_PIXEL = "half pixel"


class Resizing(Graph):
    """Builders of image enlargement."""

    def resize_nearest(
        self, image: Value, size: tuple[int, int], corners: Corners = Corners.PLAIN
    ) -> Value:
        """RESIZE_NEAREST_NEIGHBOR to a height and a width."""

        def forward(array: Array) -> Array:
            rows = _nearest(array.shape[1], size[0], corners)
            columns = _nearest(array.shape[2], size[1], corners)
            return array[:, rows][:, :, columns]

        options = table("ResizeNearestNeighborOptions", _fields(corners))
        operands = (image, integers("size", size))
        return self.apply("RESIZE_NEAREST_NEIGHBOR", operands, forward, options, tied=True)

    def resize_bilinear(
        self, image: Value, size: tuple[int, int], corners: Corners = Corners.PLAIN
    ) -> Value:
        """RESIZE_BILINEAR to a height and a width."""

        def forward(array: Array) -> Array:
            tall = _blend(array, size[0], 1, corners)
            return _blend(tall, size[1], 2, corners)

        options = table("ResizeBilinearOptions", _fields(corners))
        operands = (image, integers("size", size))
        return self.apply("RESIZE_BILINEAR", operands, forward, options, tied=True)


def _fields(corners: Corners) -> dict[str, FieldValue]:
    return {
        "align_corners": corners is Corners.ALIGNED,
        "half_pixel_centers": corners is Corners.HALF_PIXEL,
    }


def _positions(old: int, new: int, corners: Corners) -> Array:
    """Where in the original each sample of the enlarged axis lies."""
    spots = np.arange(new, dtype=np.float64)
    if corners is Corners.ALIGNED and new > 1:
        return spots * ((old - 1) / (new - 1))
    if corners is Corners.HALF_PIXEL:
        return (spots + 0.5) * (old / new) - 0.5
    return spots * (old / new)


def _nearest(old: int, new: int, corners: Corners) -> Integers:
    if corners is Corners.HALF_PIXEL:
        spots = np.floor((np.arange(new) + 0.5) * (old / new))
    elif corners is Corners.ALIGNED:
        spots = np.floor(_positions(old, new, corners) + 0.5)
    else:
        spots = np.floor(_positions(old, new, corners))
    return np.asarray(np.clip(spots, 0, old - 1), np.int64)


def _blend(array: Array, new: int, axis: int, corners: Corners) -> Array:
    old = array.shape[axis]
    spots = np.clip(_positions(old, new, corners), 0, old - 1)
    lower = np.floor(spots).astype(np.int64)
    upper = np.minimum(lower + 1, old - 1)
    share = (spots - lower).reshape([-1 if at == axis else 1 for at in range(array.ndim)])
    mixed = np.take(array, lower, axis) * (1.0 - share) + np.take(array, upper, axis) * share
    return np.asarray(mixed, np.float64)
