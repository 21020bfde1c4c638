"""Numbers of commands and registers of Ethos-U55 and U65, and of the values that they take.

Facts of the public register description, as open-source compilers and the Linux driver
(drivers/accel/ethosu) carry them. The lower half of a command word is its code: ten bits, and
bit 14 where a second word follows. The upper half is its parameter; with a second word, that is
bits 32 to 47 of the value. Launch codes start something, all others set a register.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

WIDE = 0x4000
CODE_MASK = 0xFFFF


class Launch(enum.IntEnum):
    """Commands that start something."""

    STOP = 0x000
    IRQ = 0x001
    CONV = 0x002
    DEPTHWISE = 0x003
    POOL = 0x005
    ELEMENTWISE = 0x006
    DMA_START = 0x010
    DMA_WAIT = 0x011
    KERNEL_WAIT = 0x012
    PMU_MASK = 0x013


class Reg(enum.IntEnum):
    """Registers; those with the bit `WIDE` take a second word."""

    IFM_PAD_TOP = 0x100
    IFM_PAD_LEFT = 0x101
    IFM_PAD_RIGHT = 0x102
    IFM_PAD_BOTTOM = 0x103
    IFM_DEPTH_M1 = 0x104
    IFM_PRECISION = 0x105
    IFM_UPSCALE = 0x107
    IFM_ZERO_POINT = 0x109
    IFM_WIDTH0_M1 = 0x10A
    IFM_HEIGHT0_M1 = 0x10B
    IFM_HEIGHT1_M1 = 0x10C
    IFM_IB_END = 0x10D
    IFM_REGION = 0x10F
    OFM_WIDTH_M1 = 0x111
    OFM_HEIGHT_M1 = 0x112
    OFM_DEPTH_M1 = 0x113
    OFM_PRECISION = 0x114
    OFM_BLK_WIDTH_M1 = 0x115
    OFM_BLK_HEIGHT_M1 = 0x116
    OFM_BLK_DEPTH_M1 = 0x117
    OFM_ZERO_POINT = 0x118
    OFM_WIDTH0_M1 = 0x11A
    OFM_HEIGHT0_M1 = 0x11B
    OFM_HEIGHT1_M1 = 0x11C
    OFM_REGION = 0x11F
    KERNEL_WIDTH_M1 = 0x120
    KERNEL_HEIGHT_M1 = 0x121
    KERNEL_STRIDE = 0x122
    PARALLEL_MODE = 0x123
    ACC_FORMAT = 0x124
    ACTIVATION = 0x125
    ACTIVATION_MIN = 0x126
    ACTIVATION_MAX = 0x127
    WEIGHT_REGION = 0x128
    SCALE_REGION = 0x129
    AB_START = 0x12D
    BLOCKDEP = 0x12F
    DMA0_SRC_REGION = 0x130
    DMA0_DST_REGION = 0x131
    DMA0_SIZE0 = 0x132
    DMA0_SIZE1 = 0x133
    IFM2_BROADCAST = 0x180
    IFM2_SCALAR = 0x181
    IFM2_PRECISION = 0x185
    IFM2_ZERO_POINT = 0x189
    IFM2_WIDTH0_M1 = 0x18A
    IFM2_HEIGHT0_M1 = 0x18B
    IFM2_HEIGHT1_M1 = 0x18C
    IFM2_IB_START = 0x18D
    IFM2_REGION = 0x18F

    IFM_BASE0 = WIDE | 0x000
    IFM_BASE1 = WIDE | 0x001
    IFM_BASE2 = WIDE | 0x002
    IFM_BASE3 = WIDE | 0x003
    IFM_STRIDE_X = WIDE | 0x004
    IFM_STRIDE_Y = WIDE | 0x005
    IFM_STRIDE_C = WIDE | 0x006
    OFM_BASE0 = WIDE | 0x010
    OFM_BASE1 = WIDE | 0x011
    OFM_BASE2 = WIDE | 0x012
    OFM_BASE3 = WIDE | 0x013
    OFM_STRIDE_X = WIDE | 0x014
    OFM_STRIDE_Y = WIDE | 0x015
    OFM_STRIDE_C = WIDE | 0x016
    WEIGHT_BASE = WIDE | 0x020
    WEIGHT_LENGTH = WIDE | 0x021
    SCALE_BASE = WIDE | 0x022
    SCALE_LENGTH = WIDE | 0x023
    OFM_SCALE = WIDE | 0x024
    OPA_SCALE = WIDE | 0x025
    OPB_SCALE = WIDE | 0x026
    DMA0_SRC = WIDE | 0x030
    DMA0_DST = WIDE | 0x031
    DMA0_LEN = WIDE | 0x032
    DMA0_SKIP0 = WIDE | 0x033
    DMA0_SKIP1 = WIDE | 0x034
    IFM2_BASE0 = WIDE | 0x080
    IFM2_BASE1 = WIDE | 0x081
    IFM2_BASE2 = WIDE | 0x082
    IFM2_BASE3 = WIDE | 0x083
    IFM2_STRIDE_X = WIDE | 0x084
    IFM2_STRIDE_Y = WIDE | 0x085
    IFM2_STRIDE_C = WIDE | 0x086
    WEIGHT1_BASE = WIDE | 0x090
    WEIGHT1_LENGTH = WIDE | 0x091
    SCALE1_BASE = WIDE | 0x092
    SCALE1_LENGTH = WIDE | 0x093


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
    precision: Reg


IFM = MapRegisters(
    region=Reg.IFM_REGION,
    bases=(Reg.IFM_BASE0, Reg.IFM_BASE1, Reg.IFM_BASE2, Reg.IFM_BASE3),
    height0=Reg.IFM_HEIGHT0_M1,
    height1=Reg.IFM_HEIGHT1_M1,
    width0=Reg.IFM_WIDTH0_M1,
    stride_y=Reg.IFM_STRIDE_Y,
    stride_x=Reg.IFM_STRIDE_X,
    stride_c=Reg.IFM_STRIDE_C,
    zero_point=Reg.IFM_ZERO_POINT,
    precision=Reg.IFM_PRECISION,
)
IFM2 = MapRegisters(
    region=Reg.IFM2_REGION,
    bases=(Reg.IFM2_BASE0, Reg.IFM2_BASE1, Reg.IFM2_BASE2, Reg.IFM2_BASE3),
    height0=Reg.IFM2_HEIGHT0_M1,
    height1=Reg.IFM2_HEIGHT1_M1,
    width0=Reg.IFM2_WIDTH0_M1,
    stride_y=Reg.IFM2_STRIDE_Y,
    stride_x=Reg.IFM2_STRIDE_X,
    stride_c=Reg.IFM2_STRIDE_C,
    zero_point=Reg.IFM2_ZERO_POINT,
    precision=Reg.IFM2_PRECISION,
)
OFM = MapRegisters(
    region=Reg.OFM_REGION,
    bases=(Reg.OFM_BASE0, Reg.OFM_BASE1, Reg.OFM_BASE2, Reg.OFM_BASE3),
    height0=Reg.OFM_HEIGHT0_M1,
    height1=Reg.OFM_HEIGHT1_M1,
    width0=Reg.OFM_WIDTH0_M1,
    stride_y=Reg.OFM_STRIDE_Y,
    stride_x=Reg.OFM_STRIDE_X,
    stride_c=Reg.OFM_STRIDE_C,
    zero_point=Reg.OFM_ZERO_POINT,
    precision=Reg.OFM_PRECISION,
)

STREAM_REGISTERS = (
    ((Reg.WEIGHT_BASE, Reg.WEIGHT_LENGTH), (Reg.WEIGHT1_BASE, Reg.WEIGHT1_LENGTH)),
    ((Reg.SCALE_BASE, Reg.SCALE_LENGTH), (Reg.SCALE1_BASE, Reg.SCALE1_LENGTH)),
)
"""Start and size of weights, then of scales, for each core."""

PLACES = frozenset(
    {
        *(reg for names in (IFM, IFM2, OFM) for reg in names.bases),
        *(reg for kind in STREAM_REGISTERS for pair in kind for reg in pair),
        *(reg for reg in Reg if reg.name.startswith("DMA0")),
    }
)
"""Registers that say where operations find things, and those that have no effect on them."""


class Precision(enum.IntFlag):
    """Bits of the precision registers beside the element type."""

    BRICKS = 1 << 6
    GLOBAL_SCALE = 1 << 8


IFM_TYPE_MASK = 0x0F
IFM_SCALING_SHIFT = 8
OFM_TYPE_MASK = 0x07
OFM_ROUNDING_SHIFT = 14


class StrideBit(enum.IntEnum):
    """Where the parts of the register of stride, dilation and traversal begin."""

    X_LOW = 0
    Y_LOW = 1
    PART_KERNEL = 2
    DILATION_X = 3
    DILATION_Y = 4
    X_HIGH = 6
    Y_HIGH = 9


STRIDE_HIGH_MASK = 0x7
STRIDE_USED_BITS = 0xFDF


class BroadcastBit(enum.IntFlag):
    """How the second input of an element-wise operation is read."""

    H = 1 << 0
    W = 1 << 1
    C = 1 << 2
    SWAPPED = 1 << 6
    SCALAR = 1 << 7


TABLE_START = 16
TABLE_COUNT = 8
ACTIVATION_MASK = 0x1F
CLIP_SHIFT = 12

INTERNAL = 1 << 8
"""Of a region of DMA: it is the shared buffer."""
DMA_MODE_SHIFT = 9
DMA_REPEAT_REGISTERS = (
    (Reg.DMA0_SIZE0, Reg.DMA0_SKIP0),
    (Reg.DMA0_SIZE1, Reg.DMA0_SKIP1),
)
"""Of the second and the third dimension: how often, and bytes between."""
REGIONS = 8
"""Base pointers that the driver sets."""
