"""From the registers at a launch to the operation or the transfer that starts."""

from __future__ import annotations

from core.base.errors import InputError
from core.base.fixedpoint import Multiplier
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Block, Kernel, Padding, Shape4
from core.emit import maps
from core.emit.instructions.instruction_set import (
    DmaRegisters,
    Reg,
    StreamRegisters,
)
from core.emit.state import Registers
from core.ir.program import (
    NO_BROADCAST,
    ActivationUse,
    AddressRange,
    Broadcast,
    BufferUse,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Job,
    MapUse,
    NpuOperation,
    OperandScaling,
    ScalarUse,
)
from core.target.shram import Accumulator


def operation(registers: Registers, job: Job) -> NpuOperation:
    """The operation that the registers describe."""
    known = registers.instructions
    ofm_shape = maps.output_shape(registers)
    is_global = registers.is_set(known.has_global_scale)
    kernel = ONE_ELEMENT if job.is_elementwise else _kernel(registers)
    padding = NO_PADDING if job.is_elementwise else _padding(registers)
    upscale = registers.choice(known.upscale)
    depth = registers.more(Reg.IFM_DEPTH_M1)
    ifm_shape = maps.input_shape(ofm_shape, depth, kernel, padding, upscale)
    cores = 1 + registers.get(Reg.PARALLEL_MODE)
    reads_scales = job.has_weights and not is_global
    ifm2 = _ifm2(registers, ofm_shape) if job.is_binary else None
    return NpuOperation(
        job=job,
        ifm=maps.read_map(registers, known.ifm, ifm_shape),
        ofm=maps.read_map(registers, known.ofm, ofm_shape),
        ifm2=ifm2,
        broadcast=_broadcast(registers) if job.is_binary else NO_BROADCAST,
        operands_swapped=job.is_binary and registers.is_set(known.broadcast.is_swapped),
        operand_scaling=registers.choice(known.operand_scaling),
        operand_rounding=registers.choice(known.operand_rounding),
        kernel=kernel,
        padding=padding,
        upscale=upscale,
        is_part_kernel=not job.is_elementwise and registers.is_set(known.stride.part_kernel),
        weights=weights(registers, cores) if job.has_weights else (),
        scales=scales(registers, cores) if reads_scales else (),
        ofm_scale=_scale(registers, Reg.OFM_SCALE) if is_global or job.is_elementwise else None,
        has_global_scale=is_global,
        ifm_scales=_ifm_scales(registers) if job.scales_inputs else None,
        rounding=registers.choice(known.rounding),
        activation=_activation(registers),
        block=_block(registers),
        accumulator=_accumulator(registers),
        buffer=_buffer(registers, has_second_map=isinstance(ifm2, MapUse)),
        block_dependency=registers.need(Reg.BLOCKDEP),
        cores=cores,
    )


def transfer(registers: Registers) -> DmaTransfer:
    """The transfer that the registers describe."""
    known = registers.instructions
    return DmaTransfer(
        source=_dma_place(registers, known.dma_source),
        destination=_dma_place(registers, known.dma_destination),
        size_bytes=registers.need(Reg.DMA0_LEN),
        repeats=_repeats(registers, registers.choice(known.dma_dimensions)),
    )


def weights(registers: Registers, cores: int) -> tuple[AddressRange, ...]:
    """Where weights are, for each core."""
    return _ranges(registers, registers.instructions.weights, cores)


def scales(registers: Registers, cores: int) -> tuple[AddressRange, ...]:
    """Where scales and biases are, for each core."""
    return _ranges(registers, registers.instructions.scales, cores)


def _kernel(registers: Registers) -> Kernel:
    bits = registers.instructions.stride
    value = registers.need(Reg.KERNEL_STRIDE)
    dilation_h = 1 + bits.dilation_y.read(value)
    dilation_w = 1 + bits.dilation_x.read(value)
    return Kernel(
        h=_taps(registers, Reg.KERNEL_HEIGHT_M1, dilation_h),
        w=_taps(registers, Reg.KERNEL_WIDTH_M1, dilation_w),
        stride_h=1 + bits.y_low.read(value) + 2 * bits.y_high.read(value),
        stride_w=1 + bits.x_low.read(value) + 2 * bits.x_high.read(value),
        dilation_h=dilation_h,
        dilation_w=dilation_w,
    )


def _taps(registers: Registers, reg: Reg, dilation: int) -> int:
    span = registers.need(reg)
    if span % dilation:
        raise InputError(f"{reg.name} is {span}, which no kernel with dilation {dilation} spans")
    return span // dilation + 1


def _padding(registers: Registers) -> Padding:
    return Padding(
        top=registers.get(Reg.IFM_PAD_TOP),
        left=registers.get(Reg.IFM_PAD_LEFT),
        bottom=registers.get(Reg.IFM_PAD_BOTTOM),
        right=registers.get(Reg.IFM_PAD_RIGHT),
    )


def _ifm2(registers: Registers, output: Shape4) -> MapUse | ScalarUse:
    names = registers.instructions.ifm2
    if not registers.is_set(registers.instructions.broadcast.is_scalar):
        return maps.read_map(registers, names, maps.second_shape(output, _broadcast(registers)))
    if registers.is_set(names.is_bricks):
        reg, shift, _ = names.is_bricks
        raise InputError(f"{reg.name} has bit {shift} set, the order of a map, beside a scalar")
    dtype = maps.read_type(registers, names)
    reg = Reg.IFM2_SCALAR
    return ScalarUse(
        value=registers.signed(reg) if dtype.is_signed else registers.need(reg),
        dtype=dtype,
        zero_point=maps.read_zero_point(registers, names, dtype),
    )


def _broadcast(registers: Registers) -> Broadcast:
    bits = registers.instructions.broadcast
    return Broadcast(*(registers.is_set(axis) for axis in (bits.h, bits.w, bits.c)))


def _accumulator(registers: Registers) -> Accumulator:
    registers.need(Reg.ACC_FORMAT)
    return registers.choice(registers.instructions.accumulator)


def _ranges(registers: Registers, names: StreamRegisters, cores: int) -> tuple[AddressRange, ...]:
    number = registers.need(names.region)
    return tuple(
        AddressRange(number, registers.need(start), registers.need(size))
        for start, size in names.ranges[:cores]
    )


def _scale(registers: Registers, reg: Reg) -> Multiplier:
    return Multiplier(*registers.scale(reg))


def _ifm_scales(registers: Registers) -> tuple[Multiplier, Multiplier]:
    first, second = _scale(registers, Reg.OPA_SCALE), _scale(registers, Reg.OPB_SCALE)
    scaling = registers.choice(registers.instructions.operand_scaling)
    if scaling is OperandScaling.BOTH and (first.shift or first.multiplier >> 16):
        value = registers.need(Reg.OPA_SCALE)
        raise InputError(f"OPA_SCALE is 0x{value:x}, of which only bits 0 to 15 scale 16 bits")
    return first, second


def _activation(registers: Registers) -> ActivationUse:
    known = registers.instructions
    curve, table = registers.choice(known.curve)
    return ActivationUse(
        minimum=registers.signed(Reg.ACTIVATION_MIN),
        maximum=registers.signed(Reg.ACTIVATION_MAX),
        curve=curve,
        table=table,
        clip=registers.choice(known.clip),
    )


def _block(registers: Registers) -> Block:
    return Block(
        registers.more(Reg.OFM_BLK_HEIGHT_M1),
        registers.more(Reg.OFM_BLK_WIDTH_M1),
        registers.more(Reg.OFM_BLK_DEPTH_M1),
    )


def _buffer(registers: Registers, *, has_second_map: bool) -> BufferUse | None:
    if not registers.instructions.has(Reg.IFM_IB_END):
        return None
    return BufferUse(
        ifm_end=registers.get(Reg.IFM_IB_END),
        accumulators_start=registers.get(Reg.AB_START),
        ifm2_start=registers.get(Reg.IFM2_IB_START) if has_second_map else None,
    )


def _dma_place(registers: Registers, names: DmaRegisters) -> DmaPlace:
    return DmaPlace(
        registers.part(names.region),
        registers.need(names.address),
        registers.is_set(names.is_internal),
    )


def _repeats(registers: Registers, count: int) -> tuple[DmaRepeat, ...]:
    return tuple(
        DmaRepeat(registers.need(size), registers.distance(skip))
        for size, skip in registers.instructions.dma_repeats[:count]
    )
