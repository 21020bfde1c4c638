"""Operators that make each element of one element of each input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.ir.tosa import Element
from core.tosa.call import Array, Call, Rule, Unpredictable, clipped, fitting

Both = Callable[[Array, Array], Any]


def _pair(call: Call) -> tuple[Array, Array]:
    """Two inputs of one rank that stretch to the output's shape."""
    one, other = call.given(2)
    if one.ndim != other.ndim:
        raise call.refuse(f"has inputs of {one.ndim} and {other.ndim} dimensions")
    call.demand_shape(*_stretched(call, one, other))
    return one, other


def _stretched(call: Call, *inputs: Array) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(each.shape for each in inputs))
    except ValueError:
        shapes = " and ".join(str(each.shape) for each in inputs)
        raise call.refuse(f"inputs of {shapes} cannot be stretched to one shape") from None


def summed(combine: Both) -> Rule:
    """Sums and differences of 32 bits."""

    def rule(call: Call) -> Array:
        one, other = _pair(call)
        return fitting(combine(one.astype(np.int64), other.astype(np.int64)), call.element)

    return rule


def combined(combine: Both) -> Rule:
    """What needs no more bits than there are."""

    def rule(call: Call) -> Array:
        return np.asarray(combine(*_pair(call))).astype(call.element.numpy)

    return rule


def _shift(call: Call) -> tuple[Array, Array]:
    one, by = _pair(call)
    bits = call.elements[0].value
    if by.size and not 0 <= int(by.min()) <= int(by.max()) < bits:
        from_to = f"{int(by.min())} to {int(by.max())}"
        raise Unpredictable(f"shifts by {from_to} of {bits} bits")
    return one.astype(np.int64), by.astype(np.int64)


def _wrapped(values: Array, element: Element) -> Array:
    """The low bits."""
    return values.astype(element.numpy)


def arithmetic_right_shift(call: Call) -> Array:
    """ARITHMETIC_RIGHT_SHIFT: down, or with halves up where that is asked for."""
    one, by = _shift(call)
    result = one >> by
    if call.attribute.flag("round"):
        last = np.where(by > 0, (one >> np.maximum(by - 1, 0)) & 1, 0)
        result = result + last
    return _wrapped(result, call.element)


def logical_left_shift(call: Call) -> Array:
    """LOGICAL_LEFT_SHIFT: what is shifted out is lost."""
    one, by = _shift(call)
    return _wrapped(one << by, call.element)


def logical_right_shift(call: Call) -> Array:
    """LOGICAL_RIGHT_SHIFT: zeros come in."""
    one, by = _shift(call)
    mask = (1 << call.elements[0].value) - 1
    return _wrapped((one & mask) >> by, call.element)


def intdiv(call: Call) -> Array:
    """INTDIV: towards zero."""
    one, other = (each.astype(np.int64) for each in _pair(call))
    if (other == 0).any():
        raise Unpredictable("divides by 0")
    return fitting(np.sign(one) * np.sign(other) * (abs(one) // abs(other)), call.element)


def clamp(call: Call) -> Array:
    """CLAMP."""
    (values,) = call.given(1)
    low, high = (_bound(call, name) for name in ("min_val", "max_val"))
    if low > high:
        raise call.refuse(f"has no numbers between {low} and {high}")
    return np.clip(values.astype(np.int64), low, high).astype(call.element.numpy)


def _bound(call: Call, name: str) -> int:
    data = call.attribute.get(name)
    width = np.dtype(call.element.numpy).itemsize
    if not isinstance(data, bytes) or len(data) < width:
        raise call.refuse(f"its {name} is no {call.element.name.lower()}")
    return int.from_bytes(data[:width], "little", signed=True)


def absolute(call: Call) -> Array:
    """ABS."""
    (values,) = call.given(1)
    return fitting(abs(values.astype(np.int64)), call.element)


def negate(call: Call) -> Array:
    """NEGATE: with zero points, and clipped."""
    values, _, _ = call.given(3)
    return clipped(call.one(2) - (values.astype(np.int64) - call.one(1)), call.element)


def count_leading_zeros(call: Call) -> Array:
    """CLZ of 32 bits."""
    (values,) = call.given(1)
    unsigned = values.astype(np.int64) & 0xFFFFFFFF
    # Exact: numbers of 32 bits are in floating point.
    _, exponents = np.frexp(unsigned.astype(np.float64))
    return (32 - np.where(unsigned == 0, 0, exponents)).astype(call.element.numpy)


def inverted(call: Call) -> Array:
    """BITWISE_NOT and LOGICAL_NOT."""
    (values,) = call.given(1)
    return ~values


def select(call: Call) -> Array:
    """SELECT: by truth values, of one input or the other."""
    asked, yes, no = call.given(3)
    call.demand_shape(*_stretched(call, asked, yes, no))
    return np.where(asked, yes, no).astype(call.element.numpy)


def cast(call: Call) -> Array:
    """CAST: the low bits of whole numbers, truth values as 0 and 1."""
    (values,) = call.given(1)
    if call.element is Element.BOOL:
        return np.asarray(values != 0)
    return _wrapped(values.astype(np.int64), call.element)
