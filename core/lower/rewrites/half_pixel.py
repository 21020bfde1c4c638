"""Bilinear doubling with half-pixel centres.

Each output element lies a quarter of the way between its two neighbours along each axis, so four
kernels of 2x2 suffice: one for each of the four outputs that an input element has around it. Each
convolution pads by repeating the edge, and writes every second row and column.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, replace
from core.base.geometry import ORIGIN, Kernel, Padding
from core.ir.constdata import ConstData
from core.ir.npugraph import LinearReason, OpKind, Rounding, Weights
from core.lower.scope import Scope

SIXTEENTHS = 16
"""The product of two weights of quarters."""


class _Corner(Frozen, kw_only=False):
    """One of the four outputs around an input element."""

    row: int
    column: int
    padding: Padding
    taps: npt.NDArray[np.int8]


def emit_half_pixel(scope: Scope) -> None:
    """Add the convolutions that double rows and columns."""
    ifm, ofm, dtype = scope.ifm, scope.ofm, scope.dtype(scope.ofm)
    source = scope.temporary("source", ifm.shape, scope.dtype(ifm), ofm.quant)
    scope.emit(OpKind.AVERAGE_POOL, ifm, source, "source")
    scope.draft.must_be_linear(ofm.fm, LinearReason.WRITTEN_IN_STEPS)
    pixel_bytes = ofm.shape.c * dtype.size_bytes
    for corner in _corners():
        first = (corner.row * ofm.shape.w + corner.column) * pixel_bytes
        scope.emit(
            OpKind.DEPTHWISE_CONV_2D,
            replace(source, is_raw=True),
            replace(
                ofm,
                is_raw=True,
                offset=ORIGIN,
                extent=ifm.shape,
                step_h=2,
                step_w=2,
                base_offset_bytes=first,
            ),
            f"corner{corner.row}{corner.column}",
            kernel=Kernel(h=2, w=2),
            padding=corner.padding,
            pads_with_edge=True,
            weights=_same_for_all(corner.taps, ifm.shape.c),
            rounding=Rounding.AWAY_FROM_ZERO,
        )


def _corners() -> Iterator[_Corner]:
    near, far = 3, 1
    for row in (0, 1):
        for column in (0, 1):
            vertical = np.array([far, near] if row == 0 else [near, far], np.int8)
            horizontal = np.array([far, near] if column == 0 else [near, far], np.int8)
            padding = Padding(top=1 - row, left=1 - column, bottom=row, right=column)
            yield _Corner(row, column, padding, np.outer(vertical, horizontal))


def _same_for_all(taps: npt.NDArray[np.int8], depth: int) -> Weights:
    values = np.broadcast_to(taps[None, :, :, None], (depth, 2, 2, 1))
    return Weights(
        values=ConstData.of(np.ascontiguousarray(values)),
        scales=(1.0 / SIXTEENTHS,),
        zero_points=(0,),
        bias=ConstData.of(np.zeros(depth, np.int32)),
    )
