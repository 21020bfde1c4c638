"""What a block costs in each part of U55 and U65: MAC units, weight decoder, output, start.

A block is read, multiplied, and put out; blocks overlap, so the slowest part decides, and the
other shows once at the end. Starting a block waits for the memories, spread over four blocks in
flight. How many blocks are paid for, and what memories are kept busy with, each price says itself.
"""

from __future__ import annotations

from functools import cache

from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import Block, ceil_div
from core.base.many import least, most, rounded_up, where
from core.cost.cycles import ONE_CHANNEL_A_TAP, OwnTerms
from core.cost.waits import Waits
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.accelerator import Accelerator
from core.target.shram import Accumulator
from core.target.throughput import Arithmetic
from core.target.unit import Unit

IN_FLIGHT = 4
_MICRO_BLOCK_CYCLES = 4
_TAPS_AT_ONCE = 4
_TAPS_AT_ONCE_IFM16 = 2
_CHANNELS_AT_ONCE = 8
_CHANNELS_IN_A_STEP = 32
_TURNS_MICRO_BLOCKS = frozenset({Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT})


class MicroBlocks(Frozen, kw_only=False):
    """A block counted in the units of the MAC array."""

    rows: int
    columns: int
    depths: int
    unit: Block
    """What the MAC array makes at once."""
    block: Block
    weight_cycles: int
    """In which the weights of one micro-block are decoded."""

    @property
    def area(self) -> int:
        return self.rows * self.columns


class ElementwiseParts(Frozen, kw_only=False):
    """What the cycles of an element-wise operator are made of."""

    element: float
    """Cycles of an element when nothing waits."""
    start: float
    """The share of each element in the start of its block."""
    made: int

    @property
    def cycles(self) -> int:
        return rounded_up(most(self.element, self.start) * self.made)

    @property
    def terms(self) -> OwnTerms:
        return OwnTerms(output=self.element * self.made, latency=self.start * self.made)

    @property
    def limit(self) -> Limit:
        return Limit.START if self.start > self.element else Limit.OUTPUT


class Elements(Frozen, kw_only=False):
    """An element-wise operator wherever its maps are."""

    element: float
    in_block: int
    made: int

    def waiting(self, waits: Waits) -> ElementwiseParts:
        """Its parts where its blocks wait for memories."""
        start = (waits.first_cycles + self.element * self.in_block) / IN_FLIGHT
        return ElementwiseParts(self.element, start / self.in_block, self.made)


class BlockAlone(Frozen, kw_only=False):
    """A block of any other operator wherever maps are."""

    multiplying: float
    making: float
    channels: int

    def waiting(self, waits: Waits) -> WindowParts:
        """Its parts where it waits for memories."""
        multiplying, making = self.multiplying, self.making
        scaling = waits.scaling * self.channels
        start = (waits.first_cycles + most(making, scaling) + multiplying) / IN_FLIGHT
        return WindowParts(multiplying, making, scaling, start)


class WindowParts(Frozen, kw_only=False):
    """What the cycles of any other operator are made of, or those of one of its blocks."""

    multiplying: float
    making: float
    scaling: float
    start: float

    @property
    def slow(self) -> float:
        """The slower half of a block, which those that overlap wait for."""
        return most(most(self.multiplying, self.making), most(self.scaling, self.start))

    @property
    def fast(self) -> float:
        """The other half."""
        putting = most(self.making, self.scaling)
        return least(most(self.multiplying, self.start), most(putting, self.start))

    def terms(self, work: Work, micro: MicroBlocks) -> OwnTerms:
        """What each part takes by itself, given all that is made in micro-blocks."""
        decoding = 0 if work.unit is Unit.POOLING else micro.weight_cycles
        step = _MICRO_BLOCK_CYCLES * micro.area * (2 if _is_slow_depthwise(work) else 1)
        slower = max(decoding, step, 1)
        return OwnTerms(
            macs=self.multiplying * step / slower,
            decoder=self.multiplying * decoding / slower,
            output=self.making,
            latency=max(self.start, self.scaling),
        )

    def limit(self, work: Work, micro: MicroBlocks) -> Limit:
        """What the blocks wait for."""
        if self.slow == self.start:
            return Limit.START
        if self.multiplying > max(self.making, self.scaling):
            is_decoding = micro.weight_cycles > _MICRO_BLOCK_CYCLES * micro.area
            is_pooling = work.unit is Unit.POOLING
            return Limit.WEIGHTS if is_decoding and not is_pooling else Limit.MACS
        return Limit.SCALES if self.scaling > self.making else Limit.OUTPUT


def elements_of(accelerator: Accelerator, work: Work) -> Elements:
    """An element-wise operator wherever its maps are."""
    return Elements(
        element=output_cycles(accelerator, work),
        in_block=work.block.ofm_block.elements,
        made=work.ofm.format.stored(work.ofm.shape).elements,
    )


def elements_read(work: Work) -> int:
    """Elements that a block reads, as far as the map fills it."""
    shape = work.ifm.shape
    return least(shape.n, 1) * inside(shape[1:], work.block.ifm_block).elements


def elements_made(work: Work) -> int:
    """Elements that it makes."""
    shape = work.ofm.shape
    return least(shape.n, 1) * inside(shape[1:], work.block.ofm_block).elements


def refined_arithmetic(work: Work) -> Arithmetic:
    """The arithmetic, with the widths of elements and accumulators taken into account."""
    if work.unit is Unit.ELEMENTWISE and work.ifm.bits == 32:
        return Arithmetic.UNARY_32 if work.ifm2 is None else Arithmetic.BINARY_32
    if work.arithmetic is Arithmetic.MULTIPLY and work.ofm.bits == 32:
        return Arithmetic.MULTIPLY_32
    is_wide = work.block.accumulator is Accumulator.ACC40
    if is_wide and work.unit is not Unit.ELEMENTWISE:
        return Arithmetic.MULTIPLY
    return work.arithmetic


def output_cycles(accelerator: Accelerator, work: Work) -> float:
    """Cycles in which all cores together make one output element."""
    made = accelerator.throughput.output_cycles(refined_arithmetic(work), work.finish)
    return made / accelerator.cores


def inside(shape: tuple[int, ...], block: Block) -> Block:
    """As much of a block as a map fills."""
    h, w, c = shape
    return Block(least(h, block.h), least(w, block.w), least(c, block.c))


def micro_blocks(accelerator: Accelerator, work: Work) -> MicroBlocks:
    """The block of an operator, as far as its output fills it, in the units of the MAC array."""
    unit, ofm = work.block.ofm_ublock, work.ofm.shape
    block = inside(ofm[1:], work.block.ofm_block)
    if unit.h == 2 and work.kernel_h == 1 and work.unit in _TURNS_MICRO_BLOCKS:
        # One row of output: the array takes four columns instead of two by two.
        is_one_row = (ofm.h == 1) & (ofm.w % 2 == 0)
        unit = Block(where(is_one_row, 1, unit.h), where(is_one_row, 4, unit.w), unit.c)
    return MicroBlocks(
        rows=ceil_div(block.h, unit.h),
        columns=ceil_div(block.w, unit.w),
        depths=ceil_div(block.c, unit.c),
        unit=unit,
        block=block,
        weight_cycles=weight_cycles(accelerator, unit),
    )


def weight_cycles(accelerator: Accelerator, unit: Block) -> int:
    """In which the weights of one micro-block are decoded."""
    return _CHANNELS_IN_A_STEP * unit.c // accelerator.throughput.weights_per_cycle


class Multiplied(NamedTuple):
    """Cycles of the MAC units over the whole depth of the input."""

    block: int
    """For one block."""
    all: int
    """For all that is made."""


def mac_cycles(
    accelerator: Accelerator, work: Work, made: MicroBlocks, block: MicroBlocks, blocks: int
) -> Multiplied:
    """Given all that is made, in so many blocks."""
    in_depth = least(work.ifm.shape.c, work.block.ifm_block.c)
    repeats = 1
    if work.unit is Unit.CONVOLUTION:
        at_once = ceil_div(in_depth, _CHANNELS_AT_ONCE)
        repeats = where(work.block.is_part_kernel, at_once, 1)
    if work.unit not in ONE_CHANNEL_A_TAP:
        repeats *= ceil_div(work.ifm.shape.c, in_depth)
    of_block, of_all = 0, 0
    for taps in sub_kernels(work.kernel_h, work.kernel_w, accelerator.family.max_subkernel):
        steps = _steps(work, taps)
        stalled = _stall_cycles(accelerator, work, block, steps)
        of_block += _busy_cycles(accelerator, work, block, taps, steps) + stalled
        of_all += _busy_cycles(accelerator, work, made, taps, steps) + stalled * blocks
    return Multiplied(repeats * of_block, repeats * of_all)


@cache
def sub_kernels(height: int, width: int, most: tuple[int, int]) -> tuple[int, ...]:
    """Taps of each part that a large kernel is cut into."""
    most_h, most_w = most
    return tuple(
        min(height - row, most_h) * min(width - column, most_w)
        for row in range(0, height, most_h)
        for column in range(0, width, most_w)
    )


def _steps(work: Work, taps: int) -> int:
    """Steps in which the taps of a kernel are taken."""
    if work.unit is Unit.POOLING:
        return 1
    if work.unit is Unit.DEPTHWISE:
        return ceil_div(taps, _TAPS_AT_ONCE)
    if work.unit is Unit.CONVOLUTION:
        at_once = _TAPS_AT_ONCE_IFM16 if work.ifm.bits == 16 else _TAPS_AT_ONCE
        return where(work.block.is_part_kernel, ceil_div(taps, at_once), taps)
    return taps


def _busy_cycles(
    accelerator: Accelerator, work: Work, micro: MicroBlocks, taps: int, steps: int
) -> int:
    """Cycles in which MAC units or weight decoder work at some taps, which take so many steps."""
    is_16 = work.ifm.bits == 16
    if work.unit is Unit.POOLING:
        is_slow = is_16 and accelerator.throughput.pools_16_bits_at_half_speed
        return max(_MICRO_BLOCK_CYCLES, taps) * micro.area * micro.depths * (2 if is_slow else 1)
    step = _MICRO_BLOCK_CYCLES * micro.area
    if _is_slow_depthwise(work):
        step *= 2
    return most(micro.weight_cycles, step) * steps * micro.depths


def _is_slow_depthwise(work: Work) -> bool:
    return work.unit is Unit.DEPTHWISE and work.ifm.bits == 16


def _stall_cycles(accelerator: Accelerator, work: Work, micro: MicroBlocks, steps: int) -> int:
    """Cycles lost where the next step needs what the pipeline has not finished."""
    facts = accelerator.throughput
    is_wide = work.block.accumulator is Accumulator.ACC40
    stall = facts.wide_stall_cycles if is_wide else facts.stall_cycles
    alone = where(micro.depths == 1, steps, (steps - 1) * micro.depths)
    lost = where(micro.area == 1, stall * alone, 0)
    if facts.stalls_in_thin_blocks and is_wide:
        is_thin = (micro.depths > 1) & ((micro.rows == 1) | (micro.columns == 1))
        lost += where(is_thin, stall * micro.depths, 0)
    return lost
