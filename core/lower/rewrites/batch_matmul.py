"""BATCH_MATMUL of 8 bits: the hardware multiplies only by weights that are known beforehand.

    a, constant b -> BATCH_MATMUL -> c      becomes   a -> FULLY_CONNECTED b -> c, for each batch

    constant a, b -> BATCH_MATMUL -> c      becomes   b, turned -> FULLY_CONNECTED a -> t
                                                      t, turned -> c

    a, b -> BATCH_MATMUL -> c               becomes, for each batch, with b turned if it is not yet
                                            (and a if it is),

    b, each row of a -> MUL -> p            products of 32 bits, of that row and every row of b
    p -> REDUCE_SUM, with a factor -> c     over the depth, for several rows of a at once

and where a FULLY_CONNECTED of computed weights has a bias

    p -> REDUCE_SUM -> s,  s -> ADD bias -> s,  s -> MUL factor -> c

Where a has half as many rows again as b they change places, and the result is written by columns.
Small matrices of a stack go together: one MUL is of a row of each. Where memory is saved, products
take a quarter of that of the matrices, if they are of more than one row; and where one row takes
more than these, it is one of whichever matrix has more of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier, away_at_halves, quantise_scale
from core.base.frozen import Frozen, replace
from core.base.geometry import Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import ExplicitScaling, LinearReason, OpKind, Rounding, View, Weights
from core.lower.rewrites.fully_connected import matrix_product
from core.lower.rewrites.mean import emit_scaled, stored_factor
from core.lower.scaling import NO_SCALING, UNSCALED, scaling_of
from core.lower.scope import OpDetails, Scope
from core.lower.source import values

MOST_PRODUCTS = 1 << 10
"""Elements that wait to be summed, if they are of more than one row: to sum them a little later
saves a command for each row, which mostly runs beside others, and costs memory."""
MOST_OF_ROWS = 1 << 12
"""The same of one row of each of several matrices: a command costs little beside as many."""
EXCHANGED_FROM = 1.5
"""Times as many rows: what is written by columns goes byte by byte, which costs what is saved."""
_SHARE_OF_PRODUCTS = 16
"""Bytes of matrices for each product that waits, where memory is saved: a quarter of them."""
_BIAS = 2
OF_FULLY_CONNECTED = "of_fully_connected"
"""An option that no file has: sums are rescaled as that operator does it, which rounds once."""
MOST_SUMS = 1 << 8
"""Sums that wait for their factor, if they are of more than one row."""


class _Matrices(Frozen, kw_only=False):
    """Some of a stack of matrices; rows are as the width of a feature map, columns as its depth."""

    view: View
    """The stack, its matrices below one another."""
    batch: int
    count: int = 1

    @classmethod
    def of(cls, view: View, batch: int, count: int = 1) -> _Matrices:
        """Matrices by position; a stack of one serves for all of them."""
        n, h, w, c = view.shape
        stack = replace(view, shape=Shape4(1, n * h, w, c))
        return cls(stack, batch, count) if n * h > 1 else cls(stack, 0)

    @property
    def rows(self) -> int:
        return self.view.shape.w

    @property
    def columns(self) -> int:
        return self.view.shape.c

    @property
    def elements(self) -> int:
        return self.count * self.rows * self.columns

    @property
    def whole(self) -> View:
        return self._part(0, self.rows)

    def row(self, index: int) -> View:
        """One row of each."""
        return self._part(index, 1)

    def _part(self, first: int, rows: int) -> View:
        if self.view.shape.h == self.count and rows == self.rows:
            return self.view
        at, extent = Shape4(0, self.batch, first, 0), Shape4(1, self.count, rows, self.columns)
        return replace(self.view, offset=at, extent=extent)

    def single(self, index: int) -> _Matrices:
        """One of them."""
        return _Matrices(self.view, self.batch + index)

    def column(self, index: int) -> View:
        """One column of each."""
        at, extent = Shape4(0, self.batch, 0, index), Shape4(1, self.count, self.rows, 1)
        return replace(self.view, offset=at, extent=extent)

    def in_one_row(self, first: int, rows: int) -> View:
        """Some rows of each, behind one another in one row for each matrix."""
        _, h, w, c = self.view.shape
        view = replace(self.view, shape=Shape4(1, h, w * c, 1))
        if h == self.count and rows == w:
            return view
        at, extent = Shape4(0, self.batch, first * c, 0), Shape4(1, self.count, rows * c, 1)
        return replace(view, offset=at, extent=extent)

    @property
    def by_elements(self) -> View:
        """All elements of one matrix by themselves: rows as rows and columns as columns."""
        _, h, w, c = self.view.shape
        view = replace(self.view, shape=Shape4(1, h * w, c, 1))
        if h == 1:
            return view
        at, extent = Shape4(0, self.batch * w, 0, 0), Shape4(1, w, c, 1)
        return replace(view, offset=at, extent=extent)


def lower(scope: Scope) -> None:
    """Lower BATCH_MATMUL."""
    constant = values(scope.op.ifm2)
    if constant is not None:
        for batch in range(_batches(scope.ofm)):
            left, made = _left(scope, batch, 1), _Matrices.of(scope.ofm, batch)
            _emit_constant_product(scope, left, made, constant, batch)
        return
    right: _Matrices | None = None
    given = values(scope.op.ifm) if scope.freedoms.fewer_operators else None
    if scope.op.options.flag(OF_FULLY_CONNECTED):
        given = None
    for batch, count in _runs(scope) if given is None else _each(scope):
        made = _Matrices.of(scope.ofm, batch, count)
        if right is None or _batches(scope.ifm2) > 1:
            right = _right(scope, batch, count)
        if given is None:
            _emit_product(scope, _left(scope, batch, count), right, made)
        else:
            _emit_turned_product(scope, given, right, made)


def _each(scope: Scope) -> Iterator[tuple[int, int]]:
    """One matrix after the other."""
    return ((batch, 1) for batch in range(_batches(scope.ofm)))


def _batches(stack: View) -> int:
    return stack.shape.n * stack.shape.h


def _runs(scope: Scope) -> Iterator[tuple[int, int]]:
    """Which matrices one product may be of: the first, and how many."""
    batches = _batches(scope.ofm)
    step = 1
    if _batches(scope.ifm) == _batches(scope.ifm2) == batches:
        step = max(1, _within_memory(scope, MOST_OF_ROWS) // _products_of_a_row(scope))
    for first in range(0, batches, step):
        yield first, min(step, batches - first)


def _within_memory(scope: Scope, most: int) -> int:
    """Products that may wait to be summed, if they are of more than one row."""
    return min(most, _matrix_bytes(scope) // _SHARE_OF_PRODUCTS) if scope.saves_memory else most


def _matrix_bytes(scope: Scope) -> int:
    matrices = (scope.ifm, scope.ifm2, scope.ofm)
    return sum(view.shape.elements * scope.dtype(view).size_bytes for view in matrices)


def _products_of_a_row(scope: Scope) -> int:
    """How many there are for one row of the matrices with few of one batch."""
    depth = scope.ifm.shape.w if scope.op.options.flag("adj_x") else scope.ifm.shape.c
    _, _, rows, columns = scope.ofm.shape
    return depth * (rows if _is_exchanged(scope, rows, columns, depth) else columns)


def _is_exchanged(scope: Scope, rows: int, columns: int, depth: int) -> bool:
    """Whether rows of the right matrix are multiplied one by one."""
    is_faster = rows >= EXCHANGED_FROM * columns
    product_bytes = depth * (rows if is_faster else columns) * DType.INT32.size_bytes
    is_large = scope.saves_memory and product_bytes > _matrix_bytes(scope)
    return rows < columns if is_large else is_faster


def _left(scope: Scope, batch: int, count: int) -> _Matrices:
    """Matrices on the left, turned as the product needs them."""
    left = _Matrices.of(scope.ifm, batch, count)
    is_turned = scope.op.options.flag("adj_x")
    return _turned(scope, scope.ifm, left, f"turned_left{batch}") if is_turned else left


def _right(scope: Scope, batch: int, count: int) -> _Matrices:
    right = _Matrices.of(scope.ifm2, batch, count)
    is_turned = scope.op.options.flag("adj_y")
    return right if is_turned else _turned(scope, scope.ifm2, right, f"turned{right.batch}")


def _emit_constant_product(
    scope: Scope, left: _Matrices, made: _Matrices, constant: npt.NDArray[Any], batch: int
) -> None:
    is_by_rows = scope.op.options.flag("adj_y")
    weights = _weights(constant, batch, scope.ifm2, is_turned=not is_by_rows)
    product = matrix_product(left.whole, made.whole, weights)
    scope.emit(product.kind, product.ifm, product.ofm, f"product{batch}", weights=weights)


def _emit_turned_product(
    scope: Scope, constant: npt.NDArray[Any], right: _Matrices, made: _Matrices
) -> None:
    """Add the product of the turned matrices, and what turns it."""
    batch = made.batch
    is_turned = scope.op.options.flag("adj_x")
    weights = _weights(constant, batch, scope.ifm, is_turned=is_turned)
    shape = Shape4(1, 1, right.rows, made.rows)
    columns = scope.temporary(f"columns{batch}", shape, scope.dtype(scope.ofm), scope.ofm.quant)
    product = matrix_product(right.whole, columns, weights)
    # A part of a stack is seen in no other shape, and neither is what is made of it.
    ofm = product.ofm if right.whole.offset is None else columns
    scope.emit(product.kind, product.ifm, ofm, f"product{batch}", weights=weights)
    given, target = _Matrices.of(columns, 0).by_elements, _by_columns(scope, made)
    scope.emit(OpKind.AVERAGE_POOL, given, target, f"turned_product{batch}")


def _weights(
    constant: npt.NDArray[Any], batch: int, quantised_as: View, *, is_turned: bool
) -> Weights:
    """A matrix of constants, of which each row makes an output."""
    stack = constant.reshape(-1, *constant.shape[-2:])
    matrix = stack[batch % len(stack)]
    rows = matrix.T if is_turned else matrix
    scale, zero_point = scaling_of(quantised_as)
    return Weights(
        values=ConstData.of(np.ascontiguousarray(rows)[:, None, None, :]),
        scales=(scale,),
        zero_points=(zero_point,),
        bias=ConstData.of(np.zeros(len(rows), np.int32)),
    )


def _turned(scope: Scope, source: View, given: _Matrices, name: str) -> _Matrices:
    """Matrices of some input with columns as rows."""
    shape = Shape4(1, given.count, given.columns, given.rows)
    view = scope.temporary(name, shape, scope.dtype(source), source.quant)
    turned = _Matrices.of(view, 0, given.count)
    for place in range(given.count):
        one, other = given.single(place), turned.single(place)
        named = name if given.count == 1 else f"{name}_{place}"
        scope.emit(OpKind.AVERAGE_POOL, one.by_elements, _by_columns(scope, other), named)
    return turned


def _by_columns(scope: Scope, ofm: _Matrices) -> View:
    """All elements of one matrix, for whoever makes its columns as rows."""
    scope.draft.must_be_linear(ofm.view.fm, LinearReason.WRITTEN_BY_COLUMNS)
    # Before the exchange of its axes, what is written has the shape of what is read.
    _, h, w, c = ofm.view.shape
    target = replace(ofm.view, shape=Shape4(1, c, h * w, 1), is_transposed=True)
    if h == 1:
        return target
    return replace(target, offset=Shape4(0, 0, ofm.batch * w, 0), extent=Shape4(1, c, w, 1))


def _emit_product(scope: Scope, left: _Matrices, right: _Matrices, made: _Matrices) -> None:
    is_exchanged = _is_exchanged(scope, left.rows, right.rows, left.columns)
    few, many = (right, left) if is_exchanged else (left, right)
    if made.count > 1:
        _emit_rows_of_many(scope, few, many, made, is_exchanged=is_exchanged)
    elif is_exchanged:
        _emit_rows(scope, few, many, _by_columns(scope, made), made.batch)
    else:
        _emit_rows(scope, few, many, made.by_elements, made.batch)


def _emit_rows(scope: Scope, few: _Matrices, many: _Matrices, made: View, batch: int) -> None:
    """Add what makes each row of one matrix times each row of the other."""
    if scope.op.input(_BIAS) is None:
        _emit_sums(scope, few, range(few.rows), many, made, str(batch), _scaled(scope))
        return
    factor = stored_factor(scope, _factor(scope))
    step = max(1, MOST_SUMS // many.rows)
    for first in range(0, few.rows, step):
        rows = range(first, min(first + step, few.rows))
        name, shape = f"sums{batch}_{first}", (1, len(rows), many.rows, 1)
        sums = scope.temporary(name, shape, DType.INT32, UNSCALED)
        _emit_sums(scope, few, rows, many, sums, str(batch), {"scaling": None})
        sums = _with_bias(scope, sums, first, is_by_rows=few.view.fm != scope.ifm.fm)
        ofm = _rows(made, first, len(rows))
        emit_scaled(scope, sums, ofm, _factor(scope), _rounding(scope), factor)


def _emit_rows_of_many(
    scope: Scope, few: _Matrices, many: _Matrices, made: _Matrices, *, is_exchanged: bool
) -> None:
    """Add what makes each row of some matrices times each row of as many others: one command
    multiplies a row of each."""
    step = 1 if is_exchanged else max(1, _within_memory(scope, MOST_PRODUCTS) // many.elements)
    if is_exchanged:
        scope.draft.must_be_linear(made.view.fm, LinearReason.WRITTEN_BY_COLUMNS)
    for first in range(0, few.rows, step):
        rows = range(first, min(first + step, few.rows))
        name = f"{made.batch}_{first}"
        shape = Shape4(1, many.count, len(rows) * many.rows, many.columns)
        products = scope.temporary(f"products{name}", shape, DType.INT32, UNSCALED)
        for place, row in enumerate(rows):
            part = products
            if len(rows) > 1:
                at, extent = Shape4(0, 0, place * many.rows, 0), shape._replace(w=many.rows)
                part = replace(products, offset=at, extent=extent)
            named, right = f"products{made.batch}_{row}", few.row(row)
            scope.emit(OpKind.MUL, many.whole, part, named, ifm2=right, scaling=NO_SCALING)
        sums = made.column(first) if is_exchanged else made.in_one_row(first, len(rows))
        scope.emit(OpKind.REDUCE_SUM, products, sums, f"sums{name}", **_scaled(scope))


def _scaled(scope: Scope) -> OpDetails:
    """How sums become what is stored."""
    factor = _factor(scope)
    return {
        "scaling": ExplicitScaling(multiplier=factor.multiplier, shift=factor.shift),
        "rounding": _rounding(scope),
        "activation": scope.fused_activation,
    }


def _rounding(scope: Scope) -> Rounding:
    is_matrix_product = scope.op.options.flag(OF_FULLY_CONNECTED)
    return Rounding.NATURAL if is_matrix_product else Rounding.DOUBLE


def _with_bias(scope: Scope, sums: View, first: int, *, is_by_rows: bool) -> View:
    """Sums with what is added to each output, which are their rows or their columns."""
    bias = scope.op.input(_BIAS)
    if bias is None:
        return sums
    if is_by_rows:
        added = _rows(scope.input(_BIAS, (1, bias.elements, 1, 1)), first, sums.shape.h)
    else:
        added = scope.input(_BIAS, (1, 1, bias.elements, 1))
    added = replace(added, quant=UNSCALED)
    ofm = scope.temporary(f"biased{first}", sums.shape, DType.INT32, UNSCALED)
    return scope.emit(OpKind.ADD, sums, ofm, f"bias{first}", ifm2=added, scaling=NO_SCALING)


def _factor(scope: Scope) -> Multiplier:
    """What brings sums to the output's scale."""
    given, other, made = (scaling_of(view).scale for view in (scope.ifm, scope.ifm2, scope.ofm))
    if scope.op.options.flag(OF_FULLY_CONNECTED):
        return away_at_halves(quantise_scale(given * other / made))
    return quantise_scale(float(np.float32(given) * np.float32(other)) / made)


def _emit_sums(
    scope: Scope,
    few: _Matrices,
    rows: range,
    many: _Matrices,
    made: View,
    label: str,
    how: OpDetails,
) -> None:
    """Add what makes some rows of one matrix times each row of the other."""
    step = max(1, _within_memory(scope, MOST_PRODUCTS) // (many.rows * many.columns))
    for first in range(0, len(rows), step):
        some = rows[first : first + step]
        name, shape = f"{label}_{some.start}", Shape4(1, len(some), many.rows, many.columns)
        products = scope.temporary(f"products{name}", shape, DType.INT32, UNSCALED)
        for place, row in enumerate(some):
            part, right = _rows(products, place, 1), few.row(row)
            named = f"products{label}_{row}"
            scope.emit(OpKind.MUL, many.whole, part, named, ifm2=right, scaling=NO_SCALING)
        target = _rows(made, first, len(some))
        if len(some) == 1 and many.rows % 2 == 0 and not target.is_transposed:
            # Blocks have two rows, and one of them would stay empty.
            products, target = _halved(products), _halved(target)
        scope.emit(OpKind.REDUCE_SUM, products, target, f"sums{name}", **how)


def _rows(view: View, first: int, count: int) -> View:
    """Some rows of what a view touches."""
    touched = view.touched
    if count == touched.h:
        return view
    at = view.offset or Shape4(0, 0, 0, 0)
    return replace(
        view, offset=at._replace(h=at.h + first), extent=touched.with_hw(count, touched.w)
    )


def _halved(view: View) -> View:
    """One row as two halves, one below the other."""
    shape = _half(view.shape)
    if view.offset is None:
        return replace(view, shape=shape)
    return replace(
        view,
        shape=shape,
        offset=view.offset._replace(h=2 * view.offset.h),
        extent=_half(view.touched),
    )


def _half(shape: Shape4) -> Shape4:
    return shape.with_hw(2 * shape.h, shape.w // 2)
