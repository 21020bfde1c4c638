"""Steps of a random network: each adds an operator of one kind with parameters that fit its input.

A step takes an image (one batch, NHWC) and gives its results; those that are images again can feed
further steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.synth.builder import Builder
from core.synth.draws import Array, Draws
from core.synth.graph import Value
from core.synth.resizing import Corners
from core.synth.windows import Window, window
from tests.networks.whole_steps import whole_numbers

ALL = (DType.INT8, DType.UINT8, DType.INT16)
EIGHT = (DType.INT8, DType.UINT8)
SIGNED = (DType.INT8, DType.INT16)
ONLY_INT8 = (DType.INT8,)

_CONVERSIONS = {
    DType.INT8: (DType.UINT8, DType.INT16),
    DType.UINT8: (DType.INT8, DType.INT16),
    DType.INT16: (DType.INT8,),
}
"""The element types that the reference kernel of QUANTIZE makes of one."""

Results = tuple[Value, ...]


class Step(Frozen):
    """Adds an operator of a kind; `dtypes` are those that its reference kernel knows."""

    kind: str
    apply: Callable[[Builder, Value], Value | Results]
    dtypes: tuple[DType, ...] = ALL
    fits: Callable[[tuple[int, ...]], bool] = lambda _: True


def reach(b: Builder, value: Value) -> float:
    """The largest magnitude that a tensor was seen to hold."""
    return max(float(np.abs(sample).max()) for sample in b.samples(value))


def random_window(draws: Draws, image: Value) -> Window:
    """A window that fits an image, with any stride, dilation or padding."""
    _, height, width, _ = image.shape
    while True:
        size = (draws.integer(1, 5), draws.integer(1, 5))
        stride = (draws.integer(1, 3), draws.integer(1, 3)) if draws.chance(0.5) else (1, 1)
        dilated = stride == (1, 1) and draws.chance(0.4)
        dilation = (draws.integer(1, 3), draws.integer(1, 3)) if dilated else (1, 1)
        found = window(size, stride, dilation, same=draws.chance(0.6))
        if found.fits(height, width):
            return found


def other_like(b: Builder, image: Value) -> Value:
    """A second operand for an image: a branch of its own, or a constant that broadcasts."""
    draws, dtype = b.draws, b.dtype_of(image)
    match draws.integer(0, 3):
        case 0:
            return b.constant(np.asarray(draws.uniform((), 0.2, 2.0)), dtype)
        case 1:
            return b.constant(draws.uniform((1, 1, 1, image.shape[3]), -1.5, 1.5), dtype)
        case 2:
            row = b.constant(draws.uniform((1, 1, image.shape[2], 1), -1.5, 1.5), dtype)
            return row if draws.chance(0.5) else b.constant(_noise(b, image.shape), dtype)
        case _:
            return branch(b, image)


def branch(b: Builder, image: Value) -> Value:
    """Another image of the same shape and element type that depends on the image."""
    activation = b.draws.pick(("NONE", "RELU", "RELU6"))
    gain = float(b.draws.uniform((), 0.3, 3.0))
    if b.draws.chance(0.5):
        return b.depthwise(image, window(3), activation, gain=gain)
    return b.conv(image, image.shape[3], activation=activation, gain=gain)


def _noise(b: Builder, shape: Sequence[int]) -> Array:
    return b.draws.uniform(shape, -1.5, 1.5)


def _activation(b: Builder) -> str:
    return b.draws.pick(("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1"))


def _clip(b: Builder) -> str:
    return b.draws.pick(("NONE", "RELU", "RELU6"))


def sums_of(b: Builder, x: Value) -> DType | None:
    """A type that a file may name for the bias beside 16 bits, or none."""
    if b.dtype_of(x) is not DType.INT16:
        return None
    return b.draws.pick((None, DType.INT32, DType.INT32, DType.INT64))


def _conv(b: Builder, x: Value) -> Value:
    channels, per_channel = b.draws.integer(1, 40), b.draws.chance(0.7)
    over, sums = random_window(b.draws, x), sums_of(b, x)
    return b.conv(x, channels, over, _activation(b), per_channel=per_channel, sums=sums)


def _depthwise(b: Builder, x: Value) -> Value:
    over, per_channel = random_window(b.draws, x), b.draws.chance(0.7)
    multiplier = b.draws.integer(2, 5) if x.shape[3] == 1 or b.draws.chance(0.3) else 1
    return b.depthwise(x, over, _activation(b), multiplier=multiplier, per_channel=per_channel)


def _fully_connected(b: Builder, x: Value) -> Value:
    units = b.draws.integer(1, 48)
    flat = b.reshape(x, (1, math.prod(x.shape)))
    per_channel = b.dtype_of(x) is DType.INT8 and b.draws.chance(0.3)
    sums = sums_of(b, x)
    if b.dtype_of(x) is DType.INT8 and b.draws.chance(0.2):
        return _of_computed_weights(b, x)
    rows = b.fully_connected(flat, units, _clip(b), per_channel=per_channel, sums=sums)
    return b.reshape(rows, (1, 1, 1, units))


def _of_computed_weights(b: Builder, x: Value) -> Value:
    rows, matrix = (b.reshape(each, (-1, x.shape[3])) for each in (x, branch(b, x)))
    made = b.fully_connected_of(rows, matrix, _clip(b))
    return b.reshape(made, (1, 1, *made.shape))


def _transpose_conv(b: Builder, x: Value) -> Value:
    stride = b.draws.integer(1, 2)
    size = (b.draws.integer(stride, 4), b.draws.integer(stride, 4))
    over = window(size, stride, same=b.draws.chance(0.6))
    channels, per_channel = b.draws.integer(1, 20), b.draws.chance(0.7)
    return b.transpose_conv(x, channels, over, per_channel=per_channel, sums=sums_of(b, x))


def _batch_matmul(b: Builder, x: Value) -> Value:
    return b.batch_matmul(x, b.transpose(branch(b, x), (0, 1, 3, 2)))


def _exp(b: Builder, x: Value) -> Value:
    return b.exp(x if reach(b, x) < 6.0 else b.tanh(x))


def _positive(b: Builder, x: Value) -> Value:
    """The image moved into the positive numbers, for functions that exist only there."""
    offset = b.constant(np.asarray(b.draws.uniform((), 0.4, 1.0)), b.dtype_of(x))
    return b.add(b.abs(x), offset)


def _softmax(b: Builder, x: Value) -> Value:
    is_wide = b.dtype_of(x) is DType.INT8 and b.draws.chance(0.3)
    return b.softmax(x, b.draws.pick((1.0, 1.0, 0.5, 2.0)), DType.INT16 if is_wide else None)


def _quantize(b: Builder, x: Value) -> Value:
    own = b.dtype_of(x)
    to = own if b.draws.chance(0.4) else b.draws.pick(_CONVERSIONS[own])
    return b.quantize(b.relu(x, "RELU6"), to)


def _reshape(b: Builder, x: Value) -> Value:
    _, height, width, depth = x.shape
    choices = (
        (1, width, height, depth),
        (1, 1, height * width, depth),
        (1, height, width * depth, 1),
        (1, height * width, 1, depth),
    )
    return b.reshape(x, b.draws.pick(choices))


def _expand_dims(b: Builder, x: Value) -> Value:
    return b.squeeze(b.expand_dims(x, b.draws.integer(1, 3)), (0,))


def _squeeze(b: Builder, x: Value) -> Value:
    rows = b.squeeze(b.mean(x, (1,)), (1,))
    return b.reshape(rows, (1, 1, *rows.shape[1:]))


_ORDERS = ((0, 2, 1, 3), (0, 1, 3, 2), (0, 3, 1, 2), (0, 2, 3, 1), (0, 3, 2, 1))


def _transpose(b: Builder, x: Value) -> Value:
    return b.transpose(x, b.draws.pick(_ORDERS))


def _tile(b: Builder, x: Value) -> Value:
    return b.tile(x, b.draws.pick(((1, 2, 1, 1), (1, 1, 3, 1), (1, 1, 1, 2), (1, 2, 2, 1))))


def _borders(b: Builder, most: int, depth: int = 0) -> tuple[tuple[int, int], ...]:
    draws = b.draws
    rows, columns = ((draws.integer(0, most), draws.integer(0, most)) for _ in range(2))
    return (0, 0), rows, columns, (draws.integer(0, depth), draws.integer(0, depth))


def _pad(b: Builder, x: Value) -> Value:
    if b.draws.chance(0.5):
        return b.pad(x, _borders(b, 3, depth=2))
    padded = b.pad(x, _borders(b, 3))
    return b.conv(padded, b.draws.integer(1, 24), random_window(b.draws, padded))


def _mirror_pad(b: Builder, x: Value) -> Value:
    return b.mirror_pad(x, _borders(b, 2), b.draws.pick(("REFLECT", "SYMMETRIC")))


def _concat(b: Builder, x: Value) -> Value:
    axis = b.draws.pick((1, 2, 3, 3))
    others = [branch(b, x) for _ in range(b.draws.integer(1, 2))]
    if axis == 3 and b.draws.chance(0.5):
        others.append(b.conv(x, b.draws.integer(1, 20)))
    return b.concat((x, *others), axis)


def _pack(b: Builder, x: Value) -> Value:
    rows = b.mean(x, (1,), keep=False)
    return b.pack((rows, b.relu(rows), b.reduce_max(x, (1,), keep=False)), b.draws.integer(1, 3))


def _unpack(b: Builder, x: Value) -> Value:
    parts = b.unpack(x, 1)
    again = b.add(parts[0], parts[-1])
    return b.reshape(again, (1, 1, *again.shape[1:]))


def _split(b: Builder, x: Value) -> Results:
    choices = [(axis, n) for axis in (1, 2, 3) for n in (2, 3) if x.shape[axis] % n == 0]
    axis, count = b.draws.pick(choices)
    return b.split(x, count, axis)


def _can_split(shape: tuple[int, ...]) -> bool:
    return any(dim % 2 == 0 or dim % 3 == 0 for dim in shape[1:])


def _split_by(b: Builder, x: Value) -> Results:
    axis = b.draws.pick([axis for axis in (1, 2, 3) if x.shape[axis] >= 3])
    first = b.draws.integer(1, x.shape[axis] - 2)
    second = b.draws.integer(1, x.shape[axis] - first - 1)
    return b.split_by(x, (first, second, x.shape[axis] - first - second), axis)


def _box(b: Builder, shape: Sequence[int]) -> tuple[list[int], list[int]]:
    begin = [b.draws.integer(0, (dim - 1) // 2) for dim in shape]
    return begin, [b.draws.integer(at + 1, dim) for at, dim in zip(begin, shape, strict=True)]


def _slice(b: Builder, x: Value) -> Value:
    begin, end = _box(b, x.shape)
    return b.slice(x, begin, [stop - at for at, stop in zip(begin, end, strict=True)])


def _strided_slice(b: Builder, x: Value) -> Value:
    begin, end = _box(b, x.shape)
    strides = (1, b.draws.integer(1, 2), b.draws.integer(1, 2), 1)
    return b.strided_slice(x, begin, end, strides)


def _pool_window(b: Builder, x: Value) -> Window:
    found = random_window(b.draws, x)
    kernel = found.kernel
    return window((kernel.h, kernel.w), found.stride, same=found.same)


def _max_pool(b: Builder, x: Value) -> Value:
    return b.max_pool(x, _pool_window(b, x), _clip(b))


def _avg_pool(b: Builder, x: Value) -> Value:
    return b.avg_pool(x, _pool_window(b, x), _clip(b))


def _mean(b: Builder, x: Value) -> Value:
    axes = b.draws.pick(((1, 2), (1,), (2,), (1, 3), (1, 2, 3)))
    return b.mean(x, axes, keep=True)


def _sum(b: Builder, x: Value) -> Value:
    return b.sum(x, (3,))


def _reduce_max(b: Builder, x: Value) -> Value:
    return b.reduce_max(x, b.draws.pick(((1, 2), (3,), (1,))))


def _reduce_min(b: Builder, x: Value) -> Value:
    return b.reduce_min(x, b.draws.pick(((1, 2), (3,), (2,))))


def _size(b: Builder, x: Value, corners: Corners, factors: Sequence[int]) -> tuple[int, int]:
    factor = b.draws.pick(factors)
    less = factor - 1 if corners is Corners.ALIGNED else 0
    return x.shape[1] * factor - less, x.shape[2] * factor - less


def _resize_nearest(b: Builder, x: Value) -> Value:
    corners = b.draws.pick(tuple(Corners))
    return b.resize_nearest(x, _size(b, x, corners, (2, 2, 4)), corners)


def _resize_bilinear(b: Builder, x: Value) -> Value:
    corners = b.draws.pick(tuple(Corners))
    factors = (2, 2, 4, 8) if corners is Corners.HALF_PIXEL else (2, 2, 4)
    return b.resize_bilinear(x, _size(b, x, corners, factors), corners)


def _lstm(b: Builder, x: Value) -> Value:
    _, height, width, depth = x.shape
    steps = b.lstm(b.reshape(x, (1, height, width * depth)), b.draws.integer(2, 24))
    return b.reshape(steps, (1, 1, *steps.shape[1:]))


def _gather(b: Builder, x: Value) -> Value:
    return b.gather(x, b.draws.shuffled(x.shape[3]), 3)


def _short(shape: tuple[int, ...]) -> bool:
    return shape[1] <= 12 and shape[2] * shape[3] <= 256


def _even(shape: tuple[int, ...]) -> bool:
    return shape[1] % 2 == 0 and shape[2] % 2 == 0


def _deep(shape: tuple[int, ...]) -> bool:
    return shape[3] >= 2


def _thick(shape: tuple[int, ...]) -> bool:
    return shape[1] >= 3 and shape[2] >= 3


STEPS: tuple[Step, ...] = (
    Step(kind="CONV_2D", apply=_conv),
    Step(kind="DEPTHWISE_CONV_2D", apply=_depthwise),
    Step(kind="FULLY_CONNECTED", apply=_fully_connected, fits=lambda s: math.prod(s) <= 4096),
    Step(kind="TRANSPOSE_CONV", apply=_transpose_conv),
    Step(kind="BATCH_MATMUL", apply=_batch_matmul, dtypes=ONLY_INT8),
    Step(kind="ADD", apply=lambda b, x: b.add(x, other_like(b, x), _clip(b))),
    Step(kind="SUB", apply=lambda b, x: b.sub(x, other_like(b, x), _clip(b))),
    Step(kind="MUL", apply=lambda b, x: b.mul(x, other_like(b, x), _clip(b))),
    Step(kind="MINIMUM", apply=lambda b, x: b.minimum(x, other_like(b, x))),
    Step(kind="MAXIMUM", apply=lambda b, x: b.maximum(x, other_like(b, x))),
    Step(
        kind="SQUARED_DIFFERENCE",
        apply=lambda b, x: b.squared_difference(x, branch(b, x)),
        dtypes=ONLY_INT8,
    ),
    Step(kind="RELU", apply=lambda b, x: b.relu(x)),
    Step(kind="RELU6", apply=lambda b, x: b.relu(x, "RELU6")),
    Step(kind="RELU_N1_TO_1", apply=lambda b, x: b.relu(x, "RELU_N1_TO_1"), dtypes=EIGHT),
    Step(kind="RELU_0_TO_1", apply=lambda b, x: b.relu(x, "RELU_0_TO_1"), dtypes=EIGHT),
    Step(kind="LOGISTIC", apply=lambda b, x: b.logistic(x)),
    Step(kind="TANH", apply=lambda b, x: b.tanh(x)),
    Step(kind="HARD_SWISH", apply=lambda b, x: b.hard_swish(x), dtypes=EIGHT),
    Step(
        kind="LEAKY_RELU",
        apply=lambda b, x: b.leaky_relu(x, b.draws.pick((0.1, 0.01, 0.3, 0.75))),
    ),
    Step(kind="PRELU", apply=lambda b, x: b.prelu(x), dtypes=EIGHT),
    Step(kind="GELU", apply=lambda b, x: b.gelu(x), dtypes=EIGHT),
    Step(kind="EXP", apply=_exp, dtypes=SIGNED),
    Step(kind="LOG", apply=lambda b, x: b.log(_positive(b, x)), dtypes=SIGNED),
    Step(kind="RSQRT", apply=lambda b, x: b.rsqrt(_positive(b, x)), dtypes=SIGNED),
    Step(kind="ABS", apply=lambda b, x: b.abs(x), dtypes=SIGNED),
    Step(kind="SOFTMAX", apply=_softmax, fits=_deep),
    Step(kind="QUANTIZE", apply=_quantize),
    Step(kind="RESHAPE", apply=_reshape),
    Step(kind="EXPAND_DIMS", apply=_expand_dims),
    Step(kind="SQUEEZE", apply=_squeeze),
    Step(kind="TRANSPOSE", apply=_transpose),
    Step(kind="TILE", apply=_tile),
    Step(kind="REVERSE_V2", apply=lambda b, x: b.reverse(x, (b.draws.integer(1, 3),))),
    Step(kind="PAD", apply=_pad),
    Step(kind="PADV2", apply=lambda b, x: b.pad_with(x, _borders(b, 3), -0.5)),
    Step(kind="MIRROR_PAD", apply=_mirror_pad, fits=_thick),
    Step(kind="CONCATENATION", apply=_concat),
    Step(kind="PACK", apply=_pack),
    Step(kind="UNPACK", apply=_unpack, fits=lambda s: 2 <= s[1] <= 8),
    Step(kind="SPLIT", apply=_split, fits=_can_split),
    Step(kind="SPLIT_V", apply=_split_by, fits=lambda s: max(s[1:]) >= 3),
    Step(kind="SLICE", apply=_slice),
    Step(kind="STRIDED_SLICE", apply=_strided_slice),
    Step(kind="MAX_POOL_2D", apply=_max_pool),
    Step(kind="AVERAGE_POOL_2D", apply=_avg_pool),
    Step(kind="MEAN", apply=_mean),
    Step(kind="SUM", apply=_sum, dtypes=(DType.UINT8,)),
    Step(kind="REDUCE_MAX", apply=_reduce_max),
    Step(kind="REDUCE_MIN", apply=_reduce_min),
    Step(kind="ARG_MAX", apply=whole_numbers, dtypes=EIGHT, fits=_deep),
    Step(kind="RESIZE_NEAREST_NEIGHBOR", apply=_resize_nearest),
    Step(kind="RESIZE_BILINEAR", apply=_resize_bilinear),
    Step(kind="UNIDIRECTIONAL_SEQUENCE_LSTM", apply=_lstm, dtypes=ONLY_INT8, fits=_short),
    Step(kind="GATHER", apply=_gather),
    Step(
        kind="DEPTH_TO_SPACE",
        apply=lambda b, x: b.depth_to_space(x),
        dtypes=ONLY_INT8,
        fits=lambda s: s[3] % 4 == 0,
    ),
    Step(kind="SPACE_TO_DEPTH", apply=lambda b, x: b.space_to_depth(x), dtypes=EIGHT, fits=_even),
    Step(kind="COS", apply=lambda b, x: b.float_cosine(x)),
)

BY_KIND: Mapping[str, Step] = MappingProxyType({step.kind: step for step in STEPS})
