"""MEAN: sums by depthwise convolutions of ones, then one product that divides and rescales.

a of 1x7x7xC -> MEAN over HxW -> b      becomes   a -> depthwise 7x7 of ones -> s (32 bits)
                                                  s -> MUL by scale / 49 -> b
a too large for one kernel              becomes   several such sums over bands of rows, ADDs of
                                                  them, and the product
a -> MEAN over C                        the same, with the channels taken for columns
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.base.dtype import DType
from core.base.fixedpoint import quantise_scale
from core.base.geometry import Kernel, Shape4
from core.ir.constdata import ConstData
from core.ir.npugraph import ExplicitScaling, OpKind, Rounding, View, Weights
from core.lower.rewrites.convolution import zero_bias
from core.lower.scope import IDENTITY, Scope
from core.lower.source import values

MOST_TAPS = 64 * 64
HIGHEST_KERNEL = 64

AS_IT_IS = ExplicitScaling(multiplier=1, shift=0)


@dataclass(frozen=True, slots=True)
class Reduction:
    """A sum over height, width or both of a picture."""

    shape: Shape4
    over_h: bool
    over_w: bool

    @property
    def kept(self) -> Shape4:
        """Shape of the result."""
        return self.shape.with_hw(
            1 if self.over_h else self.shape.h, 1 if self.over_w else self.shape.w
        )

    @property
    def elements(self) -> int:
        """How many elements go into each element of the result."""
        return (self.shape.h if self.over_h else 1) * (self.shape.w if self.over_w else 1)


def lower(scope: Scope) -> None:
    """Lower MEAN."""
    reduction, kept = reduction_of(scope)
    if reduction.elements == 1:
        is_same = scope.ifm.quant == scope.ofm.quant
        scope.emit(OpKind.COPY if is_same else OpKind.AVERAGE_POOL, scope.ifm, scope.ofm)
        return
    total = emit_sum(scope, reduction)
    factor, scaling = _division(scope, reduction.elements)
    scope.emit(
        OpKind.MUL,
        replace(total, shape=kept),
        replace(scope.ofm, shape=kept),
        ifm2=scope.constant("factor", [factor], DType.INT32),
        scaling=scaling,
        rounding=Rounding.DOUBLE,
    )


def reduction_of(scope: Scope) -> tuple[Reduction, Shape4]:
    """What to reduce, and the result's shape in the axes that the operator's input has."""
    tensor = scope.op.ifm
    dims = () if tensor is None else tensor.shape
    axes = values(scope.op.input(1))
    chosen = {int(axis) % len(dims) for axis in np.asarray(axes).reshape(-1)}
    shape = [*Shape4.of(dims)]
    over = [False] * (4 - len(dims)) + [axis in chosen for axis in range(len(dims))]
    kept = Shape4(*(1 if flag else dim for flag, dim in zip(over, shape, strict=True)))
    if over[3] and shape[3] > 1:
        # One of height and width is a single row or column: the channels can take its place.
        idle = 2 if shape[2] == 1 else 1
        for items, filler in ((shape, 1), (over, False)):
            del items[idle]
            items.append(filler)
    return Reduction(Shape4(*shape), over_h=over[1], over_w=over[2]), kept


def emit_sum(scope: Scope, reduction: Reduction) -> View:
    """Add the operators that sum, in 32 bits; the sum's zero point is gone."""
    shape = reduction.shape
    height = shape.h if reduction.over_h else 1
    width = shape.w if reduction.over_w else 1
    in_one_row = reduction.over_h and reduction.over_w and height * width <= MOST_TAPS
    if height > HIGHEST_KERNEL and in_one_row:
        shape = Shape4(shape.n, 1, height * width, shape.c)
        height, width = 1, height * width
    rows = min(MOST_TAPS // width, height, HIGHEST_KERNEL)
    bands = [
        _emit_band(scope, replace(reduction, shape=shape), start, min(rows, height - start), width)
        for start in range(0, height, rows)
    ]
    return _emit_adds(scope, bands)


def _emit_band(scope: Scope, reduction: Reduction, start: int, rows: int, width: int) -> View:
    shape = reduction.shape
    extent = shape.with_hw(
        rows if reduction.over_h else shape.h, width if reduction.over_w else shape.w
    )
    made = scope.temporary(f"sum{start}", reduction.kept, DType.INT32, IDENTITY)
    ifm = replace(scope.ifm, shape=shape, offset=Shape4(0, start, 0, 0), extent=extent)
    ones = np.ones((shape.c, rows, width, 1), np.uint8)
    weights = Weights(
        values=ConstData.of(ones),
        scales=(1.0,),
        zero_points=(0,),
        bias=zero_bias(scope, shape.c),
    )
    return scope.emit(
        OpKind.DEPTHWISE_CONV_2D,
        ifm,
        made,
        f"sum{start}",
        kernel=Kernel(h=rows, w=width),
        weights=weights,
        scaling=AS_IT_IS,
    )


def _emit_adds(scope: Scope, bands: Sequence[View]) -> View:
    *rest, total = bands
    for index, band in enumerate(reversed(rest)):
        first, second = (total, band) if index == 0 else (band, total)
        made = scope.temporary(f"total{index}", band.shape, DType.INT32, IDENTITY)
        total = scope.emit(OpKind.ADD, first, made, f"total{index}", ifm2=second, scaling=AS_IT_IS)
    return total


def _division(scope: Scope, elements: int) -> tuple[int, ExplicitScaling]:
    """Factor and shift that divide by the number of elements and rescale.

    The reference kernel folds the division into the multiplier, after shifting it left as far as
    32 bits allow; what it loses there it loses here.
    """
    given, made = scope.ifm.quant, scope.ofm.quant
    ratio = _scale_or_one(given) / _scale_or_one(made)
    factor = quantise_scale(ratio)
    left_shift = 31 - factor.shift
    room = min(elements.bit_length() - 1, 32, 31 + left_shift)
    divided = (factor.multiplier << room) // elements
    return divided, ExplicitScaling(multiplier=1, shift=31 - (left_shift - room))


def _scale_or_one(quant: object) -> float:
    scale = getattr(quant, "scale", None)
    return 1.0 if scale is None else float(scale)
