"""Operators that make one element of many: along an axis, or in products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from core.tosa.call import Array, Call, Rule, fitting


def reduced(combine: Callable[..., Any]) -> Rule:
    """What needs no more bits than there are."""

    def rule(call: Call) -> Array:
        call.given(1)
        axis = call.axis()
        if not call.inputs[0].shape[axis]:
            raise call.refuse("has nothing along its axis")
        return np.asarray(combine(call.inputs[0], axis=axis, keepdims=True))

    return rule


def reduce_sum(call: Call) -> Array:
    """REDUCE_SUM, of 32 bits."""
    call.given(1)
    wide = call.inputs[0].astype(np.int64)
    return fitting(wide.sum(call.axis(), keepdims=True), call.element)


def reduce_product(call: Call) -> Array:
    """REDUCE_PRODUCT: no integer type has it."""
    raise call.refuse("is for real numbers")


def argmax(call: Call) -> Array:
    """ARGMAX: the first of the largest."""
    call.given(1)
    axis = call.axis()
    if not call.inputs[0].shape[axis]:
        raise call.refuse("has nothing along its axis")
    return np.asarray(call.inputs[0].argmax(axis)).astype(call.element.numpy)


def matmul(call: Call) -> Array:
    """MATMUL, for each batch."""
    one, other, _, _ = call.given(4)
    call.demand_rank(3, 3)
    if one.shape[0] != other.shape[0] or one.shape[2] != other.shape[1]:
        raise call.refuse(f"cannot multiply {one.shape} by {other.shape}")
    call.demand_shape(one.shape[0], one.shape[1], other.shape[2])
    # Products of 16 bits, exact in floating point for as many as a delegate holds.
    left, right = one.astype(np.float64) - call.one(2), other.astype(np.float64) - call.one(3)
    return fitting((left @ right).astype(np.int64), call.element)
