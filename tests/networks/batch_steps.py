"""Steps over several pictures, and over more dimensions than a picture has."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from core.base.dtype import DType
from core.synth.builder import Builder
from core.synth.graph import Value
from core.synth.resizing import Corners
from tests.networks.random_steps import random_window

_MOST_MADE = 12_000
_MOST_PADDED = 5
"""Dimensions of which LiteRT pads no more."""


def pictures(b: Builder, x: Value) -> Value:
    """An operator of pictures, or of what is beside them, over a batch of some."""
    _, height, width, depth = x.shape
    shape = b.draws.pick(
        ((height, width, 1, depth), (height, 1, width, depth), (width, 1, height, depth))
    )
    batch = b.reshape(x, shape)
    made = b.draws.pick(_OF_PICTURES)(b, batch)
    return b.reshape(made, (1, prod(made.shape[:-2]), *made.shape[-2:]))


def many_dimensions(b: Builder, x: Value) -> Value:
    """An operator over five or six dimensions."""
    _, height, width, depth = x.shape
    halves = (2, width // 2) if width % 2 == 0 else (1, width)
    shape = b.draws.pick(
        ((1, height, *halves, depth), (height, 1, *halves, depth), (1, height, 1, *halves, depth))
    )
    made = b.draws.pick(_OF_MANY)(b, b.reshape(x, shape))
    return b.reshape(made, (1, 1, prod(made.shape[:-1]), made.shape[-1]))


def _conv(b: Builder, x: Value) -> Value:
    # Of 16 bits LiteRT scales wider sums otherwise than any hardware.
    return b.conv(x, b.draws.integer(1, 20), random_window(b.draws, x))


def _depthwise(b: Builder, x: Value) -> Value:
    times = b.draws.integer(1, 3) if prod(x.shape) * 3 <= _MOST_MADE else 1
    return b.depthwise(x, random_window(b.draws, x), multiplier=times)


def _pool(b: Builder, x: Value) -> Value:
    over = random_window(b.draws, x)
    if max(over.kernel.dilation_h, over.kernel.dilation_w) > 1:
        return b.relu(x)
    return b.max_pool(x, over) if b.draws.chance(0.5) else b.avg_pool(x, over)


def _reduced(b: Builder, x: Value) -> Value:
    rank = len(x.shape)
    axes = b.draws.pick(((1, 2), (rank - 1,), (0,), (0, 1), (1,), (2, 3), (rank - 2, rank - 1)))
    if b.dtype_of(x) is DType.INT16 or b.draws.chance(0.5):
        return b.mean(x, axes)
    return b.reduce_max(x, axes) if b.draws.chance(0.5) else b.reduce_min(x, axes)


def _arithmetic(b: Builder, x: Value) -> Value:
    shape = [size if b.draws.chance(0.6) else 1 for size in x.shape]
    kind = b.draws.pick(("add", "sub", "mul", "minimum", "maximum"))
    dtype = b.dtype_of(x)
    other = b.constant(b.draws.uniform(shape[b.draws.integer(0, 3) :], -1.5, 1.5), dtype)
    if b.draws.chance(0.5):
        gone = tuple(axis for axis, size in enumerate(shape) if size == 1 and axis > 0)
        other = b.mean(x, gone) if gone else b.relu(x)
    pair = (x, other) if b.draws.chance(0.5) else (other, x)
    made: Value = getattr(b, kind)(*pair)
    return made


def _alone(b: Builder, x: Value) -> Value:
    kind = b.draws.pick((b.relu, b.tanh, b.logistic, b.leaky_relu, b.quantize))
    return kind(x)


def _joined(b: Builder, x: Value) -> Value:
    axis = b.draws.integer(0, len(x.shape) - 1)
    return b.concat((x, b.relu(x), x), axis)


def _stacked(b: Builder, x: Value) -> Value:
    axis = b.draws.integer(0, len(x.shape))
    return b.pack((x, b.relu(x)), axis)


def _apart(b: Builder, x: Value) -> Value:
    axis = b.draws.integer(0, len(x.shape) - 1)
    size = x.shape[axis]
    if size > 8 or b.draws.chance(0.5):
        first = b.draws.integer(1, size)
        if first == size:
            return b.relu(x)
        return b.concat(b.split_by(x, (first, size - first), axis)[::-1], axis)
    parts = b.unpack(x, axis)
    made = b.maximum(parts[0], parts[-1])
    return b.reshape(made, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))


def _cut(b: Builder, x: Value) -> Value:
    begin = [b.draws.integer(0, size - 1) if b.draws.chance(0.5) else 0 for size in x.shape]
    size = [
        b.draws.integer(1, dim - at) if at or b.draws.chance(0.3) else dim - at
        for at, dim in zip(begin, x.shape, strict=True)
    ]
    if b.draws.chance(0.5):
        return b.slice(x, begin, size)
    end = [at + count for at, count in zip(begin, size, strict=True)]
    return b.strided_slice(x, begin, end, [b.draws.pick((1, 1, 1, 2)) for _ in size])


def _padded(b: Builder, x: Value) -> Value:
    if len(x.shape) > _MOST_PADDED:
        return b.relu(x)
    amounts = [
        (b.draws.integer(0, 2), b.draws.integer(0, 2)) if b.draws.chance(0.4) else (0, 0)
        for _ in x.shape
    ]
    sides = (size + sum(pair) for size, pair in zip(x.shape, amounts, strict=True))
    return b.pad(x, amounts) if prod(sides) <= _MOST_MADE else b.relu(x)


def _mirrored(b: Builder, x: Value) -> Value:
    amounts = [
        (1, b.draws.integer(0, 1)) if size > 1 and b.draws.chance(0.5) else (0, 0)
        for size in x.shape
    ]
    return b.mirror_pad(x, amounts, b.draws.pick(("REFLECT", "SYMMETRIC")))


def _turned(b: Builder, x: Value) -> Value:
    return b.transpose(x, b.draws.shuffled(len(x.shape)))


def _tiled(b: Builder, x: Value) -> Value:
    times = [b.draws.pick((1, 1, 2, 3)) for _ in x.shape]
    sides = (size * count for size, count in zip(x.shape, times, strict=True))
    return b.tile(x, times) if prod(sides) <= _MOST_MADE else b.relu(x)


def _reversed(b: Builder, x: Value) -> Value:
    return b.reverse(x, (b.draws.integer(0, len(x.shape) - 1),))


def _softmax(b: Builder, x: Value) -> Value:
    return b.softmax(x) if x.shape[-1] > 1 else b.tanh(x)


def _resized(b: Builder, x: Value) -> Value:
    size = (x.shape[1] * 2, x.shape[2] * 2)
    if prod(x.shape) * 4 > _MOST_MADE:
        return b.relu(x)
    make = b.resize_nearest if b.draws.chance(0.5) else b.resize_bilinear
    return make(x, size, b.draws.pick((Corners.PLAIN, Corners.HALF_PIXEL)))


_ANYWHERE = (
    *(_reduced, _arithmetic, _arithmetic, _alone, _joined, _stacked, _apart, _cut, _padded),
    *(_turned, _tiled, _reversed, _softmax),
)
Make = Callable[[Builder, Value], Value]
_OF_PICTURES: tuple[Make, ...] = (_conv, _depthwise, _pool, _resized, _mirrored, *_ANYWHERE)
_OF_MANY: tuple[Make, ...] = _ANYWHERE
