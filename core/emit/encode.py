"""From an operation or a transfer to the registers that it needs."""

from __future__ import annotations

from core.base.errors import InternalError
from core.base.fixedpoint import Multiplier
from core.base.geometry import Kernel, Padding
from core.emit import codes, maps
from core.emit.maps import Settings
from core.emit.registers import (
    CLIP_SHIFT,
    DMA_MODE_SHIFT,
    DMA_REPEAT_REGISTERS,
    IFM,
    IFM2,
    INTERNAL,
    OFM,
    STREAM_REGISTERS,
    TABLE_START,
    BroadcastBit,
    Reg,
    StrideBit,
)
from core.ir.program import (
    ActivationUse,
    AddressRange,
    DmaPlace,
    DmaTransfer,
    NpuOperation,
    OperandScaling,
    ScalarUse,
)
from core.target.format import Format

_SHIFT_START = 32


def operation(op: NpuOperation, *, sets_cores: bool) -> Settings:
    """What the registers hold when an operation starts; others have no effect on it."""
    _check_shapes(op)
    settings: Settings = {Reg.PARALLEL_MODE: op.cores - 1} if sets_cores else {}
    settings |= _ifm(op) | _ofm(op) | _window(op)
    settings |= _streams(op.weights, Reg.WEIGHT_REGION, 0)
    settings |= _streams(op.scales, Reg.SCALE_REGION, 1)
    settings |= _activation(op.activation) | _shared_buffer(op) | _ifm2(op) | _scaling(op)
    settings[Reg.BLOCKDEP] = op.block_dependency
    return settings


def transfer(item: DmaTransfer) -> Settings:
    """What the registers hold when a transfer starts."""
    settings: Settings = {}
    for repeat, (size, skip) in zip(item.repeats, DMA_REPEAT_REGISTERS, strict=False):
        settings |= {size: repeat.times, skip: repeat.skip_bytes}
    return {
        Reg.DMA0_SRC_REGION: _place(item.source) | len(item.repeats) << DMA_MODE_SHIFT,
        Reg.DMA0_SRC: item.source.address,
        Reg.DMA0_DST_REGION: _place(item.destination),
        Reg.DMA0_DST: item.destination.address,
        Reg.DMA0_LEN: item.size_bytes,
        **settings,
    }


def _check_shapes(op: NpuOperation) -> None:
    """The hardware works out what is read, so a program cannot ask for anything else."""
    read = maps.input_shape(op.ofm.shape, op.ifm.shape.c, op.kernel, op.padding, op.upscale)
    if op.ifm.shape != read:
        raise InternalError(f"{op.job.value} reads {read}, and not {op.ifm.shape}")


def _ifm(op: NpuOperation) -> Settings:
    ifm = op.ifm
    return maps.write_map(ifm, IFM) | {
        Reg.IFM_DEPTH_M1: ifm.shape.c - 1,
        Reg.IFM_PRECISION: maps.ifm_precision(ifm.dtype, ifm.format, op.operand_scaling),
        Reg.IFM_UPSCALE: codes.RESAMPLING_CODES[op.upscale],
    }


def _ofm(op: NpuOperation) -> Settings:
    ofm = op.ofm
    return maps.write_map(ofm, OFM) | {
        Reg.OFM_HEIGHT_M1: ofm.shape.h - 1,
        Reg.OFM_WIDTH_M1: ofm.shape.w - 1,
        Reg.OFM_DEPTH_M1: ofm.shape.c - 1,
        Reg.OFM_PRECISION: maps.ofm_precision(
            ofm, op.rounding, has_global_scale=op.has_global_scale
        ),
    }


def _window(op: NpuOperation) -> Settings:
    if op.job.is_elementwise:
        return {}
    return _padding(op.padding) | _kernel(op.kernel, is_part_kernel=op.is_part_kernel)


def _padding(padding: Padding) -> Settings:
    return {
        Reg.IFM_PAD_TOP: padding.top,
        Reg.IFM_PAD_LEFT: padding.left,
        Reg.IFM_PAD_BOTTOM: padding.bottom,
        Reg.IFM_PAD_RIGHT: padding.right,
    }


def _kernel(kernel: Kernel, *, is_part_kernel: bool) -> Settings:
    x, y = kernel.stride_w - 1, kernel.stride_h - 1
    stride = (
        (x & 1) << StrideBit.X_LOW
        | (y & 1) << StrideBit.Y_LOW
        | is_part_kernel << StrideBit.PART_KERNEL
        | (kernel.dilation_w - 1) << StrideBit.DILATION_X
        | (kernel.dilation_h - 1) << StrideBit.DILATION_Y
        | (x >> 1) << StrideBit.X_HIGH
        | (y >> 1) << StrideBit.Y_HIGH
    )
    return {
        Reg.KERNEL_HEIGHT_M1: kernel.dilated_h - 1,
        Reg.KERNEL_WIDTH_M1: kernel.dilated_w - 1,
        Reg.KERNEL_STRIDE: stride,
    }


def _streams(ranges: tuple[AddressRange, ...], region: Reg, kind: int) -> Settings:
    if not ranges:
        return {}
    settings: Settings = {region: ranges[0].region}
    for item, (start, size) in zip(ranges, STREAM_REGISTERS[kind], strict=False):
        settings |= {start: item.address, size: item.size_bytes}
    return settings


def _activation(use: ActivationUse) -> Settings:
    number = codes.CURVE_CODES[use.curve] if use.table is None else TABLE_START + use.table
    return {
        Reg.ACTIVATION: number | codes.CLIP_CODES[use.clip] << CLIP_SHIFT,
        Reg.ACTIVATION_MIN: use.minimum,
        Reg.ACTIVATION_MAX: use.maximum,
    }


def _shared_buffer(op: NpuOperation) -> Settings:
    settings: Settings = {
        Reg.OFM_BLK_HEIGHT_M1: op.block.h - 1,
        Reg.OFM_BLK_WIDTH_M1: op.block.w - 1,
        Reg.OFM_BLK_DEPTH_M1: op.block.c - 1,
        Reg.IFM_IB_END: op.buffer.ifm_end,
        Reg.AB_START: op.buffer.accumulators_start,
        Reg.ACC_FORMAT: codes.ACCUMULATOR_CODES[op.accumulator],
    }
    if op.buffer.ifm2_start is not None:
        settings[Reg.IFM2_IB_START] = op.buffer.ifm2_start
    return settings


def _ifm2(op: NpuOperation) -> Settings:
    ifm2 = op.ifm2
    if ifm2 is None:
        return {}
    broadcast = (
        BroadcastBit.H * op.broadcast.h
        | BroadcastBit.W * op.broadcast.w
        | BroadcastBit.C * op.broadcast.c
        | BroadcastBit.SWAPPED * op.operands_swapped
    )
    if isinstance(ifm2, ScalarUse):
        return {
            Reg.IFM2_ZERO_POINT: ifm2.zero_point,
            Reg.IFM2_PRECISION: maps.ifm_precision(ifm2.dtype, Format.LINEAR, OperandScaling.BOTH),
            Reg.IFM2_BROADCAST: broadcast | BroadcastBit.SCALAR,
            Reg.IFM2_SCALAR: ifm2.value,
        }
    return maps.write_map(ifm2, IFM2) | {
        Reg.IFM2_PRECISION: maps.ifm_precision(ifm2.dtype, ifm2.format, OperandScaling.BOTH),
        Reg.IFM2_BROADCAST: broadcast,
    }


def _scaling(op: NpuOperation) -> Settings:
    settings: Settings = {}
    if op.ifm_scales is not None:
        first, second = op.ifm_scales
        settings |= {Reg.OPA_SCALE: _scale(first), Reg.OPB_SCALE: _scale(second)}
    if op.ofm_scale is not None:
        settings[Reg.OFM_SCALE] = _scale(op.ofm_scale)
    return settings


def _scale(value: Multiplier) -> int:
    return value.multiplier | value.shift << _SHIFT_START


def _place(place: DmaPlace) -> int:
    return place.region | (INTERNAL if place.is_internal else 0)
