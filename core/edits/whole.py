"""Rows that a stream makes apart, put back to the operator that they belong to."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import replace
from core.edits.told import ToldOp

_MOST_BETWEEN = 12
"""Operators of a cascade after which its rows are still looked for."""


def whole(told: Sequence[ToldOp]) -> tuple[ToldOp, ...]:
    """Operators with the rows that they make when others of their cascade are done.

    In a stream these stand apart, where fewer of them are left than a stripe has.
    """
    return tuple(op for op, _ in pieces(told))


def pieces(told: Sequence[ToldOp]) -> tuple[tuple[ToldOp, tuple[int, ...]], ...]:
    """The same, each with the places of what it was put together from."""
    found: list[tuple[ToldOp, tuple[int, ...]]] = []
    for place, op in enumerate(told):
        near = range(len(found) - 1, max(len(found) - _MOST_BETWEEN, 0) - 1, -1)
        at = next((at for at in near if _goes_on(found[at][0], op)), None)
        if at is None:
            found.append((op, (place,)))
        else:
            begun, places = found[at]
            found[at] = _joined(begun, op), (*places, place)
    return tuple(found)


def _goes_on(op: ToldOp, rest: ToldOp) -> bool:
    """Whether some rows may be the last of an operator in a cascade."""
    one, other = op.sign, rest.sign
    return (
        op.cascade is not None
        and rest.cascade is None
        and op.island == rest.island
        and (one.kernel, one.has_weights, op.depths)
        == (other.kernel, other.has_weights, rest.depths)
        and one.ofm[0][2:] == other.ofm[0][2:]
        and one.ifm[0][2:] == other.ifm[0][2:]
        and other.ofm[0].h < op.stripe_rows
    )


def _joined(op: ToldOp, rest: ToldOp) -> ToldOp:
    """An operator with some more rows; a buffer that seemed to hold the whole map may be higher."""
    ifm, ofm = op.sign.ifm[0], op.sign.ofm[0]
    whole_ifm = ifm.with_hw(ifm.h + rest.sign.ifm[0].h, ifm.w)
    whole_ofm = ofm.with_hw(ofm.h + rest.sign.ofm[0].h, ofm.w)
    return replace(
        op,
        sign=replace(op.sign, ifm=(whole_ifm,), ofm=(whole_ofm,)),
        rolling_rows=whole_ofm.h if op.rolling_rows == ofm.h else op.rolling_rows,
    )
