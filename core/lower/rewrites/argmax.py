"""ARG_MAX along the depth, of at most 127 channels of 8 bits.

    x -> ARG_MAX -> y      becomes   x -> depthwise convolution: x << 7, plus channels that follow
                                     the greatest of each row, its low seven bits by a table
                                     in 32 bits by another convolution -> y

The number of channels that follow breaks ties in favour of the first, and is what remains of the
greatest element when the table takes it from the last channel's number. For 64 bits, each half of
the 32-bit result is widened once more, which leaves zeros between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.base.dtype import DType
from core.base.geometry import ORIGIN, Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, OpKind, Quant, View
from core.lower.rewrites.lookup import STEPS, packed_table
from core.lower.rewrites.unit_weights import alike, emit_cast
from core.lower.scaling import scaling_of
from core.lower.scope import IDENTITY, Scope

INDEX_BITS = 7
MOST_ELEMENTS = 1 << 16
"""Rows that one operator can have."""


def lower(scope: Scope) -> None:
    """Lower ARG_MAX."""
    n, h, w, c = scope.ifm.shape
    shape = Shape4(1, n * h, w, c)
    found = replace(_emit_search(scope, _emit_ranked(scope, shape)), shape=shape.with_depth(1))
    ofm = replace(scope.ofm, shape=found.shape)
    if scope.dtype(ofm) is DType.INT64:
        _emit_doubled(scope, found, ofm)
    else:
        emit_cast(scope, found, ofm, "widened")


def _emit_ranked(scope: Scope, shape: Shape4) -> View:
    """Elements in the upper bits, and below them how many channels follow."""
    ranked = scope.temporary("ranked", shape, DType.INT16, Quant(scale=scaling_of(scope.ifm).scale))
    following = np.arange(shape.c - 1, -1, -1, dtype=np.int64)
    return scope.emit(
        OpKind.DEPTHWISE_CONV_2D,
        replace(scope.ifm, shape=shape),
        ranked,
        "ranked",
        weights=alike(1 << INDEX_BITS, shape.c, Kernel(), following),
    )


def _emit_search(scope: Scope, ranked: View) -> View:
    _, h, w, c = ranked.shape
    rows = replace(ranked, shape=Shape4(1, h * w, c, 1))
    found = scope.temporary("found", Shape4(1, h, w, 1), DType.INT16, IDENTITY)
    found = replace(found, shape=Shape4(1, h * w, 1, 1))
    lookup = Activation(kind=ActivationKind.LUT, table=index_table(c))
    for part, (ifm, ofm) in enumerate(_parts(rows, found, MOST_ELEMENTS // w * w)):
        scope.emit(
            OpKind.MAX_POOL, ifm, ofm, f"max{part}", kernel=Kernel(h=1, w=c), activation=lookup
        )
    return found


def _parts(ifm: View, ofm: View, most_rows: int) -> Iterator[tuple[View, View]]:
    """Both maps in pieces of no more rows than an operator can have."""
    rows = ifm.shape.h
    if rows <= most_rows:
        yield ifm, ofm
        return
    for first in range(0, rows, most_rows):
        taken, at = min(most_rows, rows - first), ORIGIN.with_hw(first, 0)
        yield (
            replace(ifm, offset=at, extent=ifm.shape.with_hw(taken, ifm.shape.w)),
            replace(ofm, offset=at, extent=ofm.shape.with_hw(taken, 1)),
        )


def index_table(depth: int) -> ConstData:
    """The last channel's number less the low seven bits, which are what a table interpolates by."""
    last, step = depth - 1, -(1 << INDEX_BITS)
    return packed_table(bases=np.full(STEPS, last), slopes=np.full(STEPS, step))


def _emit_doubled(scope: Scope, found: View, ofm: View) -> None:
    single, double = found.shape, found.shape.with_depth(2)
    words = scope.temporary("words", single, DType.INT32)
    emit_cast(scope, found, words, "widened")
    halves = scope.temporary("halves", double, DType.INT16)
    scope.emit(OpKind.COPY, words, halves, "halves")
    pairs = scope.temporary("pairs", double, DType.INT32)
    emit_cast(scope, halves, pairs, "widened_halves")
    scope.emit(OpKind.COPY, pairs, ofm)
