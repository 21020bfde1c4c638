"""REDUCE_MAX and REDUCE_MIN, over the plane or over the depth.

    a -> REDUCE_MAX -> b      becomes   a -> max pool with a window as large as what is reduced -> b
    a -> REDUCE_MIN -> b      becomes   a -> table of complements -> max pool -> the same table -> b

For the depth the pool sees the same bytes with the pixels as rows, and the depth as width.
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, View
from core.lower.rewrites.lookup import emit_table, stored_values
from core.lower.rewrites.mean import emit_plain_copy
from core.lower.rewrites.reduction import reduced_axes
from core.lower.scope import Scope


def lower_max(scope: Scope) -> None:
    """Lower REDUCE_MAX."""
    shape, kernel = _window(scope)
    if kernel.taps == 1:
        emit_plain_copy(scope)
    else:
        _emit_pool(scope, replace(scope.ifm, shape=shape), scope.ofm, kernel)


def lower_min(scope: Scope) -> None:
    """Lower REDUCE_MIN."""
    shape, kernel = _window(scope)
    if kernel.taps == 1:
        emit_plain_copy(scope)
        return
    dtype, quant = scope.dtype(scope.ifm), scope.ifm.quant
    table = complement_table(dtype)
    complements = scope.temporary("complements", scope.ifm.shape, dtype, quant)
    emit_table(scope, table, ofm=complements)
    greatest = scope.temporary("greatest", scope.ofm.shape, dtype, quant)
    pooled = _emit_pool(scope, replace(complements, shape=shape), greatest, kernel)
    emit_table(scope, table, pooled, replace(scope.ofm, shape=pooled.shape))


def complement_table(dtype: DType) -> ConstData:
    """Every 8-bit value's complement: the least becomes the greatest."""
    return ConstData.of(np.flip(stored_values(dtype)).astype(dtype.numpy))


def _window(scope: Scope) -> tuple[Shape4, Kernel]:
    """The input as the pool is to see it, and the window that covers what is reduced."""
    shape, axes = scope.ifm.shape, reduced_axes(scope)
    if 3 in axes:
        return Shape4(1, shape.h * shape.w, shape.c, 1), Kernel(h=1, w=shape.c)
    rows = shape.h if 1 in axes else 1
    return shape, Kernel(h=rows, w=shape.w if 2 in axes else 1)


def _emit_pool(scope: Scope, ifm: View, ofm: View, kernel: Kernel) -> View:
    made = ifm.shape.with_hw(ifm.shape.h - kernel.h + 1, ifm.shape.w - kernel.w + 1)
    return scope.emit(OpKind.MAX_POOL, ifm, replace(ofm, shape=made), "pool", kernel=kernel)
