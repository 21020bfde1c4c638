"""Steps that few networks have: inputs spread on either side, low ranks, large windows."""

from __future__ import annotations

from math import prod

import numpy as np

from core.base.dtype import DType
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.windows import window
from tests.networks.batch_steps import many_dimensions, pictures
from tests.networks.random_steps import reach

_ARITHMETIC = ("add", "sub", "mul", "minimum", "maximum")
_MOST_TAPS = 1024
_LONGEST_SIDE = 64
_LEAST_APART = 0.01


def spread(b: Builder, x: Value) -> Value:
    """Arithmetic of an image and a part of it that is spread over it, on either side."""
    return _arithmetic(b, x, _part(b, x))


def spread_both(b: Builder, x: Value) -> Value:
    """Arithmetic of a column and a row, which are spread over each other."""
    return _arithmetic(b, b.mean(x, (1,), keep=True), b.mean(x, (2,), keep=True))


def gate(b: Builder, x: Value) -> Value:
    """Squeeze and excite, with the gate on either side."""
    depth = x.shape[3]
    squeezed = b.conv(b.mean(x, (1, 2), keep=True), max(depth // 4, 1), activation="RELU")
    opened = b.logistic(b.conv(squeezed, depth))
    return b.mul(*_either_way(b, x, opened))


def low_rank(b: Builder, x: Value) -> Value:
    """Arithmetic of two or three dimensions."""
    _, height, width, depth = x.shape
    shape = b.draws.pick(((height * width, depth), (height, width, depth)))
    flat = b.reshape(x, shape)
    row = b.reshape(b.mean(x, (1, 2), keep=True), (depth,))
    other = flat if b.draws.chance(0.3) else row
    return b.reshape(_arithmetic(b, flat, other), x.shape)


def rows(b: Builder, x: Value) -> Value:
    """A matrix product of several rows, one for each element of the picture."""
    _, height, width, depth = x.shape
    # Of 16 bits LiteRT scales wider sums otherwise than any hardware.
    sums = DType.INT32 if b.dtype_of(x) is DType.INT16 else None
    flat = b.reshape(x, (height * width, depth))
    made = b.fully_connected(flat, b.draws.integer(1, 24), sums=sums)
    return b.reshape(made, (1, height, width, made.shape[-1]))


def large_window(b: Builder, x: Value) -> Value:
    """A convolution or a pool of a window that may be larger than the picture."""
    height = b.draws.pick((1, 2, 7, 16, 33, _LONGEST_SIDE))
    width = min(b.draws.pick((1, 3, 8, 31, _LONGEST_SIDE)), max(_MOST_TAPS // height, 1))
    if height * width <= 256 and b.draws.chance(0.3):
        over = window((min(height, 16), min(width, 16)), b.draws.integer(1, 3))
        return b.max_pool(x, over) if b.draws.chance(0.5) else b.avg_pool(x, over)
    over = window((height, width))
    return b.depthwise(x, over) if b.draws.chance(0.7) else b.conv(x, b.draws.integer(1, 5), over)


def long_stride(b: Builder, x: Value) -> Value:
    """A window that leaves out rows and columns, or whose places touch each other."""
    stride = (b.draws.integer(2, 9), b.draws.integer(2, 9))
    size = stride if b.draws.chance(0.5) else (b.draws.integer(1, 5), b.draws.integer(1, 5))
    over = window(size, stride, same=False)
    if b.draws.chance(0.3) or not over.fits(*x.shape[1:3]):
        over = window(size, stride)
    if b.draws.chance(0.4):
        return b.max_pool(x, over) if b.draws.chance(0.5) else b.avg_pool(x, over)
    return b.depthwise(x, over) if b.draws.chance(0.5) else b.conv(x, b.draws.integer(1, 9), over)


def dilated(b: Builder, x: Value) -> Value:
    """A convolution of taps that lie far apart."""
    taps = (b.draws.integer(2, 3), b.draws.integer(2, 3))
    over = window(taps, 1, (b.draws.integer(2, 9), b.draws.integer(2, 9)))
    return b.depthwise(x, over) if b.draws.chance(0.5) else b.conv(x, b.draws.integer(1, 9), over)


def batches(b: Builder, x: Value) -> Value:
    """Softmax and a matrix product of pictures of a batch."""
    _, height, width, depth = x.shape
    flat = b.reshape(x, (height, width * depth))
    if width * depth > 1 and (b.dtype_of(x) is DType.INT16 or b.draws.chance(0.4)):
        return b.reshape(b.softmax(flat), x.shape)
    if b.dtype_of(x) is DType.INT16:
        return low_rank(b, x)
    made = b.fully_connected(flat, b.draws.integer(1, 12))
    return b.reshape(made, (1, 1, *made.shape))


def _part(b: Builder, x: Value) -> Value:
    axes = b.draws.pick(((1,), (2,), (1, 2)))
    mean = b.mean(x, axes, keep=True)
    if axes == (1, 2) and b.draws.chance(0.3):
        return b.reduce_max(mean, (3,))
    return b.reshape(mean, (prod(mean.shape),)) if axes == (1, 2) and b.draws.chance(0.5) else mean


def _arithmetic(b: Builder, x: Value, y: Value) -> Value:
    apart = max(
        float(np.abs(one - other).max())
        for one, other in zip(b.samples(x), b.samples(y), strict=True)
    )
    # LiteRT ends itself where squares are of a far smaller scale than what they are made of.
    is_apart = b.dtype_of(x) is DType.INT8 and apart > _LEAST_APART * reach(b, x)
    kinds = (*_ARITHMETIC, "squared_difference") if is_apart else _ARITHMETIC
    made: Value = getattr(b, b.draws.pick(kinds))(*_either_way(b, x, y))
    return made


def _either_way(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    return (x, y) if b.draws.chance(0.5) else (y, x)


ODD_STEPS = (
    *(spread, spread_both, gate, low_rank, rows, large_window, long_stride, dilated, batches),
    *(pictures, many_dimensions),
)
