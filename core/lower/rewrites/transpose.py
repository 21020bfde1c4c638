"""A transposition of two axes: a copy that steps through its output by columns.

a of WxC -> TRANSPOSE -> b of CxW      becomes   a seen as 1xWxCx1, written with height and
                                                 width exchanged
"""

from __future__ import annotations

from dataclasses import replace

from core.base.geometry import Shape4
from core.ir.npugraph import LinearReason, OpKind
from core.lower.scope import Scope
from core.lower.source import values


def lower(scope: Scope) -> None:
    """Lower TRANSPOSE, where the axes that change places can be taken for height and width."""
    given = values(scope.op.ifm2)
    order = () if given is None else tuple(int(axis) for axis in given.reshape(-1))
    tensor = scope.op.ifm
    shape = as_picture(() if tensor is None else tensor.shape, order)
    scope.draft.must_be_linear(scope.ofm.fm, LinearReason.WRITTEN_BY_COLUMNS)
    scope.emit(
        OpKind.AVERAGE_POOL,
        replace(scope.ifm, shape=shape),
        replace(scope.ofm, shape=shape, is_transposed=True),
    )


def as_picture(shape: tuple[int, ...], order: tuple[int, ...]) -> Shape4:
    """The input seen such that the exchanged axes are height and width."""
    if len(shape) == 2:
        return Shape4(1, shape[0], shape[1], 1)
    if len(shape) == 3:
        return _picture_of_three(shape, order)
    _, height, width, depth = shape
    if order[1:3] == (2, 1):
        return Shape4(*shape)
    if height == 1 and order[2:] == (3, 2):
        return Shape4(1, width, depth, 1)
    return Shape4(1, height, depth, 1)


def _picture_of_three(shape: tuple[int, ...], order: tuple[int, ...]) -> Shape4:
    height, width, depth = shape
    if order[:2] == (1, 0):
        return Shape4(1, height, width, depth)
    if height == 1 and order[1:] == (2, 1):
        return Shape4(1, width, depth, 1)
    return Shape4(1, height, depth, 1)
