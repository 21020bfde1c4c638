"""A transposition: a copy that steps through its output by columns, or some of them in a row.

a of WxC -> TRANSPOSE -> b of CxW      becomes   a seen as 1xWxCx1, written with height and
                                                 width exchanged
a of HxWxC -> TRANSPOSE -> b of CxWxH  becomes   a seen as 1xHxWxC, written so -> t of WxHxC,
                                                 t seen as 1xWHxCx1, written so -> b
a of Hx9xC -> TRANSPOSE -> b of HxCx9  becomes   a product of each 9C numbers and a matrix of
                                                 ones and zeros, where that is not too large
a of Hx2xC -> TRANSPOSE -> b of HxCx2  becomes   the first C of each 2C of a, and the others,
                                                 to every second element of b
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4, ceil_div
from core.ir.constdata import ConstData
from core.ir.npugraph import LinearReason, OpKind, View, Weights
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.rewrites.copying import along, move
from core.lower.rewrites.unit_weights import bias_of
from core.lower.scope import IDENTITY, Scope
from core.lower.slicing import integers
from core.lower.turns import Exchange, cycles_of_turns, exchange, turns

_WIDTH, _DEPTH = 2, 3


def lower(scope: Scope) -> None:
    """Lower TRANSPOSE, as many turns as its order needs."""
    given, made, tensor = scope.ifm, scope.ofm, scope.op.ifm
    shape, order = () if tensor is None else tensor.shape, integers(scope.op.ifm2) or ()
    runs, by_turns = exchange(shape, order), cycles_of_turns(shape, order)
    if runs is not None:
        by_copies = runs.cycles_of_copies if runs.can_be_copied else math.inf
        if _can_multiply(scope, runs):
            by_product = runs.cycles_of_product(scope.macs)
            by_others = min(by_turns, by_copies)
            if _is_cheaper(scope, Rewrite.TURNED_BY_PRODUCT, by_others, by_product):
                _multiply(scope, runs)
                return
        if runs.can_be_copied and _is_cheaper(scope, Rewrite.COPIED_APART, by_turns, by_copies):
            _copy_each(scope, runs)
            return
    pictures = turns(shape, order)
    if not pictures:
        move(scope, replace(given, shape=made.shape), made)
    for step, picture in enumerate(pictures, 1):
        turned = made
        if step < len(pictures):
            shape = picture.with_hw(picture.w, picture.h)
            turned = scope.temporary(f"turned{step}", shape, scope.dtype(made), made.quant)
        scope.draft.must_be_linear(turned.fm, LinearReason.WRITTEN_BY_COLUMNS)
        source = replace(given, shape=picture)
        target = replace(turned, shape=picture, is_transposed=True)
        _turn(scope, source, target, f"turn{step}" if len(pictures) > 1 else "")
        given = turned


def _turn(scope: Scope, source: View, target: View, name: str) -> None:
    """Exchange height and width, in as few parts as no side is too long for."""
    picture, most = source.shape, scope.limits.greatest_dimension
    rows, columns = (_steps(side, most) for side in (picture.h, picture.w))
    if len(rows) == len(columns) == 1:
        move(scope, source, target, name)
        return
    for at, (row, column) in enumerate(product(rows, columns)):
        offset = Shape4(0, row.start, column.start, 0)
        extent = picture.with_hw(len(row), len(column))
        given, made = (replace(each, offset=offset, extent=extent) for each in (source, target))
        move(scope, given, made, f"{name}part{at}")


def _steps(side: int, most: int) -> list[range]:
    """A side in parts of about one length, none of which is too long."""
    length = ceil_div(side, ceil_div(side, most))
    return [range(first, min(first + length, side)) for first in range(0, side, length)]


def _copy_each(scope: Scope, runs: Exchange) -> None:
    """Each element of the shorter run, with all of the longer one."""
    given, made = scope.ifm, scope.ofm
    extent = runs.apart._replace(c=runs.behind)
    for copy in range(runs.copies):
        row = along(_WIDTH, copy * extent.w)
        depth = along(_DEPTH, copy * runs.behind)
        reads, writes = (runs.together, row), (runs.apart, depth)
        if runs.first > runs.second:
            reads, writes = writes, reads
        move(
            scope,
            replace(given, shape=reads[0], offset=reads[1], extent=extent),
            replace(made, shape=writes[0], offset=writes[1], extent=extent),
            f"copy{copy}",
        )


def _is_cheaper(scope: Scope, rewrite: Rewrite, cycles: float, cycles_with: float) -> bool:
    """Whether a way to transpose takes less; both figures are kept for whoever asks why."""
    is_cheaper = cycles_with < cycles
    tried = RewriteTried(
        rewrite=rewrite,
        sources=scope.sources,
        measure=Measure.CYCLES,
        figure_without=cycles,
        figure_with=cycles_with,
        reason=RewriteReason.CHEAPER if is_cheaper else RewriteReason.NOT_CHEAPER,
    )
    scope.draft.rewrites.append(tried)
    return is_cheaper


def _can_multiply(scope: Scope, runs: Exchange) -> bool:
    """Whether a product computes the same, with a matrix that is not too large to be stored."""
    dtypes = {scope.dtype(scope.ifm), scope.dtype(scope.ofm)}
    return (
        scope.freedoms.fewer_operators
        and dtypes <= {DType.INT8, DType.UINT8}
        and runs.depth <= scope.macs
        and runs.before <= scope.limits.greatest_dimension
    )


def _multiply(scope: Scope, runs: Exchange) -> None:
    """Each place's numbers times ones where they go; what follows may merge into that."""
    places = np.arange(runs.depth).reshape(runs.first, runs.second, runs.behind)
    rows = places.swapaxes(0, 1).reshape(-1)
    matrix = np.eye(runs.depth, dtype=np.uint8)[rows].reshape(runs.depth, 1, 1, runs.depth)
    shapes = [Shape4.of(scope.draft.feature_maps[view.fm].shape) for view in (scope.ifm, scope.ofm)]
    shape = next(
        (each for each in shapes if each.n == 1 and each.c == runs.depth),
        Shape4(1, runs.before, 1, runs.depth),
    )
    weights = Weights(
        values=ConstData.of(matrix),
        scales=(1.0,),
        zero_points=(0,),
        bias=ConstData.of(bias_of(scope.dtype(scope.ifm), runs.depth)),
    )
    quant = scope.ofm.quant or IDENTITY
    given, made = (replace(view, shape=shape, quant=quant) for view in (scope.ifm, scope.ofm))
    scope.emit(OpKind.CONV_2D, given, made, weights=weights)
