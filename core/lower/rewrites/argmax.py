"""ARG_MAX over the channels: a maximum that carries its channel in its low bits.

    a -> ARG_MAX -> b      becomes   a -> depthwise: 128 x value + reversed channel -> m (16 bits)
                                     m -> MAX_POOL over the channels, with a table that keeps
                                          the low seven bits and turns the channel round -> i
                                     i -> cast -> b (32 bits, or twice that by a cast of its halves)

Channels count backwards in the low bits, so that of equal values the first one wins.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.base.dtype import DType
from core.base.geometry import Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, OpKind, View, Weights
from core.lower.rewrites.cast import emit_cast
from core.lower.scope import IDENTITY, Scope

CHANNEL_BITS = 7
HIGHEST_MAP = 1 << 16
TABLE_ENTRIES = 512


def lower(scope: Scope) -> None:
    """Lower ARG_MAX."""
    ifm = scope.ifm
    pixels = ifm.shape.with_depth(1)
    marked = _marked(scope, ifm)
    index = scope.temporary("index", pixels, DType.INT16, IDENTITY)
    _emit_maxima(scope, marked, index)
    ofm = replace(scope.ofm, shape=pixels)
    if scope.dtype(ofm) is DType.INT64:
        _emit_wide(scope, index, ofm)
    else:
        emit_cast(scope, index, ofm, "cast")


def _marked(scope: Scope, ifm: View) -> View:
    """Each value above its channel, in 16 bits."""
    depth = ifm.shape.c
    made = scope.temporary("marked", ifm.shape, DType.INT16, ifm.quant)
    weights = Weights(
        values=ConstData.of(np.full((depth, 1, 1, 1), 1 << CHANNEL_BITS, np.uint8)),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(np.arange(depth - 1, -1, -1, dtype=np.int64)),
    )
    return scope.emit(OpKind.DEPTHWISE_CONV_2D, ifm, made, "marked", weights=weights)


def _emit_maxima(scope: Scope, marked: View, index: View) -> None:
    """The pool over channels taken as columns, in bands that the hardware's height can hold."""
    n, h, w, c = marked.shape
    columns = Shape4(n, h * w, c, 1)
    rows = Shape4(n, h * w, 1, 1)
    band = HIGHEST_MAP // w * w
    for start in range(0, h * w, band):
        height = min(band, h * w - start)
        at = Shape4(0, start, 0, 0)
        scope.emit(
            OpKind.MAX_POOL,
            replace(marked, shape=columns, offset=at, extent=Shape4(n, height, c, 1)),
            replace(index, shape=rows, offset=at, extent=Shape4(n, height, 1, 1)),
            f"maximum{start}",
            kernel=Kernel(w=c),
            activation=Activation(kind=ActivationKind.LUT, table=_turns_round(c)),
        )


def _turns_round(depth: int) -> ConstData:
    """16-bit table of depth - 1 less the low seven bits: one falling line in every piece."""
    slope, base = -(1 << CHANNEL_BITS) & 0xFFFF, depth - 1
    return ConstData.of(np.full(TABLE_ENTRIES, (slope << 16) | base, np.uint32))


def _emit_wide(scope: Scope, index: View, ofm: View) -> None:
    """To 64 bits, which no operator writes: the value and its sign half are cast side by side."""
    pixels = index.shape
    halves = pixels.with_depth(2)
    middle = scope.temporary("32bit", pixels, DType.INT32, IDENTITY)
    emit_cast(scope, index, middle, "cast")
    split = scope.temporary("16bit_halves", halves, DType.INT16, IDENTITY)
    scope.emit(OpKind.COPY, middle, split, "halves")
    words = scope.temporary("32bit_halves", halves, DType.INT32, IDENTITY)
    emit_cast(scope, split, words, "cast_halves")
    scope.emit(OpKind.COPY, words, ofm, "join")
