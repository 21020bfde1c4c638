"""Feature maps and their registers, in both directions."""

from __future__ import annotations

from core.base.dtype import DType
from core.base.errors import InputError
from core.base.geometry import Kernel, Padding, Resampling, Shape4, ceil_div
from core.emit.instructions.instruction_set import MapRegisters, Reg
from core.emit.state import Registers
from core.ir.program import Broadcast, MapUse, Strides, Tiles
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
        raise InputError(
            f"IFM_PAD_TOP to IFM_PAD_BOTTOM leave {rows} rows and {columns} columns of input"
        )
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
        region=registers.need(names.region),
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
        format=Format.BRICKS if registers.is_set(names.is_bricks) else Format.LINEAR,
    )


def read_bases(registers: Registers, names: MapRegisters) -> tuple[int, int, int, int]:
    """Where the tiles of a map begin; only maps of several tiles need more than the first."""
    first, second, third, fourth = names.bases
    return (
        registers.need(first),
        registers.get(second),
        registers.get(third),
        registers.get(fourth),
    )


def read_type(registers: Registers, names: MapRegisters) -> DType:
    """The element type of a map."""
    registers.need(names.type.bits.reg)
    return registers.choice(names.type)


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


def precision(names: MapRegisters, dtype: DType, layout: Format) -> int:
    """What the precision register of a map says of its elements and their order."""
    return names.type.placed[dtype] | (names.is_bricks.mask if layout is Format.BRICKS else 0)
