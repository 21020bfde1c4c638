"""Convolutions, pools and resizing: what windows over height and width leave."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.geometry import ceil_div
from core.check.shapes.asked import Asked, Infer, Shape, Unknown

_SAME = 0
"""Value of the schema's enumeration Padding."""


def _windowed(asked: Asked, height: int, width: int, depth: int) -> tuple[Shape, ...]:
    n, rows, columns, _ = asked.image()
    made = (_steps(asked, rows, height, "h"), _steps(asked, columns, width, "w"))
    return ((n, *made, depth),)


def _steps(asked: Asked, size: int, window: int, axis: str) -> int:
    options = asked.options
    stride, dilation = (
        options.integer(f"stride_{axis}"),
        options.integer(f"dilation_{axis}_factor", 1),
    )
    if min(stride, dilation, window) < 1:
        raise Unknown
    if options.integer("padding") == _SAME:
        return ceil_div(size, stride)
    return ceil_div(size - (window - 1) * dilation, stride)


def _convolution(asked: Asked) -> tuple[Shape, ...]:
    filters, height, width, _ = asked.image(1)
    return _windowed(asked, height, width, filters)


def _depthwise(asked: Asked) -> tuple[Shape, ...]:
    _, height, width, depth = asked.image(1)
    return _windowed(asked, height, width, depth)


def _pool(asked: Asked) -> tuple[Shape, ...]:
    options = asked.options
    sizes = options.integer("filter_height"), options.integer("filter_width")
    return _windowed(asked, *sizes, asked.image()[3])


def _given_shape(asked: Asked) -> tuple[Shape, ...]:
    return (asked.integers(0),)


def _resized(asked: Asked) -> tuple[Shape, ...]:
    n, _, _, depth = asked.image()
    return ((n, *asked.integers(1), depth),)


SHAPES: Mapping[str, Infer] = {
    "AVERAGE_POOL_2D": _pool,
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "L2_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "RESIZE_BILINEAR": _resized,
    "RESIZE_NEAREST_NEIGHBOR": _resized,
    "TRANSPOSE_CONV": _given_shape,
}
