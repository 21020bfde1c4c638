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

The depth comes first: few channels are chosen by a product with ones and zeros, others copied.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.dtype import DType
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.geometry import ORIGIN, Padding, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import LinearReason, OpKind, View, Weights
from core.lower.rewrites.copying import along, move
from core.lower.rewrites.padding import pad_amounts
from core.lower.rewrites.unit_weights import bias_of
from core.lower.scope import Scope

SYMMETRIC = 1
"""Value of the schema's MirrorPadMode in which the edge itself is repeated."""
_LEAST_BYTES = 1 << 11
"""To copy so many again takes longer than to copy four corners."""
_DEPTH = 3
_FEW_CHANNELS = 64
"""To choose some of more by a product takes longer than to copy these."""


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
    amounts, near, far = pad_amounts(scope.op)
    # REFLECT leaves the edge row or column out of the mirror image.
    skip = 0 if scope.op.options.integer("mode") == SYMMETRIC else 1
    ifm, ofm = scope.ifm, scope.ofm
    if near or far:
        given, depth = ifm, ifm.shape.with_depth(ofm.shape.c)
        ifm = ofm if depth == ofm.shape else _temporary(scope, "deep", depth)
        _mirror_depth(scope, given, ifm, (near, far), skip)
    if ifm is not ofm:
        _mirror_plane(scope, ifm, amounts, skip)


def _temporary(scope: Scope, name: str, shape: Shape4) -> View:
    return scope.temporary(name, shape, scope.dtype(scope.ofm), scope.ofm.quant)


def _mirror_depth(scope: Scope, ifm: View, ofm: View, amounts: tuple[int, int], skip: int) -> None:
    """Add what makes each pixel deeper."""
    depth, dtype = ifm.shape.c, scope.dtype(ifm)
    chosen = np.pad(np.arange(depth), amounts, "reflect" if skip else "symmetric")
    if depth <= _FEW_CHANNELS and dtype is not DType.INT32:
        ones = np.eye(depth, dtype=np.uint8)[chosen]
        weights = Weights(
            values=ConstData.of(ones.reshape(len(chosen), 1, 1, depth)),
            scales=(1.0,),
            zero_points=(0,),
            bias=ConstData.of(bias_of(dtype, len(chosen))),
        )
        scope.emit(OpKind.CONV_2D, ifm, ofm, "depth", weights=weights)
        return
    near, _ = amounts
    move(scope, _whole(ifm), _channels(ofm, near, depth), "middle_depth")
    for at, channel in enumerate(chosen.tolist()):
        if not near <= at < near + depth:
            move(scope, _channels(ifm, channel, 1), _channels(ofm, at, 1), f"channel{at}")


def _channels(view: View, first: int, count: int) -> View:
    return replace(view, offset=along(_DEPTH, first), extent=view.shape.with_depth(count))


def _mirror_plane(scope: Scope, ifm: View, amounts: Padding, skip: int) -> None:
    """Add what makes rows and columns more."""
    ofm = scope.ofm
    n, h, w, c = ifm.shape
    tall = Shape4(n, h + amounts.top + amounts.bottom, w, c)
    has_corners = tall.h > h and ofm.shape.w > w
    is_large = tall.elements * scope.dtype(ofm).size_bytes >= _LEAST_BYTES
    if scope.freedoms.fewer_operators and (is_large or not has_corners):
        _lower_from_input(scope, ifm, amounts, skip)
        return
    middle = ofm
    if amounts.left or amounts.right:
        middle = _temporary(scope, "rows", tall)
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


def _lower_from_input(scope: Scope, ifm: View, amounts: Padding, skip: int) -> None:
    """Add a copy of the middle, and one of each border and each corner."""
    ofm = scope.ofm
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
