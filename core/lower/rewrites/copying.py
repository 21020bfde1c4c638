"""What many rewrites copy with: a pooling operator of one element is a copy that rescales.

Pools have no elements of 32 bits. Sums have, and nothing added to them is a copy as well.
"""

from __future__ import annotations

from core.base.dtype import DType
from core.base.frozen import replace
from core.base.geometry import Shape4
from core.ir.npugraph import OpKind, View
from core.lower.scaling import NO_SCALING
from core.lower.scope import IDENTITY, Scope


def copy_into(scope: Scope, ifm: View, ofm: View, at: Shape4, name: str = "") -> None:
    """Write all that a view of the input touches into the output, from a position on."""
    part = replace(ofm, offset=at, extent=ifm.touched)
    scope.emit(OpKind.AVERAGE_POOL, ifm, part, name)


def move(scope: Scope, source: View, target: View, name: str = "") -> None:
    """Write what is read, in whatever width."""
    if scope.dtype(source) is not DType.INT32:
        scope.emit(OpKind.AVERAGE_POOL, source, target, name)
        return
    zero = scope.constant(f"{name}zero", 0, DType.INT32)
    given, made = (replace(view, quant=IDENTITY) for view in (source, target))
    scope.emit(OpKind.ADD, given, made, name, ifm2=zero, scaling=NO_SCALING)


def along(axis: int, amount: int) -> Shape4:
    """A position that is `amount` along one of the four axes."""
    position = [0, 0, 0, 0]
    position[axis] = amount
    return Shape4(*position)


def axis_in_four(axis: int, rank: int) -> int:
    """Which of the four axes an axis is, in a tensor of some rank; negative ones count back."""
    return (axis % rank) + (4 - rank)
