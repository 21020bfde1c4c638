"""Feature maps and their registers, in both directions."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.geometry import Kernel, Padding, Resampling, Shape4, ceil_div
from core.emit import codes
from core.emit.registers import (
    IFM_SCALING_SHIFT,
    IFM_TYPE_MASK,
    OFM,
    OFM_ROUNDING_SHIFT,
    OFM_TYPE_MASK,
    MapRegisters,
    Precision,
    Reg,
)
from core.emit.state import Registers
from core.ir.npugraph import Rounding
from core.ir.program import Broadcast, MapUse, OperandScaling, Strides, Tiles
from core.target.format import Format

Settings = dict[Reg, int]
"""Registers and what they are set to, in the order in which they are written."""


def input_shape(
    output: Shape4, depth: int, kernel: Kernel, padding: Padding, upscale: Resampling
) -> Shape4:
    """What an operation with a window reads; the hardware works it out in the same way."""
    rows = (output.h - 1) * kernel.stride_h + kernel.dilated_h - padding.top - padding.bottom
    columns = (output.w - 1) * kernel.stride_w + kernel.dilated_w - padding.left - padding.right
    if min(rows, columns) < 1:
        raise InputError(f"padding leaves {rows} rows and {columns} columns of input")
    return Shape4(1, ceil_div(rows, upscale.factor), ceil_div(columns, upscale.factor), depth)


def second_shape(output: Shape4, broadcast: Broadcast) -> Shape4:
    """What an element-wise operation reads of its second input."""
    return Shape4(
        1,
        1 if broadcast.h else output.h,
        1 if broadcast.w else output.w,
        1 if broadcast.c else output.c,
    )


def output_shape(registers: Registers) -> Shape4:
    """What an operation writes."""
    return Shape4(
        1,
        registers.more(Reg.OFM_HEIGHT_M1),
        registers.more(Reg.OFM_WIDTH_M1),
        registers.more(Reg.OFM_DEPTH_M1),
    )


def read_map(registers: Registers, names: MapRegisters, shape: Shape4) -> MapUse:
    """The map that registers describe."""
    dtype = read_type(registers, names)
    bases = read_bases(registers, names)
    return MapUse(
        region=registers.region(names.region),
        bases=bases,
        tiles=Tiles(
            registers.more(names.height0),
            registers.more(names.height1),
            registers.more(names.width0),
        ),
        strides=Strides(
            registers.distance(names.stride_y),
            registers.distance(names.stride_x),
            registers.distance(names.stride_c),
        ),
        shape=shape,
        dtype=dtype,
        zero_point=read_zero_point(registers, names, dtype),
        format=Format.BRICKS
        if registers.need(names.precision) & Precision.BRICKS
        else Format.LINEAR,
    )


def read_bases(registers: Registers, names: MapRegisters) -> tuple[int, int, int, int]:
    """Where the tiles of a map begin; only maps of several tiles need more than the first."""
    first, second, third, fourth = names.bases
    return (
        registers.address(first),
        registers.optional_address(second),
        registers.optional_address(third),
        registers.optional_address(fourth),
    )


def read_type(registers: Registers, names: MapRegisters) -> DType:
    """The element type of a map."""
    value = registers.need(names.precision)
    if names is OFM:
        return registers.choice(names.precision, value & OFM_TYPE_MASK, codes.OFM_TYPES)
    return registers.choice(names.precision, value & IFM_TYPE_MASK, codes.IFM_TYPES)


def read_zero_point(registers: Registers, names: MapRegisters, dtype: DType) -> int:
    """The zero point of a map, with a sign where its elements have one."""
    reg = names.zero_point
    return registers.signed(reg) if dtype.is_signed else registers.get(reg)


def write_map(use: MapUse, names: MapRegisters) -> Settings:
    """Registers of a map, without those of its shape and its precision."""
    return {
        names.region: use.region,
        **dict(zip(names.bases, use.bases, strict=True)),
        names.height0: use.tiles.height0 - 1,
        names.height1: use.tiles.height1 - 1,
        names.width0: use.tiles.width0 - 1,
        names.stride_c: use.strides.c,
        names.stride_y: use.strides.y,
        names.stride_x: use.strides.x,
        names.zero_point: use.zero_point,
    }


def ifm_precision(dtype: DType, layout: Format, scaling: OperandScaling) -> int:
    """The precision register of an input."""
    bricks = Precision.BRICKS if layout is Format.BRICKS else 0
    scaled = codes.OPERAND_SCALING_CODES[scaling] << IFM_SCALING_SHIFT
    return codes.IFM_TYPE_CODES[dtype] | bricks | scaled


def ofm_precision(use: MapUse, rounding: Rounding, *, has_global_scale: bool) -> int:
    """The precision register of the output."""
    bricks = Precision.BRICKS if use.format is Format.BRICKS else 0
    scaled = Precision.GLOBAL_SCALE if has_global_scale else 0
    rounded = codes.ROUNDING_CODES[rounding] << OFM_ROUNDING_SHIFT
    return codes.OFM_TYPE_CODES[use.dtype] | bricks | scaled | rounded
