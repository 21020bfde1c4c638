"""Padding that no convolution takes over: the input is copied into the middle, then the borders.

a -> PAD -> b      becomes   a     -> copy -> b[middle]
                             zeros -> copy -> b[top], b[bottom], b[left], b[right], ...
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.geometry import Padding, Shape4
from core.ir.npugraph import View
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
        copy_into(scope, _filled(scope, name, shape), ofm, at, name)


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
    quant = scope.ofm.quant
    given = values(scope.op.input(2)) if scope.op.kind == "PADV2" else None
    fill = quant.zero_point if quant is not None else 0
    if given is not None:
        fill = int(np.asarray(given).reshape(-1)[0])
    return scope.constant(name, np.full(shape, fill), scope.dtype(scope.ofm), quant, shape)
