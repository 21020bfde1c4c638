"""What many rewrites copy with: a pooling operator of one element is a copy that rescales."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.npugraph import OpKind, View
from core.lower.scope import Scope


def copy_into(scope: Scope, ifm: View, ofm: View, at: Shape4, name: str = "") -> None:
    """Write all that a view of the input touches into the output, from a position on."""
    part = replace(ofm, offset=at, extent=ifm.touched)
    scope.emit(OpKind.AVERAGE_POOL, ifm, part, name)


def along(axis: int, amount: int) -> Shape4:
    """A position that is `amount` along one of the four axes."""
    position = [0, 0, 0, 0]
    position[axis] = amount
    return Shape4(*position)


def axis_in_four(axis: int, rank: int) -> int:
    """Which of the four axes an axis is, in a tensor of some rank; negative ones count back."""
    return (axis % rank) + (4 - rank)
