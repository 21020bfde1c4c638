"""Operators whose output has the type of what they take, whatever a file gives it.

Interpreters copy or compute in that type and do not look at the output's. Of kinds that are not
here, LiteRT refuses another type itself, or makes it.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.check.shapes import moves

_REDUCTIONS = ("MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "SUM")
_ARITHMETIC = (
    *("ADD", "BATCH_MATMUL", "EXP", "MAXIMUM", "MINIMUM", "MUL", "NEG", "PRELU"),
    *("SQUARED_DIFFERENCE", "SUB", "UNIDIRECTIONAL_SEQUENCE_LSTM"),
)
_PARTS = ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "SPLIT_V")

TYPED_BY: Mapping[str, int] = {
    **dict.fromkeys(moves.SHAPES.keys() - {"FILL", "SHAPE"}, 0),
    **dict.fromkeys((*_REDUCTIONS, *_ARITHMETIC, *_PARTS), 0),
    "FILL": 1,
    "SPLIT": 1,
}
"""By kind of operator the input that has its outputs' type."""
