"""Convolutions and pooling, held against loops over every element."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier, multiply_by_quantized_multiplier
from core.base.frozen import replace
from core.base.geometry import Kernel, Padding, Resampling, ceil_div
from core.ir.program import AddressRange, Job, NpuOperation
from core.simulate import convolution
from core.target.registry import accelerator_named
from core.target.unit import Unit
from core.weights.bricks import BrickShape, brick_order
from core.weights.stream import encode_streams
from tests.core.simulate.streams import map_at, operation, result_of, run
from tests.effort import some_of

KERNELS = st.builds(
    Kernel,
    h=st.integers(1, 4),
    w=st.integers(1, 4),
    stride_h=st.integers(1, 3),
    stride_w=st.integers(1, 3),
    dilation_h=st.integers(1, 2),
    dilation_w=st.integers(1, 2),
)
CORES = {"ethos-u55-32": 1, "ethos-u55-256": 1, "ethos-u65-512": 2}


@st.composite
def windowed(draw, job):
    """An operation, and the bytes of its input."""
    kernel = draw(KERNELS)
    if job is not Job.CONVOLUTION and job is not Job.DEPTHWISE:
        kernel = replace(kernel, dilation_h=1, dilation_w=1)
    upscale = draw(st.sampled_from(Resampling)) if job.has_weights else Resampling.NONE
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    padding = Padding(
        top=draw(st.integers(0, kernel.dilated_h - 1)),
        left=draw(st.integers(0, kernel.dilated_w - 1)),
    )
    height = (rows - 1) * kernel.stride_h + kernel.dilated_h - padding.top
    width = (columns - 1) * kernel.stride_w + kernel.dilated_w - padding.left
    channels = draw(st.integers(1, 20))
    depth = draw(st.integers(1, 20)) if job is Job.CONVOLUTION else channels
    given_shape = (ceil_div(height, upscale.factor), ceil_div(width, upscale.factor), channels)
    zero_point = draw(st.integers(-128, 127))
    ifm = map_at(0, given_shape, bricks=draw(st.booleans()), zero_point=zero_point)
    ofm = map_at(1 << 15, (rows, columns, depth), DType.INT32)
    op = operation(job, ifm, ofm, kernel=kernel, padding=padding, upscale=upscale)
    return op, draw(st.binary(min_size=1, max_size=8))


def filled(op: NpuOperation, seed: bytes) -> tuple[np.ndarray, bytes]:
    """Random elements of the input, and the bytes of memory that hold them."""
    random = np.random.default_rng(list(seed))
    shape = op.ifm.shape
    values = random.integers(-128, 128, (shape.h, shape.w, shape.c))
    memory = np.zeros(shape.h * op.ifm.strides.y, np.int8)
    for y, x, c in product(range(shape.h), range(shape.w), range(shape.c)):
        memory[address(op, y, x, c)] = values[y, x, c]
    return values, memory.tobytes()


def address(op: NpuOperation, y: int, x: int, c: int) -> int:
    steps = op.ifm.strides
    if op.ifm.format.value == "NHWC":
        return y * steps.y + x * steps.x + c
    return y * steps.y + x * 16 + c // 16 * steps.c + c % 16


def at(op: NpuOperation, values: np.ndarray, y: int, x: int, c: int) -> int | None:
    """An element after upscaling and without its zero point; None on the border."""
    y, x, factor = y - op.padding.top, x - op.padding.left, op.upscale.factor
    if not (0 <= y < values.shape[0] * factor and 0 <= x < values.shape[1] * factor):
        return None
    if op.upscale is Resampling.TRANSPOSE and (y % 2 or x % 2):
        return 0
    return int(values[y // factor, x // factor, c]) - op.ifm.zero_point


def under(op: NpuOperation, values: np.ndarray, y: int, x: int, c: int):
    """The taps of a window, and the elements under them."""
    kernel = op.kernel
    for row, column in product(range(kernel.h), range(kernel.w)):
        down, right = row * kernel.dilation_h, column * kernel.dilation_w
        found = at(op, values, y * kernel.stride_h + down, x * kernel.stride_w + right, c)
        if found is not None:
            yield (row, column), found


def weighted(op: NpuOperation, weights: np.ndarray, name: str, start: int):
    """The operation with its streams, and the constants that hold them from `start` on."""
    accelerator, cores = accelerator_named(name), CORES[name]
    streams, data = [], b""
    for core in range(min(cores, weights.shape[0])):
        bricks = BrickShape.of(
            accelerator,
            Unit.DEPTHWISE if op.job is Job.DEPTHWISE else Unit.CONVOLUTION,
            op.kernel,
            ifm_bits=8,
            block_depth=(op.block.c + cores - 1 - core) // cores,
            is_part_kernel=op.is_part_kernel,
        )
        (stream,) = encode_streams([brick_order(weights[core::cores], bricks)])
        streams.append(AddressRange(0, start + len(data), len(stream)))
        data += stream
    streams += [AddressRange(0, 0, 0)] * (cores - len(streams))
    return replace(op, weights=tuple(streams), cores=cores), data


def records(depth: int, cores: int, seed: int) -> tuple[list[tuple[int, int, int]], list[bytes]]:
    random = np.random.default_rng(seed)
    rows = [
        (int(random.integers(-(1 << 20), 1 << 20)), int(random.integers(1 << 30, 1 << 31)), 34)
        for _ in range(depth)
    ]
    packed = [
        (bias & ((1 << 40) - 1) | factor << 40 | shift << 72).to_bytes(10, "little")
        for bias, factor, shift in rows
    ]
    return rows, [b"".join(packed[core::cores]) for core in range(cores)]


@pytest.mark.parametrize("job", [Job.CONVOLUTION, Job.DEPTHWISE])
@pytest.mark.parametrize("name", CORES)
@settings(max_examples=some_of(25))
@given(
    data=st.data(),
    is_part_kernel=st.booleans(),
    block_depth=st.sampled_from([8, 16, 32]),
    deep=st.sampled_from([1, convolution.DEEP]),
    most_sums=st.integers(1, 200),
)
def test_convolutions_are_sums_of_products(
    job, name, data, is_part_kernel, block_depth, deep, most_sums
):
    op, seed = data.draw(windowed(job))
    depth, kernel = op.ofm.shape.c, op.kernel
    op = replace(
        op,
        is_part_kernel=is_part_kernel and job is Job.CONVOLUTION,
        block=op.block._replace(c=block_depth),
        ofm_scale=None,
    )
    values, memory = filled(op, seed)
    inner = 1 if job is Job.DEPTHWISE else op.ifm.shape.c
    weights = np.random.default_rng(list(seed)).integers(
        -128, 128, (depth, kernel.h, kernel.w, inner), np.int16
    )
    factors, packed = records(depth, CORES[name], len(seed))
    places, constants = [], b""
    for core in packed:
        places.append(AddressRange(0, len(constants), len(core)))
        constants += core
    op, streams = weighted(replace(op, scales=tuple(places)), weights, name, len(constants))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "DEEP", deep)
        patch.setattr(convolution, "MOST_SUMS", most_sums)
        ran = run([op], memory, op.ofm, constants=constants + streams, accelerator=name)
    got = result_of(ran)
    for y, x, o in np.ndindex(got.shape):
        channels = [o] if job is Job.DEPTHWISE else range(inner)
        total = sum(
            value * int(weights[o, *tap, 0 if job is Job.DEPTHWISE else c])
            for c in channels
            for tap, value in under(op, values, y, x, c)
        )
        bias, multiplier, shift = factors[o]
        assert got[y, x, o] == multiply_by_quantized_multiplier(total + bias, multiplier, shift)


@settings(max_examples=40)
@given(windowed(Job.MAX_POOL))
def test_the_border_is_never_the_greatest(case):
    op, seed = case
    values, memory = filled(op, seed)
    got = result_of(run([op], memory, op.ofm))
    for y, x, c in np.ndindex(got.shape):
        assert got[y, x, c] == max(value for _, value in under(op, values, y, x, c))


@settings(max_examples=40)
@given(windowed(Job.AVERAGE_POOL))
def test_a_mean_counts_what_is_there_and_rounds_halves_away_from_zero(case):
    op, seed = case
    values, memory = filled(op, seed)
    got = result_of(run([op], memory, op.ofm))
    for y, x, c in np.ndindex(got.shape):
        seen = [value for _, value in under(op, values, y, x, c)]
        total, count = sum(seen), len(seen)
        nearest = (2 * abs(total) + count) // (2 * count)
        assert got[y, x, c] == (nearest if total >= 0 else -nearest)


def test_a_sum_over_channels_is_scaled():
    ifm = map_at(0, (2, 1, 3), zero_point=1)
    ofm = map_at(64, (2, 1, 1), DType.INT32)
    op = operation(
        Job.REDUCE_SUM, ifm, ofm, has_global_scale=True, ofm_scale=Multiplier(1 << 30, 29)
    )
    got = result_of(run([op], bytes([1, 2, 3, 4, 5, 6]), ofm))
    assert got.ravel().tolist() == [6, 24]
