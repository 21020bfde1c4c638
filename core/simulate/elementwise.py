"""Operations of which each output element needs one element of each input.

- A product of 32-bit values is shifted by the output's scale and not multiplied with it: its other
  factor is the multiplier.
- Where one operand of a sum is scaled in 32 bits, it is shifted left first (20 bits, or 15 where it
  has 16), multiplied and rounded to 31 bits less, and rounded again by what is left of its shift;
  with natural rounding the whole shift is one, and halves go up. The other operand is taken half as
  large, as both are meant at twice the greater scale. Where both are scaled, nothing is shifted.
- A shift to the left loses what does not fit into 32 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.fixedpoint import Ints, Multiplier, rounding_divide_by_pot
from core.ir.npugraph import Rounding
from core.ir.program import Job, MapUse, NpuOperation, OperandScaling
from core.simulate.maps import read_map
from core.simulate.memory import Memory
from core.simulate.scaling import scaled, shifted

_HEADROOM_BITS = {8: 20, 16: 15}
_MOST_SHIFT = 31


def elementwise(memory: Memory, operation: NpuOperation) -> Ints:
    """Scaled values of an element-wise operation."""
    first = _centred(read_map(memory, operation.ifm, "first input"), operation.ifm.zero_point)
    if not operation.job.is_binary:
        return _unary(operation, first)
    second = _second(memory, operation)
    if operation.operands_swapped:
        first, second = second, first
    if operation.job in {Job.SHIFT_LEFT, Job.SHIFT_RIGHT}:
        values = _shifted(operation, first, second)
    elif operation.job in {Job.MINIMUM, Job.MAXIMUM}:
        choose = np.minimum if operation.job is Job.MINIMUM else np.maximum
        values = _by_output_scale(operation, choose(first, second))
    elif operation.job is Job.MUL:
        values = _product(operation, first * second)
    else:
        values = _by_output_scale(operation, _sum(operation, first, second))
    return np.broadcast_to(values, (operation.ofm.shape.h, operation.ofm.shape.w, values.shape[2]))


def _centred(stored: npt.NDArray[Any], zero_point: int) -> Ints:
    centred: Ints = np.subtract(stored, zero_point, dtype=np.int64)
    return centred


def _second(memory: Memory, operation: NpuOperation) -> Ints:
    use = operation.ifm2
    if isinstance(use, MapUse):
        return _centred(read_map(memory, use, "second input"), use.zero_point)
    value, zero_point = (0, 0) if use is None else (use.value, use.zero_point)
    return np.full((1, 1, 1), value - zero_point, np.int64)


def _unary(operation: NpuOperation, values: Ints) -> Ints:
    if operation.job is Job.ABS:
        return _by_output_scale(operation, np.abs(values))
    if operation.job is Job.COUNT_LEADING_ZEROS:
        # The exponent of a float counts the bits of its integer part.
        used = np.frexp((values & 0xFFFFFFFF).astype(np.float64))[1]
        return 32 - used.astype(np.int64)
    scale = operation.ofm_scale or Multiplier(1, 0)
    return np.where(values < 0, scaled(values, *scale, operation.rounding), values)


def _by_output_scale(operation: NpuOperation, values: Ints) -> Ints:
    if operation.ofm_scale is None or not operation.has_global_scale:
        return values
    return scaled(values, *operation.ofm_scale, operation.rounding)


def _product(operation: NpuOperation, products: Ints) -> Ints:
    if operation.ifm.dtype.bits < 32 or operation.ofm_scale is None:
        return _by_output_scale(operation, products)
    return shifted(products, operation.ofm_scale.shift, operation.rounding)


def _shifted(operation: NpuOperation, values: Ints, amounts: Ints) -> Ints:
    amounts = np.clip(amounts, 0, _MOST_SHIFT)
    if operation.job is Job.SHIFT_LEFT:
        return (values << amounts).astype(np.int32).astype(np.int64)
    return shifted(values, amounts, operation.rounding)


def _sum(operation: NpuOperation, first: Ints, second: Ints) -> Ints:
    scales = operation.ifm_scales or (Multiplier(1, 0), Multiplier(1, 0))
    headroom = _HEADROOM_BITS.get(operation.ifm.dtype.bits, 0)
    rounding = operation.operand_rounding
    if operation.operand_scaling is OperandScaling.FIRST:
        first, second = _widely(first, scales[0], headroom, rounding), second << (headroom - 1)
    elif operation.operand_scaling is OperandScaling.SECOND:
        first, second = first << (headroom - 1), _widely(second, scales[0], headroom, rounding)
    else:
        first, second = first * scales[0].multiplier, second * scales[1].multiplier
    return first + second if operation.job is Job.ADD else first - second


def _widely(values: Ints, scale: Multiplier, headroom: int, rounding: Rounding) -> Ints:
    if rounding is Rounding.NATURAL:
        return scaled(values, *scale, rounding)
    high = scaled(values << headroom, scale.multiplier, _MOST_SHIFT, Rounding.NATURAL)
    left = scale.shift - (_MOST_SHIFT - headroom)
    return rounding_divide_by_pot(high, left) if left >= 0 else high << -left
