"""Random operations and transfers in so little memory that they meet all the time."""

from __future__ import annotations

from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.frozen import replace
from core.base.geometry import NO_PADDING, Block, Kernel, Padding, Resampling, Shape4, ceil_div
from core.emit import maps
from core.ir.program import (
    ActivationUse,
    AddressRange,
    Broadcast,
    Curve,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Job,
    MapUse,
    NpuOperation,
    Strides,
    Tiles,
)
from core.target.accelerator import Accelerator
from core.target.format import Format
from tests.core.emit.streams import flat, pool

MEMORY = 1536
"""Bytes that commands start in."""
JOBS = (
    Job.CONVOLUTION,
    Job.DEPTHWISE,
    Job.MAX_POOL,
    Job.REDUCE_SUM,
    Job.ADD,
    Job.MINIMUM,
    Job.ABS,
)
LEVELS = st.builds(
    lambda h, w, c: Shape4(1, h, w, c), st.integers(1, 8), st.integers(1, 6), st.integers(1, 40)
)
KERNELS = st.builds(
    Kernel,
    h=st.integers(1, 3),
    w=st.integers(1, 3),
    stride_h=st.integers(1, 2),
    stride_w=st.integers(1, 2),
    dilation_h=st.integers(1, 2),
)
PADDINGS = st.builds(
    Padding,
    top=st.integers(0, 1),
    left=st.integers(0, 1),
    bottom=st.integers(0, 1),
    right=st.integers(0, 1),
)
BLOCKS = st.builds(Block, st.integers(1, 4), st.integers(1, 4), st.sampled_from((4, 8, 16, 32)))
ADDRESSES = st.integers(0, MEMORY // 16).map(lambda number: number * 16)


@st.composite
def map_uses(draw, shape: Shape4) -> MapUse:
    """A map of rows or bricks, of its own or a part of a larger one, in one piece or in tiles."""
    dtype = draw(st.sampled_from((DType.INT8, DType.INT8, DType.INT16, DType.INT32)))
    size, c = dtype.size_bytes, shape.c + draw(st.sampled_from((0, 0, 8)))
    if draw(st.booleans()):
        brick_row = shape.w * 16 * size
        layout, steps = Format.BRICKS, Strides(ceil_div(c, 16) * brick_row, 16 * size, brick_row)
    else:
        layout, steps = Format.LINEAR, Strides(shape.w * c * size, c * size, size)
    use = replace(flat(shape, 0, dtype=dtype), strides=steps, format=layout)
    if draw(st.integers(0, 3)):
        return replace(use, bases=(draw(ADDRESSES), 0, 0, 0))
    height = draw(st.integers(1, shape.h))
    tiles = Tiles(height, draw(st.integers(1, shape.h)), draw(st.integers(1, shape.w)))
    return replace(use, bases=tuple(draw(ADDRESSES) for _ in range(4)), tiles=tiles)


@st.composite
def operations(draw, before: NpuOperation | None) -> NpuOperation:
    """An operation, which often reads what the one before it makes."""
    job, ofm = draw(st.sampled_from(JOBS)), draw(LEVELS)
    if before is not None and draw(st.booleans()):
        ofm = before.ofm.shape
    plain = pool(flat(ofm, 0), draw(map_uses(ofm)))
    operation = replace(plain, job=job, block=draw(BLOCKS), activation=draw(activations()))
    operation = replace(operation, is_part_kernel=job is Job.CONVOLUTION and draw(st.booleans()))
    if job.is_elementwise:
        return draw(element_wise(operation, before))
    operation = replace(
        operation,
        kernel=draw(KERNELS),
        padding=draw(PADDINGS),
        upscale=draw(st.sampled_from(Resampling)),
    )
    if job is Job.REDUCE_SUM:
        operation = replace(operation, ofm=draw(map_uses(ofm.with_depth(1))))
    if job.has_weights:
        weights = AddressRange(1, draw(ADDRESSES), 16 * draw(st.integers(1, 8)))
        operation = replace(operation, weights=(weights,))
    sums = job in {Job.CONVOLUTION, Job.REDUCE_SUM}
    depth = before.ofm.shape.c if before is not None and draw(st.booleans()) else 80
    shape = input_of(operation, depth if sums else ofm.c)
    if shape is None:
        operation = replace(operation, padding=NO_PADDING)
        shape = input_of(operation, ofm.c)
        assert shape is not None
    return replace(operation, ifm=draw(inputs(shape, before)))


def input_of(operation: NpuOperation, depth: int) -> Shape4 | None:
    output, kernel, padding = operation.ofm.shape, operation.kernel, operation.padding
    try:
        return maps.input_shape(output, depth, kernel, padding, operation.upscale)
    except InputError:
        return None


@st.composite
def element_wise(draw, operation: NpuOperation, before: NpuOperation | None) -> NpuOperation:
    shape = operation.ofm.shape
    operation = replace(operation, ifm=draw(inputs(shape, before)))
    if not operation.job.is_binary:
        return operation
    broadcast = draw(st.builds(Broadcast, st.booleans(), st.booleans(), st.booleans()))
    second = draw(inputs(maps.second_shape(shape, broadcast), before))
    return replace(operation, ifm2=second, broadcast=broadcast)


@st.composite
def inputs(draw, shape: Shape4, before: NpuOperation | None) -> MapUse:
    """A map; mostly one that starts near to the last output, and often laid out like it."""
    use = draw(map_uses(shape))
    if before is None or not draw(st.integers(0, 4)):
        return use
    made, steps = before.ofm, before.ofm.strides
    if draw(st.integers(0, 3)):
        tiles = made.tiles if draw(st.booleans()) else use.tiles
        use = replace(use, dtype=made.dtype, format=made.format, strides=steps, tiles=tiles)
    near = (0, 0, 8, 16, steps.y, 2 * steps.y, steps.y + steps.c, steps.c, 2 * steps.c)
    shift = draw(st.sampled_from(near)) * draw(st.sampled_from((1, -1)))
    return replace(use, bases=tuple(max(base + shift, 0) for base in made.bases))


@st.composite
def activations(draw) -> ActivationUse:
    if draw(st.integers(0, 5)):
        return ActivationUse(minimum=-128, maximum=127)
    table = draw(st.integers(0, 1))
    return ActivationUse(minimum=-128, maximum=127, curve=Curve.TABLE, table=table)


@st.composite
def transfers(draw, accelerator: Accelerator) -> DmaTransfer:
    """A transfer to memory or to a table; some gather pieces."""
    size = 16 * draw(st.integers(1, 8))
    destination = DmaPlace(1, draw(ADDRESSES))
    if not draw(st.integers(0, 3)):
        area = accelerator.tables.start
        destination = DmaPlace(0, area + draw(st.sampled_from((0, 256, 1024))), is_internal=True)
    repeat = st.builds(DmaRepeat, st.integers(1, 3), st.sampled_from((0, 16, 64)))
    return DmaTransfer(
        source=DmaPlace(draw(st.sampled_from((0, 1))), draw(ADDRESSES)),
        destination=destination,
        size_bytes=size,
        repeats=tuple(draw(st.lists(repeat, max_size=2))),
    )


@st.composite
def pairs(draw) -> tuple[NpuOperation, NpuOperation]:
    """An operation, and one that likely reads what it makes."""
    before = draw(operations(None))
    return before, draw(operations(before))


@st.composite
def sequences(draw, accelerator: Accelerator) -> tuple[NpuOperation | DmaTransfer, ...]:
    """Some commands."""
    found: list[NpuOperation | DmaTransfer] = []
    before = None
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.integers(0, 2)):
            before = draw(operations(before))
            found.append(before)
        else:
            found.append(draw(transfers(accelerator)))
    return tuple(found)
