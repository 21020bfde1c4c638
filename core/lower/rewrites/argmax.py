"""ARG_MAX along the depth, of at most 127 channels of 8 bits.

    x -> ARG_MAX -> y      becomes   x -> convolution: x << 7, plus channels that follow
                                     the greatest of each place, its low seven bits by a table
                                     in 32 bits by another convolution -> y

The number of channels that follow breaks ties in favour of the first, and is what remains of the
greatest element when the table takes it from the last channel's number. For 64 bits, the last
convolution makes a channel of zeros too, which are the higher halves; where operators are not to be
fewer, each half of the 32-bit result is widened once more, which leaves zeros between them.

A pool whose windows go over all channels has one channel left, of the eight and more that the array
has room for, and rows of one element each. Where the plane is large, the greatest is searched in
steps: the thirds or halves of the channels are columns beside each other, and a pool with windows
and strides of so many columns leaves a third or a half of the channels. So all channels count that
are left, rows stay rows, and the whole passes in stripes. Channels are filled up to a product of
twos and threes by more of the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import ORIGIN, Kernel, Shape4, ceil_div
from core.ir.constdata import ConstData
from core.ir.npugraph import Activation, ActivationKind, OpKind, Quant, View
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.rewrites.lookup import STEPS, packed_table
from core.lower.rewrites.unit_weights import alike, bias_of, emit_cast
from core.lower.scaling import scaling_of
from core.lower.scope import IDENTITY, Scope

INDEX_BITS = 7
MOST_ELEMENTS = 1 << 16
"""Rows or columns that one operator can have."""
_FAST_MACS, _FAST_PLACES, _FAST_CHANNELS = 128, 256, 64
"""From so many on steps are mostly faster, by the price: 0.45 to 1.0 of the time, but for 1.2 to
1.3 of 4 to 8 channels on two cores. With fewer MACs, where the array works on one place at a time,
it is 0.8 to 1.4. With more channels, what fills them up reads too many weights.
"""
_LARGE_BYTES = 1 << 16
"""Of ranked elements: these are to pass in stripes in any case."""


def lower(scope: Scope) -> None:
    """Lower ARG_MAX."""
    n, h, w, c = scope.ifm.shape
    shape = Shape4(1, n * h, w, c)
    steps = _steps(scope, shape) if scope.freedoms.pools_in_steps else ()
    ranked = _emit_ranked(scope, shape, prod(steps) if steps else c)
    found = scope.temporary("found", shape.with_depth(1), DType.INT16, IDENTITY)
    lookup = Activation(kind=ActivationKind.LUT, table=index_table(c))
    if steps:
        _emit_in_steps(scope, ranked, found, steps, lookup)
    else:
        _emit_at_once(scope, ranked, found, lookup)
    ofm = replace(scope.ofm, shape=found.shape)
    if scope.dtype(ofm) is not DType.INT64:
        emit_cast(scope, found, ofm, "widened")
    elif scope.freedoms.fewer_operators:
        _emit_with_zeros(scope, found, ofm)
    else:
        _emit_halves(scope, found, ofm)


def _steps(scope: Scope, shape: Shape4) -> tuple[int, ...]:
    """The steps in which the greatest is searched; none where one pool is no worse."""
    steps, places = steps_over(shape.c), shape.h * shape.w
    if not steps or shape.w * max(steps) > MOST_ELEMENTS:
        return ()
    line_bytes = shape.w * prod(steps) * DType.INT16.size_bytes
    is_large = shape.h * line_bytes > _LARGE_BYTES
    is_plane = places >= _FAST_PLACES and shape.c <= _FAST_CHANNELS
    if not is_large and not (is_plane and scope.macs >= _FAST_MACS):
        return ()
    scope.draft.rewrites.append(
        RewriteTried(
            rewrite=Rewrite.SEARCHED_IN_STEPS,
            sources=scope.sources,
            measure=Measure.MADE_BYTES,
            figure_without=shape.elements * DType.INT16.size_bytes,
            figure_with=line_bytes,
            reason=RewriteReason.LESS_LIVE if is_large else RewriteReason.CHEAPER,
        )
    )
    return steps


def steps_over(channels: int) -> tuple[int, ...]:
    """Threes and then twos; of all products that are no smaller than the channels the least."""
    ways = (
        (3,) * threes + (2,) * (ceil_div(channels, 3**threes) - 1).bit_length()
        for threes in range(channels.bit_length())
    )
    return min(ways, key=lambda steps: (prod(steps), len(steps)))


def _emit_ranked(scope: Scope, shape: Shape4, depth: int) -> View:
    """Add elements that tell their channels too; the last one as often as depth is left."""
    ifm = replace(scope.ifm, shape=shape)
    if ifm.quant is None or ifm.quant.scale is None:
        # Which is the greatest does not depend on a scale.
        ifm = replace(ifm, quant=IDENTITY)
    quant = Quant(scale=scaling_of(ifm).scale)
    ranked = scope.temporary("ranked", shape.with_depth(depth), DType.INT16, quant)
    channels = np.minimum(np.arange(depth, dtype=np.int64), shape.c - 1)
    weights = alike(1 << INDEX_BITS, depth, Kernel(), shape.c - 1 - channels)
    if depth == shape.c:
        return scope.emit(OpKind.DEPTHWISE_CONV_2D, ifm, ranked, "ranked", weights=weights)
    chosen = (channels[:, np.newaxis] == np.arange(shape.c)).astype(np.uint8) << INDEX_BITS
    values = ConstData.of(chosen.reshape(depth, 1, 1, shape.c))
    weights = replace(weights, values=values)
    return scope.emit(OpKind.CONV_2D, ifm, ranked, "ranked", weights=weights)


def _emit_in_steps(
    scope: Scope, ranked: View, found: View, steps: Sequence[int], lookup: Activation
) -> None:
    """Add pools, each of which leaves the greatest of some parts of the channels."""
    shape = ranked.shape
    for number, step in enumerate(steps):
        parts = Shape4(1, shape.h, shape.w * step, ranked.shape.c // step)
        is_last, made = parts.c == 1, shape.with_depth(parts.c)
        left = (
            found
            if is_last
            else scope.temporary(f"greatest{number}", made, DType.INT16, ranked.quant)
        )
        scope.emit(
            OpKind.MAX_POOL,
            replace(ranked, shape=parts),
            left,
            f"max{number}",
            kernel=Kernel(h=1, w=step, stride_w=step),
            activation=lookup if is_last else None,
        )
        ranked = left


def _emit_at_once(scope: Scope, ranked: View, found: View, lookup: Activation) -> None:
    """Add a pool over all channels of each place, in no more rows than an operator can have."""
    _, h, w, c = ranked.shape
    rows, places = (
        replace(view, shape=Shape4(1, h * w, depth, 1)) for view, depth in ((ranked, c), (found, 1))
    )
    most, kernel = MOST_ELEMENTS // w * w, Kernel(h=1, w=c)
    for number, first in enumerate(range(0, h * w, most)):
        count = min(most, h * w - first)
        ifm, ofm = _part(rows, first, count), _part(places, first, count)
        scope.emit(OpKind.MAX_POOL, ifm, ofm, f"max{number}", kernel=kernel, activation=lookup)


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


def _emit_with_zeros(scope: Scope, found: View, ofm: View) -> None:
    """Add what widens each number to 32 bits, with zeros behind it as its higher half."""
    pairs = scope.temporary("pairs", found.shape.with_depth(2), DType.INT32)
    ones = alike(1, 2, Kernel(), bias_of(DType.INT16, 2))
    values = ConstData.of(np.array([1, 0], np.uint8).reshape(2, 1, 1, 1))
    scope.emit(OpKind.CONV_2D, found, pairs, "widened", weights=replace(ones, values=values))
    scope.emit(OpKind.COPY, pairs, ofm)


def _emit_halves(scope: Scope, found: View, ofm: View) -> None:
    """Add what widens each number to 32 bits, and each half of that once more."""
    single, double = found.shape, found.shape.with_depth(2)
    words = scope.temporary("words", single, DType.INT32)
    emit_cast(scope, found, words, "widened")
    halves = scope.temporary("halves", double, DType.INT16)
    scope.emit(OpKind.COPY, words, halves, "halves")
    pairs = scope.temporary("pairs", double, DType.INT32)
    emit_cast(scope, halves, pairs, "widened_halves")
    scope.emit(OpKind.COPY, pairs, ofm)
