"""Rules for operators whose output has the input's elements under other coordinates."""

from __future__ import annotations

from core.lower.legality.common import (
    SAME_ELEMENTS,
    SAME_SCALING,
    SAME_TYPE,
    constant_integers,
    ifm_of,
    takes_inputs,
)
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of, shown
from core.lower.slicing import integers
from core.lower.source import SourceOp
from core.lower.turns import copied, turns
from core.target.limits import OperatorLimits

TRANSPOSITIONS: dict[int, dict[tuple[int, ...], int | None]] = {
    2: {(1, 0): None},
    3: {(1, 0, 2): None, (0, 2, 1): 0, (2, 1, 0): 1},
    4: {(0, 2, 1, 3): None, (0, 1, 3, 2): 1, (0, 3, 2, 1): 2},
}
"""By rank, orders that exchange two axes, each with the axis that must be 1 for it, if any."""


def _computed_shape(op: SourceOp) -> str | None:
    shape = op.input(1)
    return f"'{shape.name}' is computed at run time" if shape and shape.data is None else None


_SHAPE_IS_KNOWN = Rule(
    text="The new shape is known beforehand",
    accepted="a constant shape, or an option that holds it",
    check=_computed_shape,
)


def _no_new_shape(op: SourceOp) -> str | None:
    is_given = op.input(1) is not None or op.option("new_shape") is not None
    return None if is_given else "neither an input nor an option with the shape"


_SHAPE_IS_GIVEN = Rule(
    text="The new shape is given", accepted="a second input or an option", check=_no_new_shape
)


def _order(op: SourceOp) -> tuple[int, ...]:
    return integers(op.input(1)) or ()


def _no_order(op: SourceOp) -> str | None:
    order, rank = _order(op), len(ifm_of(op).shape)
    return None if sorted(order) == list(range(rank)) else f"{order} for {rank} dimensions"


_ORDER_NAMES_EACH_AXIS = Rule(
    text="The new order names every dimension once",
    accepted="each of 0 to the number of dimensions less 1",
    check=_no_order,
)


def _other_transposition(op: SourceOp) -> str | None:
    shape, order = ifm_of(op).shape, _order(op)
    known = TRANSPOSITIONS.get(len(shape), {})
    single = known.get(order)
    if order in known and (single is None or shape[single] == 1):
        return None
    return f"{shown(shape)} in the order {order}"


def _transpositions_text() -> str:
    texts = []
    for rank, orders in TRANSPOSITIONS.items():
        for order, single in orders.items():
            condition = "" if single is None else f" if dimension {single} is 1"
            texts.append(f"{order} of {rank}{condition}")
    return "the orders " + ", ".join(texts)


EXCHANGES_TWO = Rule(
    text="A transposition exchanges two dimensions that can be seen as height and width",
    accepted=_transpositions_text(),
    check=_other_transposition,
)
"""Asked where orders are those of the ecosystem's compiler; others take several steps."""


def _long_turn(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape, order = ifm_of(op).shape, _order(op)
    runs = copied(shape, order)
    # Heights and widths that are exchanged can be cut into parts; what is behind them cannot.
    sides = (
        [picture.c for picture in turns(shape, order)]
        if runs is None
        else [*runs.together, *runs.apart]
    )
    longest = max(sides, default=0)
    return f"a step of {longest}" if longest > limits.greatest_dimension else None


_TURNS_FIT = LimitRule(
    text="No step of a transposition is too long",
    accepted=lambda limits: f"runs of dimensions of up to {limits.greatest_dimension} elements",
    check=_long_turn,
)


def _other_transposed(op: SourceOp) -> str | None:
    shape = ifm_of(op).shape
    expected = tuple(shape[axis] for axis in _order(op))
    return None if op.ofm.shape == expected else f"{shapes_of([op.ofm])}, not {shown(expected)}"


_OUTPUT_IS_TRANSPOSED = Rule(
    text="The output has the input's dimensions in the new order",
    accepted="the input's shape, reordered",
    check=_other_transposed,
)

_RENAMING = (SAME_TYPE, SAME_SCALING, SAME_ELEMENTS)

INPUTS = {
    "RESHAPE": takes_inputs(1, 2, optional=(1,)),
    "SQUEEZE": takes_inputs(1),
    "EXPAND_DIMS": takes_inputs(1, 2, optional=(1,)),
    "TRANSPOSE": takes_inputs(2),
}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "RESHAPE": (_SHAPE_IS_GIVEN, *_RENAMING, _SHAPE_IS_KNOWN),
    "SQUEEZE": _RENAMING,
    "EXPAND_DIMS": _RENAMING,
    "TRANSPOSE": (
        SAME_TYPE,
        constant_integers("The new order is known beforehand", 1),
        _ORDER_NAMES_EACH_AXIS,
        _OUTPUT_IS_TRANSPOSED,
        _TURNS_FIT,
    ),
}
