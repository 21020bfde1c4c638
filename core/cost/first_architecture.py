"""Cycles of an operator on U55 and U65: MAC units, weights, output, and the start of each block.

A block is read, multiplied, and put out; blocks overlap, so the slowest part decides, and the
other shows once at the end. Starting a block waits for the memories, spread over four blocks in
flight. The model is that of the ecosystem's compiler, in the order of its floating-point
arithmetic, so that results are equal and not only near.
"""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.base.geometry import Block, ceil_div
from core.base.many import least, most, rounded_down, rounded_up, where
from core.cost.bursts import read_bytes, write_bytes
from core.cost.cycles import ONE_CHANNEL_A_TAP, OpCycles, macs
from core.cost.rates import Rates
from core.cost.work import Work
from core.ir.cost import Limit
from core.target.accelerator import Accelerator
from core.target.shram import Accumulator
from core.target.throughput import Arithmetic
from core.target.unit import Unit

_IN_FLIGHT = 4
_MICRO_BLOCK_CYCLES = 4
_TAPS_AT_ONCE = 4
_TAPS_AT_ONCE_IFM16 = 2
_CHANNELS_AT_ONCE = 8
_CHANNELS_IN_A_STEP = 32
_LATENCY_DIVISOR = 256
_TURNS_MICRO_BLOCKS = frozenset({Unit.CONVOLUTION, Unit.DEPTHWISE, Unit.VECTOR_PRODUCT})


class _MicroBlocks(Frozen, kw_only=False):
    """A block counted in the units of the MAC array."""

    rows: int
    columns: int
    depths: int
    block: Block
    weight_cycles: int
    """In which the weights of one micro-block are decoded."""

    @property
    def area(self) -> int:
        return self.rows * self.columns


class _Elementwise(Frozen, kw_only=False):
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
    def limit(self) -> Limit:
        return Limit.START if self.start > self.element else Limit.OUTPUT


class _Windowed(Frozen, kw_only=False):
    """What the cycles of all other operators are made of; but for `blocks`, those of one block."""

    multiplying: float
    making: float
    scaling: float
    start: float
    blocks: int
    micro: _MicroBlocks
    is_pooling: bool

    @property
    def slow(self) -> float:
        """The slower half of a block, which those that overlap wait for."""
        return most(most(self.multiplying, self.making), most(self.scaling, self.start))

    @property
    def cycles(self) -> int:
        putting = most(self.making, self.scaling)
        fast = least(most(self.multiplying, self.start), most(putting, self.start))
        return rounded_down(self.slow * self.blocks + fast)

    @property
    def limit(self) -> Limit:
        if self.slow == self.start:
            return Limit.START
        if self.multiplying > max(self.making, self.scaling):
            is_decoding = self.micro.weight_cycles > _MICRO_BLOCK_CYCLES * self.micro.area
            return Limit.WEIGHTS if is_decoding and not self.is_pooling else Limit.MACS
        return Limit.SCALES if self.scaling > self.making else Limit.OUTPUT


def operator_cycles(rates: Rates, work: Work) -> OpCycles:
    """Cycles of an operator whose inputs, output and weights are where it says."""
    parts = _parts(rates, work)
    return OpCycles(macs=macs(work), cycles=parts.cycles, limit=parts.limit)


def cycles_in_blocks(rates: Rates, work: Work) -> int:
    """The cycles alone, for as many blocks at once as the work has."""
    return _parts(rates, work).cycles


def least_cycles(rates: Rates, work: Work) -> float:
    """Cycles that the operator does not do without in any blocks, stripes and slices.

    Blocks, slices and stripes only add to what is rounded up; weights are decoded once at least.
    """
    accelerator, made = rates.accelerator, work.ofm.shape.elements
    making = _output_cycles(accelerator, work) * made
    if work.unit is Unit.ELEMENTWISE:
        return making
    orders = (False, True) if work.unit is Unit.CONVOLUTION else (False,)
    multiplying = (_least_mac_cycles(accelerator, work, is_part_kernel=each) for each in orders)
    return max(making, min(multiplying))


def _least_mac_cycles(accelerator: Accelerator, work: Work, *, is_part_kernel: bool) -> float:
    unit, ofm = work.block.ofm_ublock, work.ofm.shape
    area = ceil_div(ofm.h, unit.h) * ceil_div(ofm.w, unit.w)
    if unit.h == 2 and work.kernel_h == 1:
        # Stripes of one row may turn the array, which then loses nothing at the end of a row.
        area = min(area, ceil_div(ofm.h * ofm.w, unit.h * unit.w))
    micro = _MicroBlocks(
        rows=area,
        columns=1,
        depths=ceil_div(ofm.c, unit.c),
        block=work.block.ofm_block,
        weight_cycles=_CHANNELS_IN_A_STEP * unit.c // accelerator.throughput.weights_per_cycle,
    )
    work = replace(work, block=replace(work.block, is_part_kernel=is_part_kernel))
    at_once = _CHANNELS_AT_ONCE if is_part_kernel else _CHANNELS_IN_A_STEP
    channels = work.ifm.shape.c
    repeats = 1 if work.unit in ONE_CHANNEL_A_TAP else ceil_div(channels, at_once)
    taps = _sub_kernels(accelerator, work)
    return (
        repeats
        * sum(_busy_cycles(accelerator, work, micro, each) for each in taps)
        / (accelerator.cores)
    )


def _parts(rates: Rates, work: Work) -> _Elementwise | _Windowed:
    return (_elementwise if work.unit is Unit.ELEMENTWISE else _windowed)(rates, work)


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


def _output_cycles(accelerator: Accelerator, work: Work) -> float:
    """Cycles in which all cores together make one output element."""
    made = accelerator.throughput.output_cycles(refined_arithmetic(work), work.finish)
    return made / accelerator.cores


def _elementwise(rates: Rates, work: Work) -> _Elementwise:
    element = _output_cycles(rates.accelerator, work)
    in_block = work.block.ofm_block.elements
    start = (_memory_cycles(rates, work) + element * in_block) / _IN_FLIGHT
    made = work.ofm.format.stored(work.ofm.shape).elements
    return _Elementwise(element, start / in_block, made)


def _windowed(rates: Rates, work: Work) -> _Windowed:
    accelerator = rates.accelerator
    micro = _micro_blocks(work, accelerator.throughput.weights_per_cycle)
    ofm, block = work.ofm.shape, micro.block
    multiplying = _block_mac_cycles(accelerator, work, micro) / accelerator.cores
    element = _output_cycles(accelerator, work)
    making = rounded_up(element * (least(ofm.n, 1) * block.elements)) * 1.0
    scaling = _scale_cycles(rates, work, block)
    putting = most(making, scaling)
    start = (_memory_cycles(rates, work) + putting + multiplying) / _IN_FLIGHT
    blocks = ofm.n * ceil_div(ofm.h, block.h) * ceil_div(ofm.w, block.w) * ceil_div(ofm.c, block.c)
    return _Windowed(multiplying, making, scaling, start, blocks, micro, work.unit is Unit.POOLING)


def _scale_cycles(rates: Rates, work: Work, block: Block) -> float:
    if work.constants is None:
        return 0.0
    latency = rates.areas[work.constants].read_latency_cycles
    return rates.accelerator.family.weights.record.size_bytes * block.c * latency / _LATENCY_DIVISOR


def _memory_cycles(rates: Rates, work: Work) -> float:
    """Cycles until the first block is read, and until one is written, with what is in it."""
    ifm, ofm = work.ifm, work.ofm
    read, written = rates.areas[ifm.area], rates.areas[ofm.area]
    in_elements = least(ifm.shape.n, 1) * _inside(ifm.shape[1:], work.block.ifm_block).elements
    out_elements = least(ofm.shape.n, 1) * _inside(ofm.shape[1:], work.block.ofm_block).elements
    arriving = read_bytes(read, ifm, work.block.ifm_block, in_elements)
    cores = rates.accelerator.cores
    leaving = write_bytes(written, ofm, work.block.ofm_block, cores, out_elements)
    # Elements, not bytes: the compatible model counts them so for every width.
    reading = read.read_latency_cycles + arriving / read.bytes_per_cycle
    return reading + (written.write_latency_cycles + leaving / written.bytes_per_cycle)


def _inside(shape: tuple[int, ...], block: Block) -> Block:
    h, w, c = shape
    return Block(least(h, block.h), least(w, block.w), least(c, block.c))


def _micro_blocks(work: Work, weights_per_cycle: int) -> _MicroBlocks:
    unit, ofm = work.block.ofm_ublock, work.ofm.shape
    block = _inside(ofm[1:], work.block.ofm_block)
    if unit.h == 2 and work.kernel_h == 1 and work.unit in _TURNS_MICRO_BLOCKS:
        # One row of output: the array takes four columns instead of two by two.
        is_one_row = (ofm.h == 1) & (ofm.w % 2 == 0)
        unit = Block(where(is_one_row, 1, unit.h), where(is_one_row, 4, unit.w), unit.c)
    return _MicroBlocks(
        rows=ceil_div(block.h, unit.h),
        columns=ceil_div(block.w, unit.w),
        depths=ceil_div(block.c, unit.c),
        block=block,
        weight_cycles=_CHANNELS_IN_A_STEP * unit.c // weights_per_cycle,
    )


def _block_mac_cycles(accelerator: Accelerator, work: Work, micro: _MicroBlocks) -> int:
    """Cycles of the MAC units for one block, over the whole depth of the input."""
    in_depth = least(work.ifm.shape.c, work.block.ifm_block.c)
    repeats = 1
    if work.unit is Unit.CONVOLUTION:
        at_once = ceil_div(in_depth, _CHANNELS_AT_ONCE)
        repeats = where(work.block.is_part_kernel, at_once, 1)
    if work.unit not in ONE_CHANNEL_A_TAP:
        repeats *= ceil_div(work.ifm.shape.c, in_depth)
    return repeats * sum(
        _busy_cycles(accelerator, work, micro, taps)
        + _stall_cycles(accelerator, work, micro, _steps(work, taps))
        for taps in _sub_kernels(accelerator, work)
    )


def _sub_kernels(accelerator: Accelerator, work: Work) -> list[int]:
    """Taps of each part that a large kernel is cut into."""
    most_h, most_w = accelerator.family.max_subkernel
    return [
        min(work.kernel_h - row, most_h) * min(work.kernel_w - column, most_w)
        for row in range(0, work.kernel_h, most_h)
        for column in range(0, work.kernel_w, most_w)
    ]


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


def _busy_cycles(accelerator: Accelerator, work: Work, micro: _MicroBlocks, taps: int) -> int:
    is_16 = work.ifm.bits == 16
    if work.unit is Unit.POOLING:
        is_slow = is_16 and accelerator.throughput.pools_16_bits_at_half_speed
        return max(_MICRO_BLOCK_CYCLES, taps) * micro.area * micro.depths * (2 if is_slow else 1)
    step = _MICRO_BLOCK_CYCLES * micro.area
    if work.unit is Unit.DEPTHWISE and is_16:
        step *= 2
    return most(micro.weight_cycles, step) * _steps(work, taps) * micro.depths


def _stall_cycles(accelerator: Accelerator, work: Work, micro: _MicroBlocks, steps: int) -> int:
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
