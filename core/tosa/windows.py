"""Operators that slide a window over rows and columns: convolutions, pools, RESIZE."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.frozen import NamedTuple
from core.ir.tosa import Element
from core.tosa.call import Array, Call, clipped, fitting
from core.tosa.scaling import reciprocal, scaled_32

_MOST_PRODUCTS = 1 << 35
"""Of one operator; more would take minutes."""
_EXACT = 1 << 53
"""Whole numbers below are exact in floating point, whatever the order in which they are summed."""
_NEAREST, _BILINEAR = 1, 2


class _Window(NamedTuple):
    """How a window lies on the input."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pad: tuple[int, int, int, int]

    def places(self, call: Call, sizes: tuple[int, int]) -> tuple[int, int]:
        """How many rows and columns there are of its places."""
        top, bottom, left, right = self.pad
        found = []
        for axis, room in enumerate((sizes[0] + top + bottom, sizes[1] + left + right)):
            rest = room - (self.kernel[axis] - 1) * self.dilation[axis] - 1
            if rest < 0 or rest % self.stride[axis]:
                raise call.refuse("its window does not end where its input does")
            found.append(rest // self.stride[axis] + 1)
        return found[0], found[1]

    def taps(self) -> Iterator[tuple[int, int]]:
        """All places of the kernel."""
        rows, columns = self.kernel
        return ((y, x) for y in range(rows) for x in range(columns))

    def seen(self, padded: Array, tap: tuple[int, int], rows: int, columns: int) -> Array:
        """What one place of the kernel sees of a padded input."""
        y, x = (each * step for each, step in zip(tap, self.dilation, strict=True))
        down, right = self.stride
        return padded[
            :, y : y + (rows - 1) * down + 1 : down, x : x + (columns - 1) * right + 1 : right
        ]


def _window(call: Call, kernel: tuple[int, int]) -> _Window:
    top, bottom, left, right = call.numbers("pad", 4)
    down, across = call.numbers("stride", 2, 1)
    rows, columns = call.numbers("dilation", 2, 1)
    return _Window(kernel, (down, across), (rows, columns), (top, bottom, left, right))


def _padded(values: Array, pad: tuple[int, int, int, int], fill: int = 0) -> Array:
    top, bottom, left, right = pad
    return np.pad(values, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)


def _operands(call: Call) -> tuple[Array, Array, Array]:
    """Input and weights without their zero points, and the bias; exact in floating point."""
    values, weights, bias, _, _ = call.given(5)
    call.demand_rank(4, 4, 1)
    return (
        values.astype(np.float64) - call.one(3),
        weights.astype(np.float64) - call.one(4),
        bias.astype(np.int64),
    )


def _finished(call: Call, sums: Array, bias: Array) -> Array:
    if bias.size not in {1, sums.shape[-1]}:
        raise call.refuse(f"has {bias.size} biases for {sums.shape[-1]} channels")
    return fitting(sums.astype(np.int64) + bias, call.element)


def _demand_little(call: Call, products: int) -> None:
    if products > _MOST_PRODUCTS:
        raise call.refuse(f"takes {products:,} products, where {_MOST_PRODUCTS:,} can be computed")


def conv2d(call: Call) -> Array:
    """CONV2D: each output channel is a sum over the window and all input channels."""
    values, weights, bias = _operands(call)
    batch, *sizes, depth = values.shape
    made, *kernel, taken = weights.shape
    if taken != depth:
        raise call.refuse(f"has weights for {taken} channels, and {depth} are there")
    window = _window(call, (kernel[0], kernel[1]))
    rows, columns = window.places(call, (sizes[0], sizes[1]))
    call.demand_shape(batch, rows, columns, made)
    _demand_little(call, batch * rows * columns * weights.size)
    padded = _padded(values, window.pad)
    sums = np.zeros((batch * rows * columns, made))
    for y, x in window.taps():
        seen = window.seen(padded, (y, x), rows, columns).reshape(-1, depth)
        sums += seen @ weights[:, y, x, :].T
    return _finished(call, sums.reshape(batch, rows, columns, made), bias)


def depthwise(call: Call) -> Array:
    """DEPTHWISE_CONV2D: each channel on its own, in as many ways as the weights have."""
    values, weights, bias = _operands(call)
    batch, *sizes, depth = values.shape
    *kernel, taken, ways = weights.shape
    if taken != depth:
        raise call.refuse(f"has weights for {taken} channels, and {depth} are there")
    window = _window(call, (kernel[0], kernel[1]))
    rows, columns = window.places(call, (sizes[0], sizes[1]))
    call.demand_shape(batch, rows, columns, depth * ways)
    _demand_little(call, batch * rows * columns * weights.size)
    padded = _padded(values, window.pad)
    sums = np.zeros((batch, rows, columns, depth, ways))
    for y, x in window.taps():
        sums += window.seen(padded, (y, x), rows, columns)[..., None] * weights[y, x]
    return _finished(call, sums.reshape(batch, rows, columns, depth * ways), bias)


def transpose_conv2d(call: Call) -> Array:
    """TRANSPOSE_CONV2D: each input element is spread over a window of the output."""
    values, weights, bias = _operands(call)
    batch, height, width, depth = values.shape
    made, kernel_h, kernel_w, taken = weights.shape
    if taken != depth:
        raise call.refuse(f"has weights for {taken} channels, and {depth} are there")
    top, bottom, left, right = call.numbers("out_pad", 4, -max(kernel_h, kernel_w))
    down, across = call.numbers("stride", 2, 1)
    whole = ((height - 1) * down + kernel_h, (width - 1) * across + kernel_w)
    call.demand_shape(batch, whole[0] + top + bottom, whole[1] + left + right, made)
    _demand_little(call, batch * height * width * weights.size)
    spread = np.zeros((batch, *whole, made))
    flat = values.reshape(-1, depth)
    for y in range(kernel_h):
        for x in range(kernel_w):
            part = (flat @ weights[:, y, x, :].T).reshape(batch, height, width, made)
            place = spread[:, y : y + (height - 1) * down + 1 : down]
            place[:, :, x : x + (width - 1) * across + 1 : across] += part
    cut = spread[
        :, max(-top, 0) : whole[0] + min(bottom, 0), max(-left, 0) : whole[1] + min(right, 0)
    ]
    pad = (max(top, 0), max(bottom, 0), max(left, 0), max(right, 0))
    return _finished(call, _padded(cut, pad), bias)


def _pool_window(call: Call) -> _Window:
    kernel, stride = call.numbers("kernel", 2, 1), call.numbers("stride", 2, 1)
    top, bottom, left, right = call.numbers("pad", 4)
    if max(top, bottom) >= kernel[0] or max(left, right) >= kernel[1]:
        raise call.refuse("has windows that see nothing of the input")
    return _Window(
        (kernel[0], kernel[1]), (stride[0], stride[1]), (1, 1), (top, bottom, left, right)
    )


def avg_pool2d(call: Call) -> Array:
    """AVG_POOL2D: sums of what is there of the input, times a reciprocal of how many these are."""
    values, _, _ = call.given(3)
    call.demand_rank(4)
    window = _pool_window(call)
    batch, height, width, depth = values.shape
    rows, columns = window.places(call, (height, width))
    call.demand_shape(batch, rows, columns, depth)
    _demand_little(call, batch * rows * columns * depth * window.kernel[0] * window.kernel[1])
    padded = _padded(values.astype(np.int64) - call.one(1), window.pad)
    there = _padded(np.ones((1, height, width, 1), np.int64), window.pad)
    sums = np.zeros((batch, rows, columns, depth), np.int64)
    counts = np.zeros((1, rows, columns, 1), np.int64)
    for tap in window.taps():
        sums += window.seen(padded, tap, rows, columns)
        counts += window.seen(there, tap, rows, columns)
    different, where = np.unique(counts, return_inverse=True)
    multiplier, shift = (each[where].reshape(counts.shape) for each in reciprocal(different))
    means = scaled_32(fitting(sums, Element.INT32), multiplier, shift, is_double=False)
    return clipped(means + call.one(2), call.element)


def max_pool2d(call: Call) -> Array:
    """MAX_POOL2D: the largest of what is there of the input."""
    (values,) = call.given(1)
    call.demand_rank(4)
    window = _pool_window(call)
    batch, height, width, depth = values.shape
    rows, columns = window.places(call, (height, width))
    call.demand_shape(batch, rows, columns, depth)
    _demand_little(call, batch * rows * columns * depth * window.kernel[0] * window.kernel[1])
    least = call.elements[0].limits[0]
    padded = _padded(values, window.pad, least)
    result = np.full((batch, rows, columns, depth), least, values.dtype)
    for tap in window.taps():
        np.maximum(result, window.seen(padded, tap, rows, columns), out=result)
    return result


def resize(call: Call) -> Array:
    """RESIZE: the nearest element, or what lies between four, times both scales."""
    values, _, _, _ = call.given(4)
    call.demand_rank(4)
    mode = call.attribute.integer("mode")
    if mode not in {_NEAREST, _BILINEAR}:
        raise call.refuse(f"there is no mode {mode}")
    scale, offset, border = call.whole(1), call.whole(2), call.whole(3)
    if (len(scale), len(offset), len(border)) != (4, 2, 2) or min(scale) < 1:
        raise call.refuse("its scale, offset and border are no numbers of two axes")
    axes = [
        _Axis.of(call, size, scale[2 * at : 2 * at + 2], offset[at], border[at], call.shape[1 + at])
        for at, size in enumerate(values.shape[1:3])
        if len(call.shape) == 4
    ]
    if len(axes) != 2:
        raise call.refuse("makes what has no rows and columns")
    call.demand_shape(values.shape[0], axes[0].size, axes[1].size, values.shape[3])
    rows, columns = axes
    if mode == _NEAREST:
        return values[:, rows.nearest()][:, :, columns.nearest()]
    wide = values.astype(np.int64)
    across = np.zeros((*wide.shape[:2], columns.size, wide.shape[3]), np.int64)
    for at, part in columns.between():
        across += wide[:, :, at] * part[None, None, :, None]
    result = np.zeros((wide.shape[0], rows.size, *across.shape[2:]), np.int64)
    for at, part in rows.between():
        result += across[:, at] * part[None, :, None, None]
    return fitting(result, call.element)


class _Axis(NamedTuple):
    """Where each output row or column is on the input."""

    first: Array
    second: Array
    rest: Array
    whole: int

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.first)

    @classmethod
    def of(
        cls, call: Call, size: int, scale: tuple[int, ...], offset: int, border: int, wanted: int
    ) -> _Axis:
        """By the numbers that the operator has for an axis."""
        whole, step = scale
        room = (size - 1) * whole - offset + border
        if room < 0 or room % step or room // step + 1 != wanted:
            raise call.refuse(f"its numbers do not make {wanted} of {size}")
        at = np.arange(wanted) * step + offset
        index = at // whole
        return cls(
            np.clip(index, 0, size - 1), np.clip(index + 1, 0, size - 1), at - index * whole, whole
        )

    def nearest(self) -> Array:
        """The nearer of two elements; the second where both are as near."""
        return np.where(2 * self.rest >= self.whole, self.second, self.first)

    def between(self) -> Iterator[tuple[Array, Array]]:
        """Two elements, and how much of each."""
        yield self.first, self.whole - self.rest
        yield self.second, self.rest
