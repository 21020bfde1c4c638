"""Mirrored padding: the input is copied into the middle, then the borders backwards.

    a -> MIRROR_PAD -> b      becomes   a         -> copy           -> m[middle rows]
                                        a[rows]   -> copy backwards -> m[top], m[bottom]
                                        m[cols]   -> copy backwards -> b[left], b[right]
                                        m         -> copy           -> b[middle columns]

Without columns to add, m is b and the last two lines fall away.
"""

from __future__ import annotations

from core.base.frozen import Frozen, replace
from core.base.geometry import ORIGIN, Padding, Shape4
from core.ir.npugraph import LinearReason, View
from core.lower.rewrites.copying import move
from core.lower.rewrites.padding import pad_amounts
from core.lower.scope import Scope

SYMMETRIC = 1
"""Value of the schema's MirrorPadMode in which the edge itself is repeated."""


class _Mirror(Frozen, kw_only=False):
    """A copy of a border: where it is read, and the last element of where it is written."""

    name: str
    extent: Shape4
    read_at: Shape4
    write_first: int
    """Element of the output, counted in pixels, to which the first one read goes."""
    is_vertical: bool


def lower(scope: Scope) -> None:
    """Lower MIRROR_PAD."""
    amounts, _, _ = pad_amounts(scope.op)
    # REFLECT leaves the edge row or column out of the mirror image.
    skip = 0 if scope.op.options.integer("mode") == SYMMETRIC else 1
    ifm, ofm = scope.ifm, scope.ofm
    n, h, w, c = ifm.shape
    tall = Shape4(n, h + amounts.top + amounts.bottom, w, c)
    middle = ofm
    if amounts.left or amounts.right:
        middle = scope.temporary("rows", tall, scope.dtype(ofm), ofm.quant)
        scope.draft.must_be_linear(middle.fm, LinearReason.BORDERS_BACKWARDS)
    scope.draft.must_be_linear(ofm.fm, LinearReason.BORDERS_BACKWARDS)
    part = replace(middle, offset=Shape4(0, amounts.top, 0, 0), extent=ifm.shape)
    move(scope, _whole(ifm), part, "middle")
    for mirror in _vertical(ifm.shape, amounts, skip, ofm.shape.h):
        _emit(scope, mirror, ifm, middle)
    if middle is ofm:
        return
    for mirror in _horizontal(tall, amounts, skip, ofm.shape.w):
        _emit(scope, mirror, middle, ofm)
    part = replace(ofm, offset=Shape4(0, 0, amounts.left, 0), extent=tall)
    move(scope, _whole(middle), part, "columns")


def _whole(view: View) -> View:
    return replace(view, offset=ORIGIN, extent=view.shape)


def _vertical(shape: Shape4, amounts: Padding, skip: int, height: int) -> list[_Mirror]:
    n, h, w, c = shape
    mirrors = []
    if amounts.top:
        extent = Shape4(n, amounts.top, w, c)
        first = (amounts.top - 1) * w
        mirrors.append(_Mirror("top", extent, Shape4(0, skip, 0, 0), first, is_vertical=True))
    if amounts.bottom:
        extent = Shape4(n, amounts.bottom, w, c)
        at = Shape4(0, h - amounts.bottom - skip, 0, 0)
        first = (height - 1) * w
        mirrors.append(_Mirror("bottom", extent, at, first, is_vertical=True))
    return mirrors


def _horizontal(shape: Shape4, amounts: Padding, skip: int, width: int) -> list[_Mirror]:
    n, h, w, c = shape
    mirrors = []
    if amounts.left:
        extent = Shape4(n, h, amounts.left, c)
        at = Shape4(0, 0, skip, 0)
        mirrors.append(_Mirror("left", extent, at, amounts.left - 1, is_vertical=False))
    if amounts.right:
        extent = Shape4(n, h, amounts.right, c)
        at = Shape4(0, 0, w - amounts.right - skip, 0)
        mirrors.append(_Mirror("right", extent, at, width - 1, is_vertical=False))
    return mirrors


def _emit(scope: Scope, mirror: _Mirror, source: View, target: View) -> None:
    element_bytes = target.shape.c * scope.dtype(target).size_bytes
    move(
        scope,
        replace(source, offset=mirror.read_at, extent=mirror.extent),
        replace(
            target,
            offset=ORIGIN,
            extent=mirror.extent,
            step_h=-1 if mirror.is_vertical else 1,
            step_w=1 if mirror.is_vertical else -1,
            base_offset_bytes=mirror.write_first * element_bytes,
        ),
        mirror.name,
    )
