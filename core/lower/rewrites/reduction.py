"""Sums along axes, by convolutions whose weights are ones.

    a of HxWxC, summed over H and W      becomes   a depthwise convolution as large as a, or
                                                   one for each part of the rows, and their sum
    a of HxWxC, summed over C            becomes   a convolution of 1x1 with one channel

A kernel has at most 64 rows and 4096 taps. The ecosystem's compiler sums along the depth as along
the width of the same bytes, seen with the depth as width and the pixels as rows; so are depth and
what is summed beside it where the height or the width is one. Else the sums over the plane are
summed again, over the depth.
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier
from core.base.frozen import Frozen, replace
from core.base.geometry import ORIGIN, Kernel, Shape4, ceil_div
from core.ir.npugraph import ExplicitScaling, OpKind, Rounding, View
from core.lower.rewrites.unit_weights import emit_channel_sum, emit_window_sum
from core.lower.scaling import NO_SCALING, UNSCALED
from core.lower.scope import IDENTITY, Scope
from core.lower.source import values

MOST_TAPS = 4096
MOST_ROWS = 64
"""Limits of a kernel without padding."""
_SHIFTS = range(31, 64)
"""Of factors below one, which the hardware has for a channel, too."""


class Reduction(Frozen, kw_only=False):
    """The input as the hardware is to see it, and the extent that is summed along each axis."""

    shape: Shape4
    rows: int
    columns: int
    made: Shape4
    depth: int = 1
    """Sums over the plane that are summed in the end."""
    channels: int = 1
    """That are summed at once."""

    @property
    def count(self) -> int:
        """Elements in each sum."""
        return self.rows * self.columns * self.depth * self.channels

    @classmethod
    def of(cls, scope: Scope) -> Reduction:
        """The reduction that an operator with a tensor of axes asks for."""
        shape, axes, depth = scope.ifm.shape, reduced_axes(scope), 1
        if axes == {3} and scope.freedoms.fewer_operators:
            made = shape.with_depth(1)
            return cls(shape=shape, rows=1, columns=1, made=made, channels=shape.c)
        if 3 in axes and shape.c > 1:
            if axes == {3} or 1 in (shape.h, shape.w):
                shape, axes = _with_depth_as_width(shape, axes)
            else:
                axes, depth = axes - {3}, shape.c
        made = Shape4(*(1 if axis in axes else size for axis, size in enumerate(shape)))
        rows = shape.h if 1 in axes else 1
        columns = shape.w if 2 in axes else 1
        if rows > MOST_ROWS and rows * columns <= MOST_TAPS and {1, 2} <= axes:
            shape = shape.with_hw(1, rows * columns)
            rows, columns = 1, rows * columns
        return cls(shape, rows, columns, made, depth)


def reduced_axes(scope: Scope) -> frozenset[int]:
    """Which of the four axes are reduced."""
    tensor, axes = scope.op.ifm, values(scope.op.input(1))
    rank = 4 if tensor is None else len(tensor.shape)
    given = () if axes is None else np.asarray(axes).reshape(-1).tolist()
    return frozenset(int(axis) % rank + 4 - rank for axis in given)


def _with_depth_as_width(shape: Shape4, axes: frozenset[int]) -> tuple[Shape4, frozenset[int]]:
    if shape.w == 1:
        return Shape4(shape.n, shape.h, shape.c, 1), (axes & {0, 1}) | {2}
    if shape.h == 1:
        kept = {1} if 2 in axes else set()
        return Shape4(shape.n, shape.w, shape.c, 1), (axes & {0}) | kept | {2}
    return Shape4(shape.n, shape.h * shape.w, shape.c, 1), frozenset({2})


def emit_scaled_sums(scope: Scope, reduction: Reduction, factor: Multiplier) -> View | None:
    """Add operators of which the last one makes the sums and brings them to the output; None where
    it takes one more, or where they are rounded otherwise."""
    if not scope.freedoms.fewer_operators:
        return None
    scaling = ExplicitScaling(multiplier=factor.multiplier, shift=factor.shift)
    ofm, is_short = replace(scope.ofm, shape=reduction.made), scope.dtype(scope.ifm).bits == 8
    if reduction.depth > 1:
        return _emit_depth(scope, _emit_plane(scope, reduction), ofm, "", scaling)
    if reduction.channels > 1 and not is_short:
        return _emit_depth(scope, scope.ifm, ofm, "", scaling)
    if reduction.rows > _highest(reduction) or not is_short or factor.shift not in _SHIFTS:
        return None
    if reduction.channels > 1:
        return emit_channel_sum(scope, scope.ifm, ofm, "", scaling)
    ifm = replace(scope.ifm, shape=reduction.shape)
    kernel = Kernel(h=reduction.rows, w=reduction.columns)
    return emit_window_sum(scope, ifm, ofm, "", kernel, scaling)


def _highest(reduction: Reduction) -> int:
    """Rows that one kernel can have."""
    return min(MOST_TAPS // reduction.columns, MOST_ROWS)


def emit_sums(scope: Scope, reduction: Reduction) -> View:
    """Add the operators that make the 32-bit sums."""
    if reduction.channels > 1:
        ofm = scope.temporary("sum0", reduction.made, DType.INT32, IDENTITY)
        return emit_channel_sum(scope, scope.ifm, ofm, "sum0", NO_SCALING)
    plane = _emit_plane(scope, reduction)
    if reduction.depth == 1:
        return plane
    ofm = scope.temporary("whole", plane.shape, DType.INT32, UNSCALED)
    return _emit_depth(scope, plane, ofm, "whole", None)


def _emit_depth(
    scope: Scope, ifm: View, ofm: View, name: str, scaling: ExplicitScaling | None
) -> View:
    """Add the sum over the depth, which a product of 32 bits may bring to the output at once."""
    ofm = replace(ofm, shape=ifm.shape.with_depth(1))
    given = replace(ifm, quant=UNSCALED)
    if scaling is None:
        return scope.emit(OpKind.REDUCE_SUM, given, ofm, name)
    return scope.emit(
        OpKind.REDUCE_SUM,
        given,
        ofm,
        name,
        scaling=scaling,
        rounding=Rounding.DOUBLE,
        activation=scope.fused_activation,
    )


def _emit_plane(scope: Scope, reduction: Reduction) -> View:
    """Add the operators that sum over rows and columns, in 32 bits."""
    height = min(_highest(reduction), reduction.rows)
    parts = [
        _emit_part(scope, reduction, part, min(height, reduction.rows - part * height), height)
        for part in range(ceil_div(reduction.rows, height))
    ]
    total = parts.pop()
    for index, part in enumerate(reversed(parts)):
        # The last part comes first in the first sum, as it does where the ecosystem adds them.
        pair = (total, part) if index == 0 else (part, total)
        ofm = scope.temporary(f"total{index}", reduction.made, DType.INT32, IDENTITY)
        name = f"add{index}"
        total = scope.emit(OpKind.ADD, pair[0], ofm, name, ifm2=pair[1], scaling=NO_SCALING)
    return total


def _emit_part(scope: Scope, reduction: Reduction, part: int, rows: int, height: int) -> View:
    shape = reduction.shape
    ifm = replace(scope.ifm, shape=shape)
    if rows < reduction.rows:
        offset = ORIGIN.with_hw(part * height, 0)
        ifm = replace(ifm, offset=offset, extent=shape.with_hw(rows, shape.w))
    ofm = scope.temporary(f"sum{part}", reduction.made, DType.INT32, IDENTITY)
    kernel = Kernel(h=rows, w=reduction.columns)
    return emit_window_sum(scope, ifm, ofm, f"sum{part}", kernel, NO_SCALING)
