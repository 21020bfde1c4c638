"""Padding that no convolution takes over: the input is copied into the middle, then the borders.

a -> PAD -> b      becomes   a     -> copy -> b[middle]
                             zeros -> copy -> b[top], b[bottom], b[left], b[right], ...

Constant zeros come from where constants are stored. Where that is free to decide, and the input is
no smaller than a border, its elements times 0 are the zeros:

                             a[part] -> MUL 0 -> b[top]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import ORIGIN, Padding, Shape4
from core.ir.npugraph import OpKind, Quant, View
from core.lower.rewrites.copying import copy_into
from core.lower.rewrites.padding import pad_amounts
from core.lower.scope import Scope
from core.lower.source import values


def lower(scope: Scope) -> None:
    """Lower PAD and PADV2."""
    amounts, near, far = pad_amounts(scope.op)
    ofm = scope.ofm
    copy_into(scope, scope.ifm, ofm, Shape4(0, amounts.top, amounts.left, near), "middle")
    for name, shape, at in _borders(scope.ifm.shape, amounts, near, far):
        if _can_be_product(scope, shape):
            _multiply_by_nothing(scope, shape, at, name)
        else:
            copy_into(scope, _filled(scope, name, shape), ofm, at, name)


def _can_be_product(scope: Scope, shape: Shape4) -> bool:
    """Whether a border is a part of the input times 0: 16 bits have no zero point."""
    quant, given = scope.ifm.quant, scope.ifm.shape
    is_scaled = quant is not None and quant.scale is not None
    is_stored = scope.dtype(scope.ofm) is not DType.INT16 or _fill(scope) == 0
    fits = all(border <= size for border, size in zip(shape, given, strict=True))
    return scope.freedoms.near_constants and is_scaled and is_stored and fits


def _multiply_by_nothing(scope: Scope, shape: Shape4, at: Shape4, name: str) -> None:
    part = replace(scope.ifm, offset=ORIGIN, extent=shape)
    scale = None if part.quant is None else part.quant.scale
    filled = Quant(scale=scale, zero_point=_fill(scope))
    ofm = replace(scope.ofm, offset=at, extent=shape, quant=filled)
    nothing = scope.constant(f"{name}_nothing", 0, scope.dtype(scope.ofm), shape=())
    scope.emit(OpKind.MUL, part, ofm, name, ifm2=nothing)


def _borders(
    inner: Shape4, amounts: Padding, near: int, far: int
) -> Iterator[tuple[str, Shape4, Shape4]]:
    """Each border's name, size and place; later ones are as long as those before them made it."""
    height, width, depth = inner.h, inner.w, inner.c
    if amounts.top:
        yield "top", Shape4(1, amounts.top, width, depth), Shape4(0, 0, amounts.left, near)
        height += amounts.top
    if amounts.bottom:
        at = Shape4(0, height, amounts.left, near)
        yield "bottom", Shape4(1, amounts.bottom, width, depth), at
        height += amounts.bottom
    if amounts.left:
        yield "left", Shape4(1, height, amounts.left, depth), Shape4(0, 0, 0, near)
        width += amounts.left
    if amounts.right:
        yield "right", Shape4(1, height, amounts.right, depth), Shape4(0, 0, width, near)
        width += amounts.right
    if near:
        yield "near", Shape4(1, height, width, near), Shape4(0, 0, 0, 0)
        depth += near
    if far:
        yield "far", Shape4(1, height, width, far), Shape4(0, 0, 0, depth)


def _filled(scope: Scope, name: str, shape: Shape4) -> View:
    dtype, quant = scope.dtype(scope.ofm), scope.ofm.quant
    return scope.constant(name, np.full(shape, _fill(scope)), dtype, quant, shape)


def _fill(scope: Scope) -> int:
    """What borders are stored as."""
    given = values(scope.op.input(2)) if scope.op.kind == "PADV2" else None
    if given is not None:
        return int(np.asarray(given).reshape(-1)[0])
    return 0 if scope.ofm.quant is None else scope.ofm.quant.zero_point
