"""From the registers at a launch to the operation or the transfer that starts."""

from __future__ import annotations

from core.base.errors import InputError
from core.base.fixedpoint import Multiplier
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Block, Kernel, Padding, Shape4
from core.emit import codes, maps
from core.emit.registers import (
    ACTIVATION_MASK,
    CLIP_SHIFT,
    DMA_MODE_SHIFT,
    DMA_REPEAT_REGISTERS,
    IFM,
    IFM2,
    IFM_SCALING_SHIFT,
    INTERNAL,
    OFM,
    OFM_ROUNDING_SHIFT,
    REGIONS,
    STREAM_REGISTERS,
    STRIDE_HIGH_MASK,
    STRIDE_USED_BITS,
    TABLE_COUNT,
    TABLE_START,
    BroadcastBit,
    Precision,
    Reg,
    StrideBit,
)
from core.emit.state import Registers
from core.ir.program import (
    NO_BROADCAST,
    ActivationUse,
    AddressRange,
    Broadcast,
    BufferUse,
    Curve,
    DmaPlace,
    DmaRepeat,
    DmaTransfer,
    Job,
    MapUse,
    NpuOperation,
    OperandScaling,
    ScalarUse,
)

_MAX_BLOCK_DEPENDENCY = 3
_MAX_CORES = 2
_CHANNEL_SHIFT = 4


def operation(registers: Registers, job: Job) -> NpuOperation:
    """The operation that the registers describe."""
    ofm_shape = maps.output_shape(registers)
    precision = registers.need(Reg.OFM_PRECISION)
    kernel = ONE_ELEMENT if job.is_elementwise else _kernel(registers)
    padding = NO_PADDING if job.is_elementwise else _padding(registers)
    upscale = registers.choice(Reg.IFM_UPSCALE, registers.get(Reg.IFM_UPSCALE), codes.RESAMPLINGS)
    depth = registers.more(Reg.IFM_DEPTH_M1)
    ifm_shape = maps.input_shape(ofm_shape, depth, kernel, padding, upscale)
    cores = 1 + registers.optional(Reg.PARALLEL_MODE, _MAX_CORES)
    is_global = bool(precision & Precision.GLOBAL_SCALE)
    reads_scales = job.has_weights and not is_global
    ifm2 = _ifm2(registers, ofm_shape) if job.is_binary else None
    return NpuOperation(
        job=job,
        ifm=maps.read_map(registers, IFM, ifm_shape),
        ofm=maps.read_map(registers, OFM, ofm_shape),
        ifm2=ifm2,
        broadcast=_broadcast(registers) if job.is_binary else NO_BROADCAST,
        operands_swapped=job.is_binary and _is_set(registers, BroadcastBit.SWAPPED),
        operand_scaling=_operand_scaling(registers),
        kernel=kernel,
        padding=padding,
        upscale=upscale,
        is_part_kernel=not job.is_elementwise
        and bool(registers.need(Reg.KERNEL_STRIDE) >> StrideBit.PART_KERNEL & 1),
        weights=weights(registers, cores) if job.has_weights else (),
        scales=scales(registers, cores) if reads_scales else (),
        ofm_scale=_scale(registers, Reg.OFM_SCALE) if is_global or job.is_elementwise else None,
        has_global_scale=is_global,
        ifm_scales=_ifm_scales(registers) if job.scales_inputs else None,
        rounding=registers.choice(
            Reg.OFM_PRECISION, precision >> OFM_ROUNDING_SHIFT, codes.ROUNDINGS
        ),
        activation=_activation(registers),
        block=_block(registers),
        accumulator=registers.choice(
            Reg.ACC_FORMAT, registers.need(Reg.ACC_FORMAT), codes.ACCUMULATORS
        ),
        buffer=_buffer(registers, has_second_map=isinstance(ifm2, MapUse)),
        block_dependency=registers.below(Reg.BLOCKDEP, _MAX_BLOCK_DEPENDENCY + 1),
        cores=cores,
    )


def transfer(registers: Registers, parameter: int) -> DmaTransfer:
    """The transfer that the registers describe."""
    modes = [
        registers.need(reg) >> DMA_MODE_SHIFT for reg in (Reg.DMA0_SRC_REGION, Reg.DMA0_DST_REGION)
    ]
    if modes[0] > len(DMA_REPEAT_REGISTERS) or modes[1] not in {0, modes[0]}:
        raise InputError(f"there is no transfer of the modes {modes[0]} and {modes[1]}")
    if parameter & ((1 << _CHANNEL_SHIFT) - 1):
        raise InputError(f"there is no transfer of the kind 0x{parameter:x}")
    return DmaTransfer(
        source=_dma_place(registers, Reg.DMA0_SRC_REGION, Reg.DMA0_SRC),
        destination=_dma_place(registers, Reg.DMA0_DST_REGION, Reg.DMA0_DST),
        size_bytes=registers.address(Reg.DMA0_LEN),
        repeats=_repeats(registers, modes[0]),
        channel=parameter >> _CHANNEL_SHIFT,
    )


def weights(registers: Registers, cores: int) -> tuple[AddressRange, ...]:
    """Where weights are, for each core."""
    return _ranges(registers, Reg.WEIGHT_REGION, 0, cores)


def scales(registers: Registers, cores: int) -> tuple[AddressRange, ...]:
    """Where scales and biases are, for each core."""
    return _ranges(registers, Reg.SCALE_REGION, 1, cores)


def _kernel(registers: Registers) -> Kernel:
    value = registers.need(Reg.KERNEL_STRIDE)
    if value & ~STRIDE_USED_BITS:
        raise InputError(f"KERNEL_STRIDE is 0x{value:x}, which has bits that mean nothing")
    dilation_h = 1 + (value >> StrideBit.DILATION_Y & 1)
    dilation_w = 1 + (value >> StrideBit.DILATION_X & 1)
    return Kernel(
        h=_taps(registers, Reg.KERNEL_HEIGHT_M1, dilation_h),
        w=_taps(registers, Reg.KERNEL_WIDTH_M1, dilation_w),
        stride_h=_stride(value, StrideBit.Y_LOW, StrideBit.Y_HIGH),
        stride_w=_stride(value, StrideBit.X_LOW, StrideBit.X_HIGH),
        dilation_h=dilation_h,
        dilation_w=dilation_w,
    )


def _taps(registers: Registers, reg: Reg, dilation: int) -> int:
    span = registers.need(reg)
    if span % dilation:
        raise InputError(f"{reg.name} is {span}, which no kernel with dilation {dilation} spans")
    return span // dilation + 1


def _stride(value: int, low: StrideBit, high: StrideBit) -> int:
    return 1 + (value >> low & 1) + 2 * (value >> high & STRIDE_HIGH_MASK)


def _padding(registers: Registers) -> Padding:
    return Padding(
        top=registers.get(Reg.IFM_PAD_TOP),
        left=registers.get(Reg.IFM_PAD_LEFT),
        bottom=registers.get(Reg.IFM_PAD_BOTTOM),
        right=registers.get(Reg.IFM_PAD_RIGHT),
    )


def _ifm2(registers: Registers, output: Shape4) -> MapUse | ScalarUse:
    if not _is_set(registers, BroadcastBit.SCALAR):
        return maps.read_map(registers, IFM2, maps.second_shape(output, _broadcast(registers)))
    dtype = maps.read_type(registers, IFM2)
    reg = Reg.IFM2_SCALAR
    return ScalarUse(
        value=registers.signed(reg) if dtype.is_signed else registers.need(reg),
        dtype=dtype,
        zero_point=maps.read_zero_point(registers, IFM2, dtype),
    )


def _is_set(registers: Registers, bit: BroadcastBit) -> bool:
    value = registers.need(Reg.IFM2_BROADCAST)
    if value & ~sum(BroadcastBit):
        raise InputError(f"IFM2_BROADCAST is 0x{value:x}, which has bits that mean nothing")
    return bool(value & bit)


def _broadcast(registers: Registers) -> Broadcast:
    return Broadcast(
        *(_is_set(registers, bit) for bit in (BroadcastBit.H, BroadcastBit.W, BroadcastBit.C))
    )


def _operand_scaling(registers: Registers) -> OperandScaling:
    number = registers.need(Reg.IFM_PRECISION) >> IFM_SCALING_SHIFT
    return registers.choice(Reg.IFM_PRECISION, number, codes.OPERAND_SCALINGS)


def _ranges(registers: Registers, region: Reg, kind: int, cores: int) -> tuple[AddressRange, ...]:
    number = registers.region(region)
    return tuple(
        AddressRange(number, registers.address(start), registers.address(size))
        for start, size in STREAM_REGISTERS[kind][:cores]
    )


def _scale(registers: Registers, reg: Reg) -> Multiplier:
    return Multiplier(*registers.scale(reg))


def _ifm_scales(registers: Registers) -> tuple[Multiplier, Multiplier]:
    return _scale(registers, Reg.OPA_SCALE), _scale(registers, Reg.OPB_SCALE)


def _activation(registers: Registers) -> ActivationUse:
    value = registers.get(Reg.ACTIVATION)
    number, clip = value & ACTIVATION_MASK, value >> CLIP_SHIFT
    is_table = TABLE_START <= number < TABLE_START + TABLE_COUNT
    return ActivationUse(
        minimum=registers.signed(Reg.ACTIVATION_MIN),
        maximum=registers.signed(Reg.ACTIVATION_MAX),
        curve=Curve.TABLE if is_table else registers.choice(Reg.ACTIVATION, number, codes.CURVES),
        table=number - TABLE_START if is_table else None,
        clip=registers.choice(Reg.ACTIVATION, clip, codes.CLIPS),
    )


def _block(registers: Registers) -> Block:
    return Block(
        registers.more(Reg.OFM_BLK_HEIGHT_M1),
        registers.more(Reg.OFM_BLK_WIDTH_M1),
        registers.more(Reg.OFM_BLK_DEPTH_M1),
    )


def _buffer(registers: Registers, *, has_second_map: bool) -> BufferUse:
    return BufferUse(
        ifm_end=registers.get(Reg.IFM_IB_END),
        accumulators_start=registers.get(Reg.AB_START),
        ifm2_start=registers.get(Reg.IFM2_IB_START) if has_second_map else None,
    )


def _dma_place(registers: Registers, region: Reg, address: Reg) -> DmaPlace:
    value = registers.need(region)
    number, is_internal = value & (INTERNAL - 1), bool(value & INTERNAL)
    if number >= REGIONS:
        raise InputError(f"{region.name} is {number}, where it has to be below {REGIONS}")
    return DmaPlace(number, registers.address(address), is_internal)


def _repeats(registers: Registers, mode: int) -> tuple[DmaRepeat, ...]:
    return tuple(
        DmaRepeat(registers.need(size), registers.distance(skip))
        for size, skip in DMA_REPEAT_REGISTERS[:mode]
    )
