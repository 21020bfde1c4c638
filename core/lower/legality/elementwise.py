"""Rules for arithmetic on elements."""

from __future__ import annotations

from itertools import zip_longest
from math import prod

from core.lower.forms.form import MOST_PIECES
from core.lower.legality.common import (
    SAME_INPUT_TYPES,
    SAME_SCALING,
    SAME_SHAPE,
    SAME_TYPE,
    operands,
    scaling_of,
    takes_inputs,
)
from core.lower.legality.factors import MULTIPLIED, RESCALED
from core.lower.legality.rule import Rule, shapes_of
from core.lower.operands import parts_along
from core.lower.source import SourceOp, values


def _no_full_input(op: SourceOp) -> str | None:
    is_full = any(tensor.shape == op.ofm.shape for tensor in operands(op))
    return None if is_full else shapes_of((*operands(op), op.ofm))


ONE_INPUT_IS_FULL = Rule(
    text="Only one of the inputs is spread",
    accepted="an input of the output's shape",
    check=_no_full_input,
)


def _many_parts(op: SourceOp) -> str | None:
    is_known = any(values(tensor) is not None for tensor in operands(op))
    fits = is_known or prod(parts_along(*(t.shape for t in (*operands(op), op.ofm)))) <= MOST_PIECES
    return None if fits else _no_full_input(op)


_FEW_PARTS_HAVE_A_FULL_INPUT = Rule(
    text="Only one of the inputs is spread, or few parts are made one by one",
    accepted="an input of the output's shape, or a constant, which is spread beforehand, or up to"
    f" {MOST_PIECES} places along dimensions where an input has one element",
    check=_many_parts,
)


def _not_spread(op: SourceOp) -> str | None:
    dims = zip_longest(*(reversed(t.shape) for t in (*operands(op), op.ofm)), fillvalue=1)
    fits = all(
        made == max(given) and all(dim in (1, made) for dim in given) for *given, made in dims
    )
    return None if fits else shapes_of((*operands(op), op.ofm))


SPREADS_ONES = Rule(
    text="An input is spread along dimensions where it has one element",
    accepted="dimensions that are 1 or the output's",
    check=_not_spread,
)


_SUM_BITS = {8: 20, 16: 15}
"""By the width of inputs: how far the reference shifts them up before it adds them."""


def _grown(op: SourceOp) -> str | None:
    bits = _SUM_BITS.get(op.ofm.dtype.bits)
    scalings = [scaling_of(tensor) for tensor in (*operands(op), op.ofm)]
    if bits is None or None in scalings:
        return None
    *given, made = (scaling[0][0] for scaling in scalings if scaling is not None)
    factor = 2 * max(given) / (made * (1 << bits))
    return None if factor < 1 else f"a factor of {factor:.3g}"


SUM_SHRINKS = Rule(
    text="A sum is brought to the output's scale by a factor below one",
    accepted="a larger output scale; the reference makes one of zero otherwise",
    check=_grown,
)


UNARY = (SAME_SHAPE, SAME_TYPE)
_ARITHMETIC = (_FEW_PARTS_HAVE_A_FULL_INPUT, SAME_INPUT_TYPES, SAME_TYPE, SPREADS_ONES)
_EXTREME = (_FEW_PARTS_HAVE_A_FULL_INPUT, SAME_TYPE, SAME_INPUT_TYPES, SAME_SCALING, SPREADS_ONES)

BINARY = frozenset({"ADD", "SUB", "MUL", "MINIMUM", "MAXIMUM", "SQUARED_DIFFERENCE"})
INPUTS = {"ABS": takes_inputs(1), **dict.fromkeys(BINARY, takes_inputs(2))}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "ABS": (*UNARY, RESCALED),
    "ADD": (*_ARITHMETIC, SUM_SHRINKS),
    "SUB": (*_ARITHMETIC, SUM_SHRINKS),
    "MUL": (*_ARITHMETIC, MULTIPLIED),
    "MINIMUM": _EXTREME,
    "MAXIMUM": _EXTREME,
    "SQUARED_DIFFERENCE": _ARITHMETIC,
}
