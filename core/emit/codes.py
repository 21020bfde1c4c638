"""Which number stands for which value in a register; facts of the public register description."""

from __future__ import annotations

from types import MappingProxyType
from typing import TypeVar

from core.base.dtype import DType
from core.base.geometry import Resampling
from core.emit.registers import Launch
from core.ir.npugraph import Rounding
from core.ir.program import Clip, Curve, Job, OperandScaling
from core.target.shram import Accumulator

Key = TypeVar("Key")
Value = TypeVar("Value")


def _reversed(codes: MappingProxyType[Key, Value]) -> MappingProxyType[Value, Key]:
    return MappingProxyType({value: key for key, value in codes.items()})


JOBS = MappingProxyType(
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
JOB_CODES = _reversed(JOBS)

IFM_TYPES = MappingProxyType(
    {0: DType.UINT8, 1: DType.INT8, 4: DType.UINT16, 5: DType.INT16, 9: DType.INT32}
)
IFM_TYPE_CODES = _reversed(IFM_TYPES)

OFM_TYPES = MappingProxyType(
    {0: DType.UINT8, 1: DType.INT8, 2: DType.UINT16, 3: DType.INT16, 5: DType.INT32}
)
OFM_TYPE_CODES = _reversed(OFM_TYPES)

OPERAND_SCALINGS = MappingProxyType(
    {0: OperandScaling.BOTH, 1: OperandScaling.FIRST, 2: OperandScaling.SECOND}
)
OPERAND_SCALING_CODES = _reversed(OPERAND_SCALINGS)

ROUNDINGS = MappingProxyType({0: Rounding.DOUBLE, 1: Rounding.TRUNCATE, 2: Rounding.NATURAL})
ROUNDING_CODES = _reversed(ROUNDINGS)

RESAMPLINGS = MappingProxyType({0: Resampling.NONE, 1: Resampling.NEAREST, 2: Resampling.TRANSPOSE})
RESAMPLING_CODES = _reversed(RESAMPLINGS)

ACCUMULATORS = MappingProxyType({0: Accumulator.ACC32, 1: Accumulator.ACC40, 2: Accumulator.ACC16})
ACCUMULATOR_CODES = _reversed(ACCUMULATORS)

CURVES = MappingProxyType({0: Curve.NONE, 3: Curve.TANH, 4: Curve.SIGMOID})
CURVE_CODES = _reversed(CURVES)

CLIPS = MappingProxyType({0: Clip.OUTPUT, 2: Clip.UINT8, 3: Clip.INT8, 5: Clip.INT16})
CLIP_CODES = _reversed(CLIPS)
