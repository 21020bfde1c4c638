"""What an instruction set is: registers and their parts by name, with their numbers as facts.

A command word has a code in its lower half: ten bits, and bit 14 where a second word follows. Its
upper half is a parameter; with a second word, that is bits 32 to 47 of the value. Launches start
something, all other commands set a register. This much all architectures have in common; which
registers there are, and what is where in them, is an `InstructionSet`, one file for each. What an
instruction set does not name, in registers and parameters alike, nobody here reads or writes.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Generic, TypeVar

from core.base.dtype import DType
from core.base.frozen import Frozen, NamedTuple, members
from core.base.geometry import Resampling
from core.ir.npugraph import Rounding
from core.ir.program import Clip, Curve, Job, OperandScaling
from core.target.shram import Accumulator

WIDE = 0x4000
CODE_MASK = WIDE | 0x3FF
ADDRESS_BITS = 40


class Launch(enum.StrEnum):
    """Commands that start something."""

    STOP = enum.auto()
    IRQ = enum.auto()
    CONV = enum.auto()
    DEPTHWISE = enum.auto()
    POOL = enum.auto()
    ELEMENTWISE = enum.auto()
    DMA_START = enum.auto()
    DMA_WAIT = enum.auto()
    KERNEL_WAIT = enum.auto()
    PMU_MASK = enum.auto()


class Reg(enum.StrEnum):
    """Registers of all instruction sets; each has codes for those that it knows."""

    IFM_PAD_TOP = enum.auto()
    IFM_PAD_LEFT = enum.auto()
    IFM_PAD_RIGHT = enum.auto()
    IFM_PAD_BOTTOM = enum.auto()
    IFM_DEPTH_M1 = enum.auto()
    IFM_PRECISION = enum.auto()
    IFM_UPSCALE = enum.auto()
    IFM_ZERO_POINT = enum.auto()
    IFM_WIDTH0_M1 = enum.auto()
    IFM_HEIGHT0_M1 = enum.auto()
    IFM_HEIGHT1_M1 = enum.auto()
    IFM_IB_END = enum.auto()
    IFM_REGION = enum.auto()
    OFM_WIDTH_M1 = enum.auto()
    OFM_HEIGHT_M1 = enum.auto()
    OFM_DEPTH_M1 = enum.auto()
    OFM_PRECISION = enum.auto()
    OFM_BLK_WIDTH_M1 = enum.auto()
    OFM_BLK_HEIGHT_M1 = enum.auto()
    OFM_BLK_DEPTH_M1 = enum.auto()
    OFM_ZERO_POINT = enum.auto()
    OFM_WIDTH0_M1 = enum.auto()
    OFM_HEIGHT0_M1 = enum.auto()
    OFM_HEIGHT1_M1 = enum.auto()
    OFM_REGION = enum.auto()
    KERNEL_WIDTH_M1 = enum.auto()
    KERNEL_HEIGHT_M1 = enum.auto()
    KERNEL_STRIDE = enum.auto()
    PARALLEL_MODE = enum.auto()
    ACC_FORMAT = enum.auto()
    ACTIVATION = enum.auto()
    ACTIVATION_MIN = enum.auto()
    ACTIVATION_MAX = enum.auto()
    WEIGHT_REGION = enum.auto()
    SCALE_REGION = enum.auto()
    AB_START = enum.auto()
    BLOCKDEP = enum.auto()
    DMA0_SRC_REGION = enum.auto()
    DMA0_DST_REGION = enum.auto()
    DMA0_SIZE0 = enum.auto()
    DMA0_SIZE1 = enum.auto()
    IFM2_BROADCAST = enum.auto()
    IFM2_SCALAR = enum.auto()
    IFM2_PRECISION = enum.auto()
    IFM2_ZERO_POINT = enum.auto()
    IFM2_WIDTH0_M1 = enum.auto()
    IFM2_HEIGHT0_M1 = enum.auto()
    IFM2_HEIGHT1_M1 = enum.auto()
    IFM2_IB_START = enum.auto()
    IFM2_REGION = enum.auto()
    IFM_BASE0 = enum.auto()
    IFM_BASE1 = enum.auto()
    IFM_BASE2 = enum.auto()
    IFM_BASE3 = enum.auto()
    IFM_STRIDE_X = enum.auto()
    IFM_STRIDE_Y = enum.auto()
    IFM_STRIDE_C = enum.auto()
    OFM_BASE0 = enum.auto()
    OFM_BASE1 = enum.auto()
    OFM_BASE2 = enum.auto()
    OFM_BASE3 = enum.auto()
    OFM_STRIDE_X = enum.auto()
    OFM_STRIDE_Y = enum.auto()
    OFM_STRIDE_C = enum.auto()
    WEIGHT_BASE = enum.auto()
    WEIGHT_LENGTH = enum.auto()
    SCALE_BASE = enum.auto()
    SCALE_LENGTH = enum.auto()
    OFM_SCALE = enum.auto()
    OPA_SCALE = enum.auto()
    OPB_SCALE = enum.auto()
    DMA0_SRC = enum.auto()
    DMA0_DST = enum.auto()
    DMA0_LEN = enum.auto()
    DMA0_SKIP0 = enum.auto()
    DMA0_SKIP1 = enum.auto()
    IFM2_BASE0 = enum.auto()
    IFM2_BASE1 = enum.auto()
    IFM2_BASE2 = enum.auto()
    IFM2_BASE3 = enum.auto()
    IFM2_STRIDE_X = enum.auto()
    IFM2_STRIDE_Y = enum.auto()
    IFM2_STRIDE_C = enum.auto()
    WEIGHT1_BASE = enum.auto()
    WEIGHT1_LENGTH = enum.auto()
    SCALE1_BASE = enum.auto()
    SCALE1_LENGTH = enum.auto()


class Bits(NamedTuple):
    """A part of a register that holds a number."""

    reg: Reg
    shift: int
    width: int

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.shift

    def read(self, value: int) -> int:
        """The number in a register of this value."""
        return (value & self.mask) >> self.shift


Value = TypeVar("Value", bound=Hashable)


class Coded(Frozen, Generic[Value], kw_only=False, eq=False, dict=True):
    """A part of a register in which numbers stand for something."""

    bits: Bits
    values: Mapping[int, Value]

    @cached_property
    def placed(self) -> Mapping[Value, int]:
        """The numbers where they are in the register."""
        placed = {value: number << self.bits.shift for number, value in self.values.items()}
        return MappingProxyType(placed)


class MapRegisters(NamedTuple):
    """The registers of one feature map."""

    region: Reg
    bases: tuple[Reg, Reg, Reg, Reg]
    height0: Reg
    height1: Reg
    width0: Reg
    stride_y: Reg
    stride_x: Reg
    stride_c: Reg
    zero_point: Reg
    type: Coded[DType]
    is_bricks: Bits


class StreamRegisters(NamedTuple):
    """The registers of weights, or of scales."""

    region: Reg
    ranges: tuple[tuple[Reg, Reg], ...]
    """Start and size, for each core."""


class StrideBits(NamedTuple):
    """The parts of the register of stride, dilation and traversal; strides are cut in two."""

    x_low: Bits
    x_high: Bits
    y_low: Bits
    y_high: Bits
    dilation_x: Bits
    dilation_y: Bits
    part_kernel: Bits


class DmaRegisters(NamedTuple):
    """The registers of one end of a transfer."""

    region: Bits
    is_internal: Bits
    address: Reg


class BroadcastBits(NamedTuple):
    """How the second input of an element-wise operation is read."""

    h: Bits
    w: Bits
    c: Bits
    is_swapped: Bits
    is_scalar: Bits


class InstructionSet(Frozen, eq=False, dict=True):
    """How the accelerators of one architecture are told what to do."""

    architecture: int
    """The major version that streams ask for."""
    codes: Mapping[Reg | Launch, int]
    """Of all commands; those with the bit `WIDE` take a second word."""
    widths: Mapping[Reg | Launch, int]
    """Bits of those that hold one number; all others have parts."""
    jobs: Mapping[tuple[Launch, int], Job]
    """By launch and its parameter."""
    products_with_cores: frozenset[int]
    """Products that are told how many cores work side by side."""

    ifm: MapRegisters
    ifm2: MapRegisters
    ofm: MapRegisters
    weights: StreamRegisters
    scales: StreamRegisters
    stride: StrideBits
    broadcast: BroadcastBits
    operand_scaling: Coded[OperandScaling]
    operand_rounding: Coded[Rounding]
    has_global_scale: Bits
    rounding: Coded[Rounding]
    upscale: Coded[Resampling]
    accumulator: Coded[Accumulator]
    curve: Coded[tuple[Curve, int | None]]
    """With the number of the table, where it is one."""
    clip: Coded[Clip]

    dma_source: DmaRegisters
    dma_destination: DmaRegisters
    dma_dimensions: Coded[int]
    """How many there are beyond the first."""
    dma_repeats: tuple[tuple[Reg, Reg], ...]
    """Of those dimensions: how often, and bytes between."""

    @cached_property
    def names(self) -> Mapping[int, Reg | Launch]:
        """What there is by its code."""
        return _inverse(self.codes)

    @cached_property
    def job_codes(self) -> Mapping[Job, tuple[Launch, int]]:
        """Launch and parameter of a job."""
        return _inverse(self.jobs)

    @cached_property
    def parts(self) -> tuple[Bits | Coded[Hashable], ...]:
        """All parts of registers."""
        return tuple(_parts(tuple(members(self).values())))

    @cached_property
    def named(self) -> Mapping[Reg | Launch, int]:
        """The bits that mean something."""
        found = {name: (1 << width) - 1 for name, width in self.widths.items()}
        for part in self.parts:
            bits = part.bits if isinstance(part, Coded) else part
            found[bits.reg] = found.get(bits.reg, 0) | bits.mask
        return MappingProxyType(found)

    @cached_property
    def coded(self) -> Mapping[Reg | Launch, Mapping[int, frozenset[int]]]:
        """By the mask of each part in which only some numbers mean something: these in place."""
        found: dict[Reg | Launch, dict[int, frozenset[int]]] = defaultdict(dict)
        for part in self.parts:
            if isinstance(part, Coded):
                found[part.bits.reg][part.bits.mask] = frozenset(part.placed.values())
        for launch in {launch for launch, _ in self.jobs}:
            kinds = frozenset(number for each, number in self.jobs if each is launch)
            found[launch] = {self.named[launch]: kinds}
        return MappingProxyType(dict(found))

    @cached_property
    def steps(self) -> frozenset[Reg]:
        """Registers that hold a distance, which can be negative."""
        maps = (self.ifm, self.ifm2, self.ofm)
        strides = (reg for each in maps for reg in (each.stride_y, each.stride_x, each.stride_c))
        return frozenset((*strides, *(skip for _, skip in self.dma_repeats)))

    @cached_property
    def places(self) -> frozenset[Reg]:
        """Registers that say where operations find things, or that have no effect on them."""
        bases = (reg for each in (self.ifm, self.ifm2, self.ofm) for reg in each.bases)
        streams = (*self.weights.ranges, *self.scales.ranges)
        transfers = (reg for reg in Reg if reg.name.startswith("DMA0"))
        return frozenset((*bases, *(reg for pair in streams for reg in pair), *transfers))

    def has(self, reg: Reg) -> bool:
        """Whether there is such a register."""
        return reg in self.codes


Key = TypeVar("Key", bound=Hashable)


def _parts(value: object) -> Iterator[Bits | Coded[Hashable]]:
    """The parts of registers in a value and in the groups in it."""
    if isinstance(value, Bits | Coded):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _parts(each)


def _inverse(given: Mapping[Key, Value]) -> Mapping[Value, Key]:
    return MappingProxyType({value: key for key, value in given.items()})
