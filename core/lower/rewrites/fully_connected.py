"""FULLY_CONNECTED: rows of a matrix, laid out so that the weights are read as seldom as possible.

a of 1x1xC                 becomes   one vector product
a of 4, 6, 8, 9, 12, 16 rows         becomes   the rows as a small picture of one element each
a of more than four other rows       becomes   CONV_2D of 1x1, whose weights can be buffered
"""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Kernel, Shape4
from core.ir.npugraph import OpKind, View, Weights
from core.lower.rewrites.convolution import Convolution, stored_weights, weights_of
from core.lower.rewrites.windowed import emit_convolution
from core.lower.scope import Scope

PICTURES = {4: (2, 2), 6: (2, 3), 8: (2, 4), 9: (3, 3), 12: (3, 4), 16: (4, 4)}
"""Heights and widths for numbers of rows that a block of the hardware can hold at once."""

MOST_ROWS_IN_A_LINE = 4


def lower(scope: Scope) -> None:
    """Lower FULLY_CONNECTED."""
    stored = stored_weights(scope)
    outputs, depth = stored.shape[0], stored.shape[-1]
    weights = weights_of(scope, stored.reshape(outputs, 1, 1, depth))
    emit_convolution(scope, matrix_product(scope.ifm, scope.ofm, weights))


def matrix_product(ifm: View, ofm: View, weights: Weights) -> Convolution:
    """The product of every row of the input with the weights."""
    outputs, _, _, depth = weights.values.shape
    rows = ifm.touched.elements // depth
    height, width = PICTURES.get(rows, (1, rows))
    is_long = height == 1 and width > MOST_ROWS_IN_A_LINE
    return Convolution(
        kind=OpKind.CONV_2D if is_long else OpKind.FULLY_CONNECTED,
        ifm=_as_picture(ifm, height, width, depth),
        ofm=_as_picture(ofm, height, width, outputs),
        kernel=Kernel(),
        weights=weights,
    )


def _as_picture(view: View, height: int, width: int, depth: int) -> View:
    if view.offset is not None:
        return view
    return replace(view, shape=Shape4(1, height, width, depth))
