"""REDUCE_MAX and REDUCE_MIN, over the plane or over the depth.

    a -> REDUCE_MAX -> b      becomes   a -> max pool with a window as large as what is reduced -> b
    a -> REDUCE_MIN -> b      becomes   a -> table of complements -> max pool -> the same table -> b
                                        or of 16 bits, -1 - a -> max pool -> -1 less it -> b
                                                   or of 8 bits, -1 - a -> max pool -> table -> b

For the depth the pool sees the same bytes with the pixels as rows, and the depth as width. Where
the window is too large, one pool goes over columns, and a second one sees its results as columns.

A pool of one place has no more than its channels for the array, and reads few bytes at a time. Of a
large plane that lies in rows the columns are channels too for a first pool over rows, and a second
one goes over what that leaves. So with long rows of one channel, as which a depth is seen: a first
pool goes over their parts, element by element, and a second one over the few that this leaves.
"""

from __future__ import annotations

from math import prod

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import CpuOp, OpKind, Quant, View
from core.lower.draft import writes
from core.lower.rewrites.lookup import emit_table, stored_values
from core.lower.rewrites.mean import emit_plain_copy
from core.lower.rewrites.reduction import reduced_axes
from core.lower.scaling import NO_SCALING
from core.lower.scope import IDENTITY, Scope
from core.target.format import BRICK_DEPTH

_LARGE_PLANE, _LARGE_PLANE_OF_FEW_MACS = 144, 512
"""Elements of a channel from which on two pools are mostly faster, by the price: 0.4 to 0.9 of the
time, and down to half of these up to 1.4."""
_FEW_MACS = 64
_MANY_MACS = 256
_LONG_ROW, _LONG_ROWS = 32, 512
"""Elements of a row, and of all rows and two more, as few rows take longer each, from which on
parts of a row are channels of a first pool: it mostly takes 0.1 to 0.9 of the time by the price,
with fewer up to 1.8."""
_FEW_LEFT, _LEAST_BEST, _MOST_BEST, _BEST_SHARE = range(3, 65), 8, 16, 6
"""Elements that may be left of a row, and how many it were best: a share of the row within bounds.
Fewer are too small a part of what is read at once, more keep the second pool busy."""


def lower_max(scope: Scope) -> None:
    """Lower REDUCE_MAX."""
    if _count(scope) == 1:
        emit_plain_copy(scope)
    else:
        _emit_greatest(scope, scope.ifm, scope.ofm)


def lower_min(scope: Scope) -> None:
    """Lower REDUCE_MIN."""
    if _count(scope) == 1:
        emit_plain_copy(scope)
        return
    dtype, quant = scope.dtype(scope.ifm), scope.ifm.quant
    complements = scope.temporary("complements", scope.ifm.shape, dtype, quant)
    _emit_complements(scope, scope.ifm, complements, "complements", is_alone=_is_alone(scope))
    greatest = scope.temporary("greatest", scope.ofm.shape, dtype, quant)
    pooled = _emit_greatest(scope, complements, greatest)
    _emit_complements(scope, pooled, replace(scope.ofm, shape=pooled.shape), "least")


def complement_table(dtype: DType) -> ConstData:
    """Every 8-bit value's complement: the least becomes the greatest."""
    return ConstData.of(np.flip(stored_values(dtype)).astype(dtype.numpy))


def _emit_complements(
    scope: Scope, ifm: View, ofm: View, name: str, *, is_alone: bool = False
) -> None:
    dtype = scope.dtype(ifm)
    if dtype.bits == 8 and not is_alone:
        emit_table(scope, complement_table(dtype), ifm, ofm)
        return
    given, made = (replace(view, quant=IDENTITY) for view in (ifm, ofm))
    least, greatest = dtype.limits
    last = scope.constant(f"{name}_of", least + greatest, dtype)
    scope.emit(OpKind.SUB, last, made, name, ifm2=given, scaling=NO_SCALING)


def _is_alone(scope: Scope) -> bool:
    """Whether a table would stand alone, as nobody on the NPU makes what it is looked up by: with
    many MACs, a difference is faster."""
    is_wide = scope.macs >= _MANY_MACS
    return scope.freedoms.fewer_operators and is_wide and not _is_made(scope, scope.ifm)


def _is_made(scope: Scope, view: View) -> bool:
    """Whether somebody on the NPU makes a map."""
    items = (item for item in scope.draft.items if not isinstance(item, CpuOp))
    return any(view.fm in writes(item) for item in items)


def _count(scope: Scope) -> int:
    """Elements among which the greatest is searched."""
    shape = scope.ifm.shape
    return prod(shape[axis] for axis in reduced_axes(scope))


def _emit_greatest(scope: Scope, ifm: View, ofm: View) -> View:
    """Add the pool, or two, over a map of the input's shape."""
    shape, axes = ifm.shape, reduced_axes(scope)
    if 3 in axes:
        return _emit_of_rows(scope, ifm, ofm, shape.h * shape.w, shape.c)
    if shape.c == 1 and axes == {2}:
        return _emit_of_rows(scope, ifm, ofm, shape.h, shape.w)
    rows, columns = shape.h if 1 in axes else 1, shape.w if 2 in axes else 1
    if rows <= scope.limits.most_pool_rows and rows * columns <= scope.limits.most_pool_taps:
        if _has_columns_as_channels(scope, ifm, rows, columns):
            flat = Shape4(1, rows, 1, shape.w * shape.c)
            left = scope.temporary("of_columns", shape.with_hw(1, shape.w), *_kind(scope, ifm))
            as_channels = replace(left, shape=flat.with_hw(1, 1))
            _emit_pool(scope, replace(ifm, shape=flat), as_channels, Kernel(h=rows, w=1), "columns")
            return _emit_pool(scope, left, ofm, Kernel(h=1, w=columns))
        return _emit_pool(scope, ifm, ofm, Kernel(h=rows, w=columns))
    if columns > 1:
        of_rows = scope.temporary("of_rows", shape.with_hw(shape.h, 1), *_kind(scope, ifm))
        ifm = _emit_pool(scope, ifm, of_rows, Kernel(h=1, w=columns), "rows")
    as_row = replace(ifm, shape=shape.with_hw(1, rows))
    return _emit_pool(scope, as_row, ofm, Kernel(h=1, w=rows))


def _emit_of_rows(scope: Scope, ifm: View, ofm: View, rows: int, elements: int) -> View:
    """Add a pool, or two, over rows of elements that lie behind each other."""
    left = _left_of_rows(scope, rows, elements)
    if left is not None:
        parts = Shape4(1, rows, elements // left, left)
        made = scope.temporary("of_parts", parts.with_hw(rows, 1), *_kind(scope, ifm))
        kernel = Kernel(h=1, w=parts.w)
        ifm, elements = _emit_pool(scope, replace(ifm, shape=parts), made, kernel, "parts"), left
    by_columns = replace(ifm, shape=Shape4(1, rows, elements, 1))
    return _emit_pool(scope, by_columns, ofm, Kernel(h=1, w=elements))


def _left_of_rows(scope: Scope, rows: int, elements: int) -> int | None:
    """How many elements of each row a first pool leaves, as its channels; None for no such pool."""
    is_long = elements >= _LONG_ROW and (rows + 2) * elements >= _LONG_ROWS
    if not (scope.freedoms.pools_in_steps and is_long):
        return None
    best = min(max(elements // _BEST_SHARE, _LEAST_BEST), _MOST_BEST)
    divisors = [left for left in _FEW_LEFT if elements % left == 0]
    return min(divisors, key=lambda left: max(left, best) / min(left, best), default=None)


def _has_columns_as_channels(scope: Scope, ifm: View, rows: int, columns: int) -> bool:
    """Whether a large plane lies in rows: nobody on the NPU makes it, or bricks do not fit it."""
    shape, is_wide = ifm.shape, scope.macs > _FEW_MACS
    least = _LARGE_PLANE if is_wide else _LARGE_PLANE_OF_FEW_MACS
    is_plane = min(rows, columns) > 1 and rows * columns >= least
    fits = shape.n == 1 and shape.w * shape.c <= scope.limits.greatest_dimension
    lies_in_rows = shape.c % BRICK_DEPTH != 0 or not _is_made(scope, ifm)
    return scope.freedoms.pools_in_steps and is_plane and fits and lies_in_rows


def _kind(scope: Scope, like: View) -> tuple[DType, Quant | None]:
    return scope.dtype(like), like.quant


def _emit_pool(scope: Scope, ifm: View, ofm: View, kernel: Kernel, name: str = "pool") -> View:
    made = ifm.shape.with_hw(ifm.shape.h - kernel.h + 1, ifm.shape.w - kernel.w + 1)
    return scope.emit(OpKind.MAX_POOL, ifm, replace(ofm, shape=made), name, kernel=kernel)
