"""From an operation or a transfer to the registers that it needs."""

from __future__ import annotations

from core.base.errors import InternalError
from core.base.fixedpoint import Multiplier
from core.base.geometry import Kernel, Padding
from core.emit import maps
from core.emit.instructions.instruction_set import (
    DmaRegisters,
    InstructionSet,
    Reg,
    StreamRegisters,
    StrideBits,
)
from core.emit.maps import Settings
from core.ir.program import (
    ActivationUse,
    AddressRange,
    DmaPlace,
    DmaTransfer,
    NpuOperation,
    ScalarUse,
)
from core.target.format import Format

_SHIFT_START = 32


def operation(op: NpuOperation, known: InstructionSet, *, sets_cores: bool) -> Settings:
    """What the registers hold when an operation starts; others have no effect on it."""
    _check_shapes(op)
    settings: Settings = {Reg.PARALLEL_MODE: op.cores - 1} if sets_cores else {}
    settings |= _ifm(op, known) | _ofm(op, known) | _window(op, known)
    settings |= _streams(op.weights, known.weights) | _streams(op.scales, known.scales)
    settings |= _activation(op.activation, known) | _block(op, known)
    settings |= _ifm2(op, known) | _scaling(op)
    settings[Reg.BLOCKDEP] = op.block_dependency
    return settings


def transfer(item: DmaTransfer, known: InstructionSet) -> Settings:
    """What the registers hold when a transfer starts."""
    source, destination = known.dma_source, known.dma_destination
    dimensions = known.dma_dimensions.placed[len(item.repeats)]
    settings: Settings = {
        source.region.reg: _place(item.source, source) | dimensions,
        source.address: item.source.address,
        destination.region.reg: _place(item.destination, destination),
        destination.address: item.destination.address,
        Reg.DMA0_LEN: item.size_bytes,
    }
    for repeat, (size, skip) in zip(item.repeats, known.dma_repeats, strict=False):
        settings |= {size: repeat.times, skip: repeat.skip_bytes}
    return settings


def _check_shapes(op: NpuOperation) -> None:
    """The hardware works out what is read, so a program cannot ask for anything else."""
    read = maps.input_shape(op.ofm.shape, op.ifm.shape.c, op.kernel, op.padding, op.upscale)
    if op.ifm.shape != read:
        raise InternalError(f"{op.job.value} reads {read}, and not {op.ifm.shape}")


def _ifm(op: NpuOperation, known: InstructionSet) -> Settings:
    ifm = op.ifm
    scaled = known.operand_scaling.placed[op.operand_scaling]
    rounded = known.operand_rounding.placed[op.operand_rounding]
    return maps.write_map(ifm, known.ifm) | {
        Reg.IFM_DEPTH_M1: ifm.shape.c - 1,
        Reg.IFM_PRECISION: maps.precision(known.ifm, ifm.dtype, ifm.format) | scaled | rounded,
        Reg.IFM_UPSCALE: known.upscale.placed[op.upscale],
    }


def _ofm(op: NpuOperation, known: InstructionSet) -> Settings:
    ofm = op.ofm
    scaled = known.has_global_scale.mask if op.has_global_scale else 0
    precision = maps.precision(known.ofm, ofm.dtype, ofm.format)
    return maps.write_map(ofm, known.ofm) | {
        Reg.OFM_HEIGHT_M1: ofm.shape.h - 1,
        Reg.OFM_WIDTH_M1: ofm.shape.w - 1,
        Reg.OFM_DEPTH_M1: ofm.shape.c - 1,
        Reg.OFM_PRECISION: precision | scaled | known.rounding.placed[op.rounding],
    }


def _window(op: NpuOperation, known: InstructionSet) -> Settings:
    if op.job.is_elementwise:
        return {}
    kernel = _kernel(op.kernel, known.stride, is_part_kernel=op.is_part_kernel)
    return _padding(op.padding) | kernel


def _padding(padding: Padding) -> Settings:
    return {
        Reg.IFM_PAD_TOP: padding.top,
        Reg.IFM_PAD_LEFT: padding.left,
        Reg.IFM_PAD_BOTTOM: padding.bottom,
        Reg.IFM_PAD_RIGHT: padding.right,
    }


def _kernel(kernel: Kernel, bits: StrideBits, *, is_part_kernel: bool) -> Settings:
    x, y = kernel.stride_w - 1, kernel.stride_h - 1
    stride = (
        (x & 1) << bits.x_low.shift
        | (y & 1) << bits.y_low.shift
        | is_part_kernel << bits.part_kernel.shift
        | (kernel.dilation_w - 1) << bits.dilation_x.shift
        | (kernel.dilation_h - 1) << bits.dilation_y.shift
        | (x >> 1) << bits.x_high.shift
        | (y >> 1) << bits.y_high.shift
    )
    return {
        Reg.KERNEL_HEIGHT_M1: kernel.dilated_h - 1,
        Reg.KERNEL_WIDTH_M1: kernel.dilated_w - 1,
        Reg.KERNEL_STRIDE: stride,
    }


def _streams(ranges: tuple[AddressRange, ...], names: StreamRegisters) -> Settings:
    if not ranges:
        return {}
    settings: Settings = {names.region: ranges[0].region}
    for item, (start, size) in zip(ranges, names.ranges, strict=False):
        settings |= {start: item.address, size: item.size_bytes}
    return settings


def _activation(use: ActivationUse, known: InstructionSet) -> Settings:
    return {
        Reg.ACTIVATION: known.curve.placed[use.curve, use.table] | known.clip.placed[use.clip],
        Reg.ACTIVATION_MIN: use.minimum,
        Reg.ACTIVATION_MAX: use.maximum,
    }


def _block(op: NpuOperation, known: InstructionSet) -> Settings:
    settings: Settings = {
        Reg.OFM_BLK_HEIGHT_M1: op.block.h - 1,
        Reg.OFM_BLK_WIDTH_M1: op.block.w - 1,
        Reg.OFM_BLK_DEPTH_M1: op.block.c - 1,
    }
    if op.buffer is not None:
        settings[Reg.IFM_IB_END] = op.buffer.ifm_end
        settings[Reg.AB_START] = op.buffer.accumulators_start
    settings[Reg.ACC_FORMAT] = known.accumulator.placed[op.accumulator]
    if op.buffer is not None and op.buffer.ifm2_start is not None:
        settings[Reg.IFM2_IB_START] = op.buffer.ifm2_start
    return settings


def _ifm2(op: NpuOperation, known: InstructionSet) -> Settings:
    ifm2, bits = op.ifm2, known.broadcast
    if ifm2 is None:
        return {}
    broadcast = (
        bits.h.mask * op.broadcast.h
        | bits.w.mask * op.broadcast.w
        | bits.c.mask * op.broadcast.c
        | bits.is_swapped.mask * op.operands_swapped
    )
    if isinstance(ifm2, ScalarUse):
        return {
            Reg.IFM2_ZERO_POINT: ifm2.zero_point,
            Reg.IFM2_PRECISION: maps.precision(known.ifm2, ifm2.dtype, Format.LINEAR),
            Reg.IFM2_BROADCAST: broadcast | bits.is_scalar.mask,
            Reg.IFM2_SCALAR: ifm2.value,
        }
    return maps.write_map(ifm2, known.ifm2) | {
        Reg.IFM2_PRECISION: maps.precision(known.ifm2, ifm2.dtype, ifm2.format),
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


def _place(place: DmaPlace, names: DmaRegisters) -> int:
    return place.region | (names.is_internal.mask if place.is_internal else 0)
