"""Mirrored padding: the input is copied into the middle, then the borders backwards.

    a -> MIRROR_PAD -> b      becomes   a         -> copy           -> m[middle rows]
                                        a[rows]   -> copy backwards -> m[top], m[bottom]
                                        m[cols]   -> copy backwards -> b[left], b[right]
                                        m         -> copy           -> b[middle columns]

Without columns to add, m is b and the last two lines fall away. Where that is free to decide, and
m is no small map, each border and each corner comes from a itself, and nothing is copied twice:

                                        a             -> copy                -> b[middle]
                                        a[rows]       -> copy backwards      -> b[top], b[bottom]
                                        a[cols]       -> copy backwards      -> b[left], b[right]
                                        a[rows, cols] -> copy backwards both -> b[corners]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.base.frozen import Frozen, replace
from core.base.geometry import ORIGIN, Padding, Shape4
from core.ir.npugraph import LinearReason, View
from core.lower.rewrites.copying import move
from core.lower.rewrites.padding import pad_amounts
from core.lower.scope import Scope

SYMMETRIC = 1
"""Value of the schema's MirrorPadMode in which the edge itself is repeated."""
_LEAST_BYTES = 1 << 11
"""To copy so many again takes longer than to copy four corners."""


class _Strip(NamedTuple):
    """Rows or columns of the input, and where they go."""

    name: str
    size: int
    read_first: int
    write_first: int
    """Where the first of them goes."""
    step: int

    @property
    def offset(self) -> int:
        """Where they begin, if they go on from there."""
        return self.write_first if self.step > 0 else 0

    @property
    def last(self) -> int:
        """Where the first one goes, if the others go before it."""
        return self.write_first if self.step < 0 else 0


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
    has_corners = tall.h > h and ofm.shape.w > w
    is_large = tall.elements * scope.dtype(ofm).size_bytes >= _LEAST_BYTES
    if scope.freedoms.fewer_operators and (is_large or not has_corners):
        _lower_from_input(scope, amounts, skip)
        return
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


def _lower_from_input(scope: Scope, amounts: Padding, skip: int) -> None:
    """Add a copy of the middle, and one of each border and each corner."""
    ifm, ofm = scope.ifm, scope.ofm
    scope.draft.must_be_linear(ofm.fm, LinearReason.BORDERS_BACKWARDS)
    pixel_bytes = ofm.shape.c * scope.dtype(ofm).size_bytes
    for rows in _strips("top", "bottom", ifm.shape.h, (amounts.top, amounts.bottom), skip):
        for columns in _strips("left", "right", ifm.shape.w, (amounts.left, amounts.right), skip):
            extent = ifm.shape.with_hw(rows.size, columns.size)
            read_at = ORIGIN.with_hw(rows.read_first, columns.read_first)
            made = replace(
                ofm,
                offset=ORIGIN.with_hw(rows.offset, columns.offset),
                extent=extent,
                step_h=rows.step,
                step_w=columns.step,
                base_offset_bytes=(rows.last * ofm.shape.w + columns.last) * pixel_bytes,
            )
            name = f"{rows.name}{columns.name}" or "middle"
            move(scope, replace(ifm, offset=read_at, extent=extent), made, name)


def _strips(
    before: str, behind: str, size: int, added: tuple[int, int], skip: int
) -> Iterator[_Strip]:
    """The middle, then what is mirrored before and behind it."""
    first, last = added
    yield _Strip("", size, 0, first, 1)
    if first:
        yield _Strip(before, first, skip, first - 1, -1)
    if last:
        yield _Strip(behind, last, size - last - skip, first + size + last - 1, -1)


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
