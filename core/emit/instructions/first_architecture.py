"""The instruction set of the first architecture: Ethos-U55 and U65.

Facts of the public register description, as open-source compilers, the Linux driver
(drivers/accel/ethosu) and the interface headers of the driver for microcontrollers
(ethosu55_interface.h, ethosu65_interface.h) carry them. Where these differ by product, what both
have is here; U55 alone can pass a transfer to a unit of its own (bit 15 of regions), which nothing
here has.
"""

from __future__ import annotations

from types import MappingProxyType

from core.base.dtype import DType
from core.base.geometry import Resampling
from core.emit.instructions.instruction_set import (
    ADDRESS_BITS,
    WIDE,
    Bits,
    BroadcastBits,
    Coded,
    DmaRegisters,
    InstructionSet,
    Launch,
    MapRegisters,
    Reg,
    StreamRegisters,
    StrideBits,
)
from core.ir.npugraph import Rounding
from core.ir.program import Clip, Curve, Job, OperandScaling
from core.target.shram import Accumulator

_CODES: dict[Reg | Launch, int] = {
    Launch.STOP: 0x000,
    Launch.IRQ: 0x001,
    Launch.CONV: 0x002,
    Launch.DEPTHWISE: 0x003,
    Launch.POOL: 0x005,
    Launch.ELEMENTWISE: 0x006,
    Launch.DMA_START: 0x010,
    Launch.DMA_WAIT: 0x011,
    Launch.KERNEL_WAIT: 0x012,
    Launch.PMU_MASK: 0x013,
    Reg.IFM_PAD_TOP: 0x100,
    Reg.IFM_PAD_LEFT: 0x101,
    Reg.IFM_PAD_RIGHT: 0x102,
    Reg.IFM_PAD_BOTTOM: 0x103,
    Reg.IFM_DEPTH_M1: 0x104,
    Reg.IFM_PRECISION: 0x105,
    Reg.IFM_UPSCALE: 0x107,
    Reg.IFM_ZERO_POINT: 0x109,
    Reg.IFM_WIDTH0_M1: 0x10A,
    Reg.IFM_HEIGHT0_M1: 0x10B,
    Reg.IFM_HEIGHT1_M1: 0x10C,
    Reg.IFM_IB_END: 0x10D,
    Reg.IFM_REGION: 0x10F,
    Reg.OFM_WIDTH_M1: 0x111,
    Reg.OFM_HEIGHT_M1: 0x112,
    Reg.OFM_DEPTH_M1: 0x113,
    Reg.OFM_PRECISION: 0x114,
    Reg.OFM_BLK_WIDTH_M1: 0x115,
    Reg.OFM_BLK_HEIGHT_M1: 0x116,
    Reg.OFM_BLK_DEPTH_M1: 0x117,
    Reg.OFM_ZERO_POINT: 0x118,
    Reg.OFM_WIDTH0_M1: 0x11A,
    Reg.OFM_HEIGHT0_M1: 0x11B,
    Reg.OFM_HEIGHT1_M1: 0x11C,
    Reg.OFM_REGION: 0x11F,
    Reg.KERNEL_WIDTH_M1: 0x120,
    Reg.KERNEL_HEIGHT_M1: 0x121,
    Reg.KERNEL_STRIDE: 0x122,
    Reg.PARALLEL_MODE: 0x123,
    Reg.ACC_FORMAT: 0x124,
    Reg.ACTIVATION: 0x125,
    Reg.ACTIVATION_MIN: 0x126,
    Reg.ACTIVATION_MAX: 0x127,
    Reg.WEIGHT_REGION: 0x128,
    Reg.SCALE_REGION: 0x129,
    Reg.AB_START: 0x12D,
    Reg.BLOCKDEP: 0x12F,
    Reg.DMA0_SRC_REGION: 0x130,
    Reg.DMA0_DST_REGION: 0x131,
    Reg.DMA0_SIZE0: 0x132,
    Reg.DMA0_SIZE1: 0x133,
    Reg.IFM2_BROADCAST: 0x180,
    Reg.IFM2_SCALAR: 0x181,
    Reg.IFM2_PRECISION: 0x185,
    Reg.IFM2_ZERO_POINT: 0x189,
    Reg.IFM2_WIDTH0_M1: 0x18A,
    Reg.IFM2_HEIGHT0_M1: 0x18B,
    Reg.IFM2_HEIGHT1_M1: 0x18C,
    Reg.IFM2_IB_START: 0x18D,
    Reg.IFM2_REGION: 0x18F,
    Reg.IFM_BASE0: WIDE | 0x000,
    Reg.IFM_BASE1: WIDE | 0x001,
    Reg.IFM_BASE2: WIDE | 0x002,
    Reg.IFM_BASE3: WIDE | 0x003,
    Reg.IFM_STRIDE_X: WIDE | 0x004,
    Reg.IFM_STRIDE_Y: WIDE | 0x005,
    Reg.IFM_STRIDE_C: WIDE | 0x006,
    Reg.OFM_BASE0: WIDE | 0x010,
    Reg.OFM_BASE1: WIDE | 0x011,
    Reg.OFM_BASE2: WIDE | 0x012,
    Reg.OFM_BASE3: WIDE | 0x013,
    Reg.OFM_STRIDE_X: WIDE | 0x014,
    Reg.OFM_STRIDE_Y: WIDE | 0x015,
    Reg.OFM_STRIDE_C: WIDE | 0x016,
    Reg.WEIGHT_BASE: WIDE | 0x020,
    Reg.WEIGHT_LENGTH: WIDE | 0x021,
    Reg.SCALE_BASE: WIDE | 0x022,
    Reg.SCALE_LENGTH: WIDE | 0x023,
    Reg.OFM_SCALE: WIDE | 0x024,
    Reg.OPA_SCALE: WIDE | 0x025,
    Reg.OPB_SCALE: WIDE | 0x026,
    Reg.DMA0_SRC: WIDE | 0x030,
    Reg.DMA0_DST: WIDE | 0x031,
    Reg.DMA0_LEN: WIDE | 0x032,
    Reg.DMA0_SKIP0: WIDE | 0x033,
    Reg.DMA0_SKIP1: WIDE | 0x034,
    Reg.IFM2_BASE0: WIDE | 0x080,
    Reg.IFM2_BASE1: WIDE | 0x081,
    Reg.IFM2_BASE2: WIDE | 0x082,
    Reg.IFM2_BASE3: WIDE | 0x083,
    Reg.IFM2_STRIDE_X: WIDE | 0x084,
    Reg.IFM2_STRIDE_Y: WIDE | 0x085,
    Reg.IFM2_STRIDE_C: WIDE | 0x086,
    Reg.WEIGHT1_BASE: WIDE | 0x090,
    Reg.WEIGHT1_LENGTH: WIDE | 0x091,
    Reg.SCALE1_BASE: WIDE | 0x092,
    Reg.SCALE1_LENGTH: WIDE | 0x093,
}

_BY_WIDTH: dict[int, tuple[Reg | Launch, ...]] = {
    0: (Launch.CONV, Launch.DEPTHWISE, Launch.DMA_START),
    1: (Launch.PMU_MASK, Reg.PARALLEL_MODE),
    2: (Launch.KERNEL_WAIT, Reg.BLOCKDEP),
    3: (
        *(Launch.POOL, Reg.IFM_REGION, Reg.IFM2_REGION, Reg.OFM_REGION),
        *(Reg.WEIGHT_REGION, Reg.SCALE_REGION),
    ),
    4: (Launch.DMA_WAIT,),
    5: (Reg.OFM_BLK_HEIGHT_M1,),
    6: (
        *(Launch.ELEMENTWISE, Reg.OFM_BLK_WIDTH_M1),
        *(Reg.IFM_IB_END, Reg.IFM2_IB_START, Reg.AB_START),
    ),
    7: (Reg.OFM_BLK_DEPTH_M1, Reg.IFM_PAD_TOP, Reg.IFM_PAD_LEFT),
    8: (Reg.IFM_PAD_BOTTOM, Reg.IFM_PAD_RIGHT),
    16: (
        *(Launch.STOP, Launch.IRQ, Reg.ACTIVATION_MIN, Reg.ACTIVATION_MAX, Reg.OPB_SCALE),
        *(Reg.KERNEL_WIDTH_M1, Reg.KERNEL_HEIGHT_M1, Reg.DMA0_SIZE0, Reg.DMA0_SIZE1),
        *(Reg.IFM_DEPTH_M1, Reg.IFM_WIDTH0_M1, Reg.IFM_HEIGHT0_M1, Reg.IFM_HEIGHT1_M1),
        *(Reg.IFM2_SCALAR, Reg.IFM2_WIDTH0_M1, Reg.IFM2_HEIGHT0_M1, Reg.IFM2_HEIGHT1_M1),
        *(Reg.OFM_DEPTH_M1, Reg.OFM_WIDTH_M1, Reg.OFM_HEIGHT_M1),
        *(Reg.OFM_WIDTH0_M1, Reg.OFM_HEIGHT0_M1, Reg.OFM_HEIGHT1_M1),
        *(Reg.IFM_ZERO_POINT, Reg.IFM2_ZERO_POINT, Reg.OFM_ZERO_POINT),
    ),
    20: (Reg.SCALE_LENGTH, Reg.SCALE1_LENGTH),
    32: (Reg.WEIGHT_LENGTH, Reg.WEIGHT1_LENGTH),
    38: (Reg.OFM_SCALE, Reg.OPA_SCALE),
    ADDRESS_BITS: (
        *(Reg.IFM_BASE0, Reg.IFM_BASE1, Reg.IFM_BASE2, Reg.IFM_BASE3),
        *(Reg.IFM2_BASE0, Reg.IFM2_BASE1, Reg.IFM2_BASE2, Reg.IFM2_BASE3),
        *(Reg.OFM_BASE0, Reg.OFM_BASE1, Reg.OFM_BASE2, Reg.OFM_BASE3),
        *(Reg.IFM_STRIDE_X, Reg.IFM_STRIDE_Y, Reg.IFM_STRIDE_C),
        *(Reg.IFM2_STRIDE_X, Reg.IFM2_STRIDE_Y, Reg.IFM2_STRIDE_C),
        *(Reg.OFM_STRIDE_X, Reg.OFM_STRIDE_Y, Reg.OFM_STRIDE_C),
        *(Reg.WEIGHT_BASE, Reg.WEIGHT1_BASE, Reg.SCALE_BASE, Reg.SCALE1_BASE),
        *(Reg.DMA0_SRC, Reg.DMA0_DST, Reg.DMA0_LEN, Reg.DMA0_SKIP0, Reg.DMA0_SKIP1),
    ),
}

_JOBS = MappingProxyType(
    {
        (Launch.CONV, 0): Job.CONVOLUTION,
        (Launch.DEPTHWISE, 0): Job.DEPTHWISE,
        (Launch.POOL, 0): Job.MAX_POOL,
        (Launch.POOL, 1): Job.AVERAGE_POOL,
        (Launch.POOL, 2): Job.REDUCE_SUM,
        (Launch.ELEMENTWISE, 0): Job.MUL,
        (Launch.ELEMENTWISE, 1): Job.ADD,
        (Launch.ELEMENTWISE, 2): Job.SUB,
        (Launch.ELEMENTWISE, 3): Job.MINIMUM,
        (Launch.ELEMENTWISE, 4): Job.MAXIMUM,
        (Launch.ELEMENTWISE, 5): Job.LEAKY_RELU,
        (Launch.ELEMENTWISE, 6): Job.ABS,
        (Launch.ELEMENTWISE, 7): Job.COUNT_LEADING_ZEROS,
        (Launch.ELEMENTWISE, 8): Job.SHIFT_RIGHT,
        (Launch.ELEMENTWISE, 9): Job.SHIFT_LEFT,
    }
)

_IFM_TYPES = {0: DType.UINT8, 1: DType.INT8, 4: DType.UINT16, 5: DType.INT16, 9: DType.INT32}
_FIRST_TABLE, _TABLES = 16, 8
_OFM_TYPES = {0: DType.UINT8, 1: DType.INT8, 2: DType.UINT16, 3: DType.INT16, 5: DType.INT32}


def _map_registers(name: str, types: dict[int, DType], type_bits: int) -> MapRegisters:
    def reg(what: str) -> Reg:
        return Reg[f"{name}_{what}"]

    return MapRegisters(
        region=reg("REGION"),
        bases=(reg("BASE0"), reg("BASE1"), reg("BASE2"), reg("BASE3")),
        height0=reg("HEIGHT0_M1"),
        height1=reg("HEIGHT1_M1"),
        width0=reg("WIDTH0_M1"),
        stride_y=reg("STRIDE_Y"),
        stride_x=reg("STRIDE_X"),
        stride_c=reg("STRIDE_C"),
        zero_point=reg("ZERO_POINT"),
        type=Coded(Bits(reg("PRECISION"), 0, type_bits), types),
        is_bricks=Bits(reg("PRECISION"), 6, 1),
    )


def _dma_registers(region: Reg, address: Reg) -> DmaRegisters:
    return DmaRegisters(Bits(region, 0, 3), Bits(region, 8, 1), address)


FIRST_ARCHITECTURE = InstructionSet(
    architecture=1,
    codes=MappingProxyType(_CODES),
    widths=MappingProxyType({name: width for width, names in _BY_WIDTH.items() for name in names}),
    jobs=_JOBS,
    products_with_cores=frozenset({1}),
    ifm=_map_registers("IFM", _IFM_TYPES, 4),
    ifm2=_map_registers("IFM2", _IFM_TYPES, 4),
    ofm=_map_registers("OFM", _OFM_TYPES, 3),
    weights=StreamRegisters(
        Reg.WEIGHT_REGION,
        ((Reg.WEIGHT_BASE, Reg.WEIGHT_LENGTH), (Reg.WEIGHT1_BASE, Reg.WEIGHT1_LENGTH)),
    ),
    scales=StreamRegisters(
        Reg.SCALE_REGION,
        ((Reg.SCALE_BASE, Reg.SCALE_LENGTH), (Reg.SCALE1_BASE, Reg.SCALE1_LENGTH)),
    ),
    stride=StrideBits(
        x_low=Bits(Reg.KERNEL_STRIDE, 0, 1),
        x_high=Bits(Reg.KERNEL_STRIDE, 6, 1),
        y_low=Bits(Reg.KERNEL_STRIDE, 1, 1),
        y_high=Bits(Reg.KERNEL_STRIDE, 9, 1),
        dilation_x=Bits(Reg.KERNEL_STRIDE, 3, 1),
        dilation_y=Bits(Reg.KERNEL_STRIDE, 4, 1),
        part_kernel=Bits(Reg.KERNEL_STRIDE, 2, 1),
    ),
    broadcast=BroadcastBits(
        h=Bits(Reg.IFM2_BROADCAST, 0, 1),
        w=Bits(Reg.IFM2_BROADCAST, 1, 1),
        c=Bits(Reg.IFM2_BROADCAST, 2, 1),
        is_swapped=Bits(Reg.IFM2_BROADCAST, 6, 1),
        is_scalar=Bits(Reg.IFM2_BROADCAST, 7, 1),
    ),
    operand_scaling=Coded(
        Bits(Reg.IFM_PRECISION, 8, 2),
        {0: OperandScaling.BOTH, 1: OperandScaling.FIRST, 2: OperandScaling.SECOND},
    ),
    operand_rounding=Coded(
        Bits(Reg.IFM_PRECISION, 14, 2), {0: Rounding.DOUBLE, 2: Rounding.NATURAL}
    ),
    has_global_scale=Bits(Reg.OFM_PRECISION, 8, 1),
    rounding=Coded(
        Bits(Reg.OFM_PRECISION, 14, 2),
        {0: Rounding.DOUBLE, 1: Rounding.TRUNCATE, 2: Rounding.NATURAL},
    ),
    upscale=Coded(
        Bits(Reg.IFM_UPSCALE, 0, 2),
        {0: Resampling.NONE, 1: Resampling.NEAREST, 2: Resampling.TRANSPOSE},
    ),
    accumulator=Coded(
        Bits(Reg.ACC_FORMAT, 0, 2),
        {0: Accumulator.ACC32, 1: Accumulator.ACC40, 2: Accumulator.ACC16},
    ),
    curve=Coded(
        Bits(Reg.ACTIVATION, 0, 5),
        {0: (Curve.NONE, None), 3: (Curve.TANH, None), 4: (Curve.SIGMOID, None)}
        | {_FIRST_TABLE + number: (Curve.TABLE, number) for number in range(_TABLES)},
    ),
    clip=Coded(
        Bits(Reg.ACTIVATION, 12, 3),
        {0: Clip.OUTPUT, 2: Clip.UINT8, 3: Clip.INT8, 5: Clip.INT16},
    ),
    dma_source=_dma_registers(Reg.DMA0_SRC_REGION, Reg.DMA0_SRC),
    dma_destination=_dma_registers(Reg.DMA0_DST_REGION, Reg.DMA0_DST),
    dma_dimensions=Coded(Bits(Reg.DMA0_SRC_REGION, 9, 2), {0: 0, 1: 1, 2: 2}),
    dma_repeats=(
        (Reg.DMA0_SIZE0, Reg.DMA0_SKIP0),
        (Reg.DMA0_SIZE1, Reg.DMA0_SKIP1),
    ),
)
