"""From an accumulator to what is written: scale, zero point, activation, range.

What the hardware does is known from what compilers rely on:

- With double rounding, the product is rounded to 31 bits less (halves up), and again by what is
  left of the shift (halves away from zero); shifts of up to 31 bits round once. Products are as
  wide as they need to be; what is written as 32 bits saturates.
- 32-bit results have neither a zero point nor bounds.
- A table is looked up by the value after its zero point has been added and its bounds applied;
  other curves come before the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import Ints
from core.ir.npugraph import Rounding
from core.ir.program import Clip, Curve, NpuOperation
from core.simulate.curves import look_up, sigmoid, tanh
from core.simulate.memory import Memory

_FIRST_SHIFT_BITS = 31
_SAFE_BITS = 62
_EXACT_BITS = 52
"""Of products and half of a step more, which double precision has exactly."""
_NUDGE = 1 + 2.0**-40
"""Takes halves away from zero; other numbers of fewer than 40 bits come across no half."""
MOST_ELEMENTS = 1 << 16
"""That are worked on at once."""
_CLIPS = {Clip.UINT8: DType.UINT8, Clip.INT8: DType.INT8, Clip.INT16: DType.INT16}

IntsOrInt = Ints | int
Reals = npt.NDArray[np.floating]
Numbers = Ints | Reals
"""Whole numbers, of either type."""


def scaled(values: Ints, multiplier: IntsOrInt, shift: IntsOrInt, rounding: Rounding) -> Ints:
    """Values times multiplier / 2**shift; factors may differ by channel."""
    if _bits(values) + _bits(multiplier) > _SAFE_BITS:
        exact: npt.NDArray[Any] = values.astype(object) * multiplier
        info, shift = np.iinfo(np.int64), np.asarray(shift).astype(object)
        return np.clip(shifted(exact, shift, rounding), info.min, info.max).astype(np.int64)
    if values.size <= MOST_ELEMENTS:
        return shifted(values * multiplier, shift, rounding)
    made = np.empty_like(values)
    for rows in bands(values):
        factor, right = (_rows_of(given, values, rows) for given in (multiplier, shift))
        made[rows] = shifted(values[rows] * factor, right, rounding)
    return made


def scaled_reals(
    values: Reals, multiplier: IntsOrInt, shift: IntsOrInt, rounding: Rounding, greatest: float
) -> Numbers:
    """The same of whole numbers in double precision, where products are exact in their place.

    Looking for the greatest takes a turn of its own: it is spared where what is known is enough.
    """
    room = _EXACT_BITS - _bits(multiplier)
    if math.ceil(greatest).bit_length() > room and _bits(values) > room:
        return scaled(values.astype(np.int64), multiplier, shift, rounding)
    first = np.minimum(shift, _FIRST_SHIFT_BITS if rounding is Rounding.DOUBLE else _SAFE_BITS + 1)
    factor, second = np.ldexp(np.float64(multiplier), -first), np.subtract(shift, first)
    last = np.ldexp(np.where(second > 0, _NUDGE, 1.0), -second) if np.any(second) else None
    for rows in bands(values):
        some = values[rows]
        some *= factor
        if rounding is Rounding.TRUNCATE:
            np.trunc(some, out=some)
            continue
        some += 0.5
        np.floor(some, out=some)
        if last is not None:
            some *= last
            np.rint(some, out=some)
    return values


def bands(values: npt.NDArray[Any]) -> Iterator[slice]:
    """Rows of large maps, as many as are worked on at once: what is between takes much memory."""
    count = max(MOST_ELEMENTS * len(values) // max(values.size, 1), 1)
    return (slice(first, first + count) for first in range(0, len(values), count))


def _rows_of(given: IntsOrInt, values: Ints, rows: slice) -> IntsOrInt:
    is_by_row = not isinstance(given, int) and given.shape[:1] == values.shape[:1] != (1,)
    is_whole = is_by_row and given.ndim == values.ndim  # type: ignore[union-attr]
    return given[rows] if is_whole else given  # type: ignore[index]


def shifted(products: Ints, shift: IntsOrInt, rounding: Rounding) -> Ints:
    """Products without so many of their last bits."""
    if rounding is Rounding.TRUNCATE:
        return (products + (products < 0) * ((1 << shift) - 1)) >> shift
    if rounding is not Rounding.DOUBLE:
        return (products + _half(shift)) >> shift
    first = np.minimum(shift, _FIRST_SHIFT_BITS)
    second = np.maximum(np.subtract(shift, _FIRST_SHIFT_BITS), 0)
    nearly = (products + _half(first)) >> first
    if not np.any(second):
        return nearly
    nearly += _half(second) - ((nearly < 0) & (second > 0))
    return nearly >> second


def _half(shift: IntsOrInt) -> IntsOrInt:
    if isinstance(shift, int):
        return (1 << shift) >> 1
    # Not the half of a power: the power of the greatest shift has no sign bit left.
    before = np.maximum(np.subtract(shift, 1), 0)
    half: IntsOrInt = np.left_shift(1, before) * np.greater(shift, 0)
    return half


def _bits(values: IntsOrInt | Reals) -> int:
    """Bits of the greatest magnitude."""
    if isinstance(values, int):
        return values.bit_length()
    return max(int(values.max(initial=0)), -int(values.min(initial=0))).bit_length()


def finished(memory: Memory, operation: NpuOperation, values: Numbers) -> npt.NDArray[Any]:
    """Scaled values as they are written to the output."""
    use = operation.activation
    target = _CLIPS.get(use.clip, operation.ofm.dtype)
    if use.curve is Curve.NONE and values.size > MOST_ELEMENTS and len(values) > 1:
        made = np.empty(values.shape, operation.ofm.dtype.numpy)
        for rows in bands(values):
            made[rows] = finished(memory, operation, values[rows])
        return made
    limits = operation.ofm.dtype.limits
    if use.curve is Curve.NONE and target.bits < 32:
        return _bounded(values + operation.ofm.zero_point, operation, target, limits)
    whole: Ints = values.astype(np.int64, copy=False)
    if use.curve is Curve.TABLE:
        index = _bounded(whole + operation.ofm.zero_point, operation, target, target.limits)
        return look_up(memory, operation, index, target)
    if use.curve is not Curve.NONE:
        whole = tanh(whole) if use.curve is Curve.TANH else sigmoid(whole)
    if target.bits < 32:
        return _bounded(whole + operation.ofm.zero_point, operation, target, limits)
    return np.clip(whole, *limits)


def _bounded(
    values: npt.NDArray[Any], operation: NpuOperation, target: DType, limits: tuple[int, int]
) -> npt.NDArray[Any]:
    use = operation.activation
    # A stream that was damaged may have bounds of another type.
    own = (_held(bound, target.limits) for bound in (use.minimum, use.maximum))
    least, most = (_held(bound, limits) for bound in own)
    bounded: npt.NDArray[Any] = np.clip(values, least, most)
    return bounded


def _held(bound: int, limits: tuple[int, int]) -> int:
    return min(max(bound, limits[0]), limits[1])
