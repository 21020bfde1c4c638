"""Random and hand-made commands, in the values that a program is made of."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.fixedpoint import Multiplier
from core.base.frozen import replace
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Block, Kernel, Padding, Resampling, Shape4
from core.emit import assemble as assembling
from core.emit import disassemble as disassembling
from core.emit import maps, words
from core.emit.instructions.first_architecture import FIRST_ARCHITECTURE
from core.emit.instructions.instruction_set import WIDE, Launch, Reg
from core.emit.payload import word_of
from core.ir.npugraph import Rounding
from core.ir.program import (
    NO_BROADCAST,
    AcceleratorWord,
    ActivationUse,
    AddressRange,
    Broadcast,
    BufferUse,
    Clip,
    CommandStream,
    Curve,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Engine,
    Interrupt,
    Job,
    MapUse,
    NpuOperation,
    OperandScaling,
    ScalarUse,
    Stop,
    Strides,
    Tiles,
    Wait,
)
from core.target.format import Format
from core.target.registry import accelerator_named
from core.target.shram import Accumulator

U55 = word_of(accelerator_named("ethos-u55-128"))
U65 = word_of(accelerator_named("ethos-u65-512"))


def assemble(found: CommandStream, accelerator: AcceleratorWord) -> tuple[int, ...]:
    return assembling.assemble(found, accelerator, FIRST_ARCHITECTURE)


def disassemble(found: Sequence[int]) -> CommandStream:
    return disassembling.disassemble(found, FIRST_ARCHITECTURE)


def writes(found: Sequence[int]) -> list[words.Write]:
    return list(words.decode(found, FIRST_ARCHITECTURE))


def raw(name: Reg | Launch, value: int, code: int | None = None) -> tuple[int, ...]:
    """A command as it stands in a stream, whatever its bits mean."""
    code = FIRST_ARCHITECTURE.codes[name] if code is None else code
    if code & WIDE:
        return code | value >> words.WORD_BITS << 16, value & words.WORD_MASK
    return (code | value << 16,)


TYPES = (DType.UINT8, DType.INT8, DType.UINT16, DType.INT16, DType.INT32)
ROUNDINGS = (Rounding.DOUBLE, Rounding.TRUNCATE, Rounding.NATURAL)

addresses = st.integers(0, (1 << 40) - 1)
lengths = st.integers(0, (1 << 20) - 1)
halves = st.integers(0, (1 << 16) - 1)
sizes = st.integers(1, 1 << 16)
multipliers = st.builds(Multiplier, st.integers(0, (1 << 32) - 1), st.integers(0, 63))
plain_factors = st.builds(Multiplier, halves, st.just(0))
"""What scales an operand in 16 bits, and with nothing shifted."""
broadcasts = st.builds(Broadcast, st.booleans(), st.booleans(), st.booleans())
kernels = st.builds(
    Kernel,
    h=st.integers(1, 20),
    w=st.integers(1, 20),
    stride_h=st.integers(1, 4),
    stride_w=st.integers(1, 4),
    dilation_h=st.integers(1, 2),
    dilation_w=st.integers(1, 2),
)
paddings = st.builds(
    Padding,
    top=st.integers(0, 12),
    left=st.integers(0, 12),
    bottom=st.integers(0, 12),
    right=st.integers(0, 12),
)


def zero_points(dtype: DType) -> st.SearchStrategy[int]:
    if dtype is DType.INT32:
        return st.integers(-(1 << 15), (1 << 15) - 1)
    return st.integers(*dtype.limits)


@st.composite
def map_uses(draw, shape: Shape4) -> MapUse:
    dtype = draw(st.sampled_from(TYPES))
    steps = st.integers(-(1 << 20), 1 << 32)
    return MapUse(
        region=draw(st.integers(0, 7)),
        bases=(draw(addresses), draw(addresses), draw(addresses), draw(addresses)),
        tiles=Tiles(draw(sizes), draw(sizes), draw(sizes)),
        strides=Strides(draw(steps), draw(steps), draw(steps)),
        shape=shape,
        dtype=dtype,
        zero_point=draw(zero_points(dtype)),
        format=draw(st.sampled_from(Format)),
    )


@st.composite
def activations(draw) -> ActivationUse:
    bounds = st.integers(-(1 << 15), (1 << 15) - 1)
    curve = draw(st.sampled_from(Curve))
    return ActivationUse(
        minimum=draw(bounds),
        maximum=draw(bounds),
        curve=curve,
        table=draw(st.integers(0, 7)) if curve is Curve.TABLE else None,
        clip=draw(st.sampled_from(Clip)),
    )


@st.composite
def operations(draw, cores: int = 1) -> NpuOperation:
    job = draw(st.sampled_from(Job))
    ofm = Shape4(1, draw(st.integers(1, 300)), draw(st.integers(1, 300)), draw(sizes))
    kernel, padding, upscale = ONE_ELEMENT, NO_PADDING, draw(st.sampled_from(Resampling))
    if not job.is_elementwise:
        kernel, padding = draw(kernels), draw(paddings)
    try:
        ifm = maps.input_shape(ofm, draw(sizes), kernel, padding, upscale)
    except InputError:
        padding = NO_PADDING
        ifm = maps.input_shape(ofm, draw(sizes), kernel, padding, upscale)
    broadcast = draw(broadcasts) if job.is_binary else NO_BROADCAST
    has_global_scale = draw(st.booleans())
    ranges = st.builds(AddressRange, st.just(draw(st.integers(0, 7))), addresses, lengths)
    scaling = draw(st.sampled_from(OperandScaling))
    first = plain_factors if scaling is OperandScaling.BOTH else multipliers
    ifm2 = draw(second_inputs(ofm, broadcast)) if job.is_binary else None
    return NpuOperation(
        job=job,
        ifm=draw(map_uses(ifm)),
        ofm=draw(map_uses(ofm)),
        ifm2=ifm2,
        broadcast=broadcast,
        operands_swapped=job.is_binary and draw(st.booleans()),
        operand_scaling=scaling,
        operand_rounding=draw(st.sampled_from((Rounding.DOUBLE, Rounding.NATURAL))),
        kernel=kernel,
        padding=padding,
        upscale=upscale,
        is_part_kernel=not job.is_elementwise and draw(st.booleans()),
        weights=draw(st.tuples(*[ranges] * cores)) if job.has_weights else (),
        scales=draw(st.tuples(*[ranges] * cores))
        if job.has_weights and not has_global_scale
        else (),
        ofm_scale=draw(multipliers) if has_global_scale or job.is_elementwise else None,
        has_global_scale=has_global_scale,
        ifm_scales=(draw(first), draw(plain_factors)) if job.scales_inputs else None,
        rounding=draw(st.sampled_from(ROUNDINGS)),
        activation=draw(activations()),
        block=Block(draw(st.integers(1, 32)), draw(st.integers(1, 64)), draw(st.integers(1, 128))),
        accumulator=draw(st.sampled_from(Accumulator)),
        buffer=BufferUse(
            draw(st.integers(0, 48)),
            draw(st.integers(0, 48)),
            draw(st.integers(0, 48)) if isinstance(ifm2, MapUse) else None,
        ),
        block_dependency=draw(st.integers(0, 3)),
        cores=cores,
    )


@st.composite
def second_inputs(draw, ofm: Shape4, broadcast: Broadcast) -> MapUse | ScalarUse:
    if draw(st.booleans()):
        return draw(map_uses(maps.second_shape(ofm, broadcast)))
    dtype = draw(st.sampled_from(TYPES))
    low, high = (-(1 << 15), (1 << 15) - 1) if dtype.is_signed else (0, (1 << 16) - 1)
    return ScalarUse(
        value=draw(st.integers(low, high)), dtype=dtype, zero_point=draw(zero_points(dtype))
    )


dma_places = st.one_of(
    st.builds(DmaPlace, st.integers(0, 7), addresses),
    st.builds(DmaPlace, st.just(3), addresses, st.just(value=True)),
)
skips = st.integers(-(1 << 30), 1 << 30)
repeats = st.lists(st.builds(DmaRepeat, halves, skips), max_size=2).map(tuple)
transfers = st.builds(
    DmaTransfer,
    source=dma_places,
    destination=dma_places,
    size_bytes=addresses,
    repeats=repeats,
)
waits = st.one_of(
    st.builds(Wait, engine=st.just(Engine.KERNEL), outstanding=st.integers(0, 3)),
    st.builds(Wait, engine=st.just(Engine.DMA), outstanding=st.integers(0, 15)),
)


def streams(cores: int = 1) -> st.SearchStrategy[CommandStream]:
    """Streams of any commands, with their end."""
    commands = st.one_of(operations(cores), transfers, waits, st.just(Interrupt(mask=1)))
    return st.lists(commands, max_size=6).map(
        lambda found: CommandStream(commands=(*found, Stop()))
    )


def flat(shape: Shape4, address: int, region: int = 1, dtype: DType = DType.INT8) -> MapUse:
    """A map in rows, in one piece."""
    c = dtype.size_bytes
    return MapUse(
        region=region,
        bases=(address, 0, 0, 0),
        tiles=Tiles(shape.h, shape.h, shape.w),
        strides=Strides(shape.w * shape.c * c, shape.c * c, c),
        shape=shape,
        dtype=dtype,
        zero_point=0,
        format=Format.LINEAR,
    )


def pool(ifm: MapUse, ofm: MapUse) -> NpuOperation:
    """An operation that copies, in one block."""
    return NpuOperation(
        job=Job.AVERAGE_POOL,
        ifm=ifm,
        ofm=ofm,
        ofm_scale=Multiplier(1, 0),
        has_global_scale=True,
        activation=ActivationUse(minimum=-128, maximum=127),
        block=Block(2, 4, 8),
        accumulator=Accumulator.ACC32,
        buffer=BufferUse(4, 8),
    )


def rows(use: MapUse, first: int, count: int) -> MapUse:
    """Some rows of a map."""
    address = use.bases[0] + first * use.strides.y
    return replace(
        use,
        bases=(address, 0, 0, 0),
        tiles=Tiles(count, count, use.tiles.width0),
        shape=use.shape.with_hw(count, use.shape.w),
    )


def stream(*commands: object) -> CommandStream:
    """Commands and their end."""
    return CommandStream(commands=(*commands, Stop()))


@st.composite
def moved(draw, op: NpuOperation) -> NpuOperation:
    """The same operation at other addresses, with streams of other sizes."""

    def elsewhere(use: MapUse) -> MapUse:
        bases = (draw(addresses), *(draw(addresses) if each else 0 for each in use.bases[1:]))
        return replace(use, bases=bases)

    def ranges(found: tuple[AddressRange, ...]) -> tuple[AddressRange, ...]:
        return tuple(AddressRange(each.region, draw(addresses), draw(sizes)) for each in found)

    return replace(
        op,
        ifm=elsewhere(op.ifm),
        ofm=elsewhere(op.ofm),
        ifm2=elsewhere(op.ifm2) if isinstance(op.ifm2, MapUse) else op.ifm2,
        weights=ranges(op.weights),
        scales=ranges(op.scales),
    )


@st.composite
def repeating(draw) -> CommandStream:
    """A few operations again and again, each time somewhere else."""
    few = draw(st.lists(operations(), min_size=1, max_size=3))
    order = draw(st.lists(st.sampled_from(few), min_size=1, max_size=8))
    return stream(*(draw(moved(op)) for op in order))
