"""ARG_MAX along the depth, of at most 127 channels of 8 bits.

    x -> ARG_MAX -> y      becomes   x -> depthwise convolution: x << 7, plus channels that follow
                                     the greatest of each row, its low seven bits by a table
                                     in 32 bits by another convolution -> y

The number of channels that follow breaks ties in favour of the first, and is what remains of the
greatest element when the table takes it from the last channel's number. For 64 bits, each half of
the 32-bit result is widened once more, which leaves zeros between them. The 16-bit map between the
first two takes twice the input: where that is much, both work on the plane piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import ORIGIN, Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, OpKind, Quant, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.rewrites.lookup import STEPS, packed_table
from core.lower.rewrites.unit_weights import alike, emit_cast
from core.lower.scaling import scaling_of
from core.lower.scope import IDENTITY, Scope

INDEX_BITS = 7
MOST_ELEMENTS = 1 << 16
"""Rows that one operator can have."""
MOST_PIECES = 32
PIECE_BYTES = 1 << 16
"""Ranked elements that are made at once where the whole map would take more."""


def lower(scope: Scope) -> None:
    """Lower ARG_MAX."""
    n, h, w, c = scope.ifm.shape
    shape = Shape4(1, n * h, w, c)
    found = replace(_emit_found(scope, shape), shape=shape.with_depth(1))
    ofm = replace(scope.ofm, shape=found.shape)
    if scope.dtype(ofm) is DType.INT64:
        _emit_doubled(scope, found, ofm)
    else:
        emit_cast(scope, found, ofm, "widened")


def _emit_found(scope: Scope, shape: Shape4) -> View:
    """The channel of each row's greatest element."""
    lines = _lines_at_once(shape) if scope.freedoms.pieces_of_maps else shape.h
    ifm = scope.ifm
    if ifm.quant is None or ifm.quant.scale is None:
        # Which is the greatest does not depend on a scale.
        ifm = replace(ifm, quant=IDENTITY)
    quant = Quant(scale=scaling_of(ifm).scale)
    firsts = range(0, shape.h, lines)
    if firsts[1:]:
        scope.draft.rewrites.append(_in_pieces(scope, shape, lines))
    names = [f"ranked{number}" for number in range(len(firsts))] if firsts[1:] else ["ranked"]
    pieces = [
        scope.temporary(name, shape.with_hw(min(lines, shape.h - at), shape.w), DType.INT16, quant)
        for name, at in zip(names, firsts, strict=True)
    ]
    found = scope.temporary("found", shape.with_depth(1), DType.INT16, IDENTITY)
    found = replace(found, shape=Shape4(1, shape.h * shape.w, 1, 1))
    following = np.arange(shape.c - 1, -1, -1, dtype=np.int64)
    weights = alike(1 << INDEX_BITS, shape.c, Kernel(), following)
    lookup = Activation(kind=ActivationKind.LUT, table=index_table(shape.c))
    ifm = replace(ifm, shape=shape)
    numbers = count()
    for number, piece in enumerate(pieces):
        own, name = _part(ifm, number * lines, piece.shape.h), names[number]
        scope.emit(OpKind.DEPTHWISE_CONV_2D, own, piece, name, weights=weights)
        for rows, at in _searched(piece, found, number * lines * shape.w):
            name, kernel = f"max{next(numbers)}", Kernel(h=1, w=shape.c)
            scope.emit(OpKind.MAX_POOL, rows, at, name, kernel=kernel, activation=lookup)
    return found


def _lines_at_once(shape: Shape4) -> int:
    """How much of the plane is ranked at once; no piece is so small that commands count, and all
    are about as high."""
    line_bytes = shape.w * shape.c * DType.INT16.bits // 8
    most = max(-(-shape.h // MOST_PIECES), PIECE_BYTES // line_bytes)
    return -(-shape.h // -(-shape.h // most))


def _in_pieces(scope: Scope, shape: Shape4, lines: int) -> RewriteTried:
    return RewriteTried(
        rewrite=Rewrite.MADE_IN_PIECES,
        sources=scope.sources,
        measure=Measure.MADE_BYTES,
        figure_without=shape.elements * DType.INT16.size_bytes,
        figure_with=shape.with_hw(lines, shape.w).elements * DType.INT16.size_bytes,
        reason=RewriteReason.LESS_LIVE,
    )


def _searched(ranked: View, found: View, begin: int) -> Iterator[tuple[View, View]]:
    """Ranked elements and where what is found goes, in no more rows than an operator can have."""
    _, h, w, c = ranked.shape
    rows, most = replace(ranked, shape=Shape4(1, h * w, c, 1)), MOST_ELEMENTS // w * w
    for first in range(0, h * w, most):
        taken = min(most, h * w - first)
        yield _part(rows, first, taken), _part(found, begin + first, taken)


def _part(view: View, first: int, rows: int) -> View:
    """Some rows of a map."""
    if rows == view.shape.h:
        return view
    extent = view.shape.with_hw(rows, view.shape.w)
    return replace(view, offset=ORIGIN.with_hw(first, 0), extent=extent)


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
