"""Resizing, out of the hardware's doubling of rows and columns.

of one element                           becomes   ADD of a picture of zeros, which broadcasts
nearest, by 8                            becomes   three doublings
bilinear, by 8                           becomes   two doublings, then a doubling whose pool of
                                                   8x8 takes the means
nearest with aligned corners             becomes   doublings, the last with a kernel that picks
                                                   one element
bilinear with half-pixel centres, by 2   becomes   four depthwise convolutions of 2x2, each of
                                                   which writes every second row and column
"""

from __future__ import annotations

import numpy as np

from core.base.dtype import DType
from core.base.frozen import NamedTuple
from core.base.geometry import Kernel, Padding, Resampling, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import OpKind, View, Weights
from core.lower.rewrites.half_pixel import emit_half_pixel
from core.lower.scaling import NO_SCALING
from core.lower.scope import IDENTITY, Scope
from core.lower.slicing import upscale_factor

_KINDS = {
    "RESIZE_BILINEAR": OpKind.RESIZE_BILINEAR,
    "RESIZE_NEAREST_NEIGHBOR": OpKind.RESIZE_NEAREST,
}


def lower(scope: Scope) -> None:
    """Lower RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""
    shape = scope.ifm.shape
    if shape == scope.ofm.shape:
        scope.emit(OpKind.AVERAGE_POOL, scope.ifm, scope.ofm)
    elif shape.h == shape.w == 1:
        _emit_broadcast(scope)
    elif scope.op.kind == "RESIZE_BILINEAR" and scope.op.options.flag("half_pixel_centers"):
        emit_half_pixel(scope)
    else:
        _emit_doublings(scope)


def _emit_broadcast(scope: Scope) -> None:
    shape, dtype = scope.ofm.shape, scope.dtype(scope.ifm)
    zeros = scope.constant("zeros", np.zeros(shape), dtype, IDENTITY, shape)
    scope.emit(OpKind.ADD, zeros, scope.ofm, "add", ifm2=scope.ifm, scaling=NO_SCALING)


def emit_nearest(scope: Scope, ifm: View, ofm: View) -> None:
    """Repeat rows and columns as often as the output has them, by doublings."""
    factor = max(ofm.shape.h // ifm.shape.h, ofm.shape.w // ifm.shape.w)
    kind, grows = OpKind.RESIZE_NEAREST, _Grows.between(ifm.shape, ofm.shape)
    view = _doubled(scope, kind, ifm, ofm, factor.bit_length() - 2, grows)
    scope.emit(kind, view, ofm, resampling=Resampling.NEAREST)


def _emit_doublings(scope: Scope) -> None:
    factor, ifm, ofm = upscale_factor(scope.op), scope.ifm, scope.ofm
    grows = _Grows.between(ifm.shape, ofm.shape)
    view = _doubled(scope, _KINDS[scope.op.kind], ifm, ofm, factor.bit_length() - 2, grows)
    _emit_last(scope, view, factor if grows.in_height else 1, factor if grows.in_width else 1)


class _Grows(NamedTuple):
    in_height: bool
    in_width: bool

    @classmethod
    def between(cls, given: Shape4, made: Shape4) -> _Grows:
        return cls(not given.h == made.h == 1, not given.w == made.w == 1)


def _doubled(scope: Scope, kind: OpKind, view: View, ofm: View, times: int, grows: _Grows) -> View:
    """The input after some doublings, each in a map of its own."""
    for step in range(times):
        height = view.shape.h * (2 if grows.in_height else 1)
        width = view.shape.w * (2 if grows.in_width else 1)
        shape = view.shape.with_hw(height, width)
        doubled = scope.temporary(str(step), shape, scope.dtype(ofm), ofm.quant)
        view = scope.emit(kind, view, doubled, f"doubling{step}", resampling=Resampling.NEAREST)
    return view


def _emit_last(scope: Scope, view: View, factor_h: int, factor_w: int) -> None:
    kind, is_aligned = _KINDS[scope.op.kind], scope.op.options.flag("align_corners")
    window = Kernel(h=factor_h, w=factor_w)
    if kind is OpKind.RESIZE_BILINEAR:
        padding = Padding() if is_aligned else Padding(bottom=factor_h - 1, right=factor_w - 1)
        scope.emit(
            kind, view, scope.ofm, kernel=window, padding=padding, resampling=Resampling.NEAREST
        )
    elif is_aligned:
        scope.emit(
            OpKind.DEPTHWISE_CONV_2D,
            view,
            scope.ofm,
            kernel=window,
            weights=_picks_after_centre(view.shape, window, scope.dtype(view)),
            resampling=Resampling.NEAREST,
        )
    else:
        scope.emit(kind, view, scope.ofm, resampling=Resampling.NEAREST)


def _picks_after_centre(shape: Shape4, kernel: Kernel, dtype: DType) -> Weights:
    """A one below and right of the kernel's centre: the source element that is nearest there."""
    taps = np.zeros((shape.c, kernel.h, kernel.w, 1), np.uint8 if not dtype.is_signed else np.int8)
    taps[:, kernel.h // 2, kernel.w // 2] = 1
    return Weights(
        values=ConstData.of(taps),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(np.zeros(shape.c, np.int32)),
    )
