"""How numbers are multiplied and shifted: RESCALE in its three roundings, TABLE, MUL, means."""

from __future__ import annotations

import numpy as np

from core.ir.tosa import Element
from core.tosa.call import Array, Call, Unpredictable, clipped, fitting

_LEAST_SHIFT, _MOST_SHIFT = 2, 62
_DOUBLE_FROM = 31
_ROUNDINGS = {1: "SINGLE_ROUND", 2: "INEXACT_ROUND", 3: "DOUBLE_ROUND"}
_DOUBLE = 3
_ENTRIES_8, _ENTRIES_16 = 256, 513


def scaled_32(values: Array, multiplier: Array, shift: Array, *, is_double: bool) -> Array:
    """value x multiplier / 2^shift: halves up, or in two steps as some hardware does."""
    wide, factor = values.astype(np.int64), multiplier.astype(np.int64)
    bits = shift.astype(np.int64)
    half = np.int64(1) << (bits - 1)
    if is_double:
        step = np.where(wide >= 0, np.int64(1 << 30), np.int64(-(1 << 30)))
        half = half + np.where(bits > _DOUBLE_FROM, step, 0)
    result = (wide * factor + half) >> bits
    return fitting(result, Element.INT32).astype(np.int64)


def scaled_16(values: Array, multiplier: Array, shift: Array) -> Array:
    """The same of 48 bits by a multiplier of 16."""
    bits = shift.astype(np.int64)
    half = np.int64(1) << (bits - 1)
    result = (values.astype(np.int64) * multiplier.astype(np.int64) + half) >> bits
    return fitting(result, Element.INT32).astype(np.int64)


def rescale(call: Call) -> Array:
    """RESCALE."""
    values, multiplier, shift, _, _ = call.given(5)
    attribute = call.attribute
    rounding = attribute.integer("rounding_mode")
    if rounding not in _ROUNDINGS:
        raise call.refuse(f"there is no rounding {rounding}")
    counts = {multiplier.size, shift.size}
    depth = values.shape[-1] if values.ndim else 1
    if counts != ({depth} if attribute.flag("per_channel") else {1}):
        raise call.refuse(f"has {multiplier.size} multipliers for {depth} channels")
    if int(shift.min()) < _LEAST_SHIFT or int(shift.max()) > _MOST_SHIFT:
        raise call.refuse(f"shifts are {_LEAST_SHIFT} to {_MOST_SHIFT}")
    if int(multiplier.min()) < 0:
        raise call.refuse("a multiplier is negative")
    wide = values.astype(np.int64)
    if attribute.flag("input_unsigned"):
        low, high = call.elements[0].limits
        wide = np.where(wide < 0, wide + high - low + 1, wide)
    wide = wide - _zero_point(call, 3, call.elements[0], "input_unsigned")
    if attribute.flag("scale32"):
        _demand_below(wide, shift.astype(np.int64) - 1)
        result = scaled_32(wide, multiplier, shift, is_double=rounding == _DOUBLE)
    else:
        if multiplier.dtype.itemsize > 2:
            raise call.refuse("has multipliers of more than 16 bits")
        result = scaled_16(wide, multiplier, shift)
    result = result + _zero_point(call, 4, call.element, "output_unsigned")
    is_unsigned = attribute.flag("output_unsigned")
    return clipped(fitting(result, Element.INT48), call.element, is_unsigned=is_unsigned)


def _zero_point(call: Call, position: int, element: Element, flag: str) -> int:
    """A zero point, which is stored as its element is."""
    value = call.one(position)
    if call.attribute.flag(flag) and value < 0:
        low, high = element.limits
        return value + high - low + 1
    return value


def _demand_below(values: Array, bits: Array) -> None:
    bound = np.int64(1) << bits
    if values.size and bool(((values < -bound) | (values >= bound)).any()):
        raise Unpredictable("a value is too large for its shift")


def table(call: Call) -> Array:
    """TABLE: of 8 bits all values, of 16 a line between two of 513."""
    values, entries = call.given(2)
    flat = entries.reshape(-1).astype(np.int64)
    if call.elements[0] is Element.INT8:
        if flat.size != _ENTRIES_8:
            raise call.refuse(f"has {flat.size} entries, where {_ENTRIES_8} are needed")
        return flat[values.astype(np.int64) + 128].astype(call.element.numpy)
    if flat.size != _ENTRIES_16:
        raise call.refuse(f"has {flat.size} entries, where {_ENTRIES_16} are needed")
    at = values.astype(np.int64)
    index, fraction = (at >> 7) + 256, at & 0x7F
    slope = fitting(flat[index + 1] - flat[index], Element.INT16)
    return fitting((flat[index] << 7) + slope.astype(np.int64) * fraction, call.element)


def multiply(call: Call) -> Array:
    """MUL: products, of 32 bits shifted with halves up."""
    one, other, _ = call.given(3)
    shift = call.one(2)
    if not 0 <= shift < 64:
        raise call.refuse(f"cannot shift by {shift}")
    call.demand_shape(*np.broadcast_shapes(one.shape, other.shape))
    product = one.astype(np.int64) * other.astype(np.int64)
    if shift:
        product = (product + (np.int64(1) << (shift - 1))) >> shift
    return fitting(product, call.element)


def reciprocal(count: Array) -> tuple[Array, Array]:
    """Multiplier and shift by which sums of so many become means."""
    bits = np.array([(int(each) - 1).bit_length() for each in count.reshape(-1)])
    whole = [(((1 << 30) + 1) << int(k)) // int(n) for k, n in zip(bits, count.flat, strict=True)]
    return np.array(whole, np.int64).reshape(count.shape), (30 + bits).reshape(count.shape)
