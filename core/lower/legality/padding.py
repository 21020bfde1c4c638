"""Rules for PAD, PADV2 and MIRROR_PAD."""

from __future__ import annotations

from core.base.dtype import DType
from core.lower.legality.common import (
    SAME_SCALING,
    SAME_TYPE,
    constant_integers,
    ifm_of,
    takes_inputs,
)
from core.lower.legality.rule import Rule, listed, shapes_of, shown, types_of
from core.lower.slicing import integers
from core.lower.source import SourceOp

AMOUNT_TYPES = (DType.INT32, DType.INT64)
RANKS = (3, 4)
REFLECT = 0
"""Value of the schema's MirrorPadMode in which the edge itself is not repeated."""


def amounts_of(op: SourceOp) -> list[tuple[int, int]]:
    """How much is added before and after, for each dimension."""
    numbers = integers(op.input(1)) or ()
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _other_amounts_shape(op: SourceOp) -> str | None:
    amounts, rank = op.input(1), len(ifm_of(op).shape)
    fits = amounts is not None and rank in RANKS and amounts.shape == (rank, 2)
    return None if fits else shapes_of((ifm_of(op), amounts))


_AMOUNTS_FIT = Rule(
    text="Padding is given for each dimension of a picture",
    accepted=f"an input of {' or '.join(map(str, RANKS))} dimensions, two numbers for each",
    check=_other_amounts_shape,
)


def _other_amounts_type(op: SourceOp) -> str | None:
    amounts = op.input(1)
    return None if amounts and amounts.dtype in AMOUNT_TYPES else types_of([amounts])


_AMOUNTS_HAVE_TYPE = Rule(
    text="Padding is given in wide integers",
    accepted=listed(dtype.name.lower() for dtype in AMOUNT_TYPES),
    check=_other_amounts_type,
)


def _negative_amounts(op: SourceOp) -> str | None:
    negative = [pair for pair in amounts_of(op) if min(pair) < 0]
    return f"padding {negative[0]}" if negative else None


_AMOUNTS_ARE_POSITIVE = Rule(
    text="Padding adds elements", accepted="0 or more", check=_negative_amounts
)


def _other_output(op: SourceOp) -> str | None:
    pairs = zip(ifm_of(op).shape, amounts_of(op), strict=True)
    expected = tuple(dim + before + after for dim, (before, after) in pairs)
    return None if op.ofm.shape == expected else f"{shapes_of([op.ofm])}, not {shown(expected)}"


_OUTPUT_IS_PADDED = Rule(
    text="The output is the input and its padding",
    accepted="the input's shape plus the padding",
    check=_other_output,
)


def _padded_batch(op: SourceOp) -> str | None:
    first = amounts_of(op)[0]
    return f"batch padded by {first}" if len(ifm_of(op).shape) == 4 and any(first) else None


_BATCH_IS_NOT_PADDED = Rule(
    text="The batch is not padded",
    accepted="padding of height, width and depth",
    check=_padded_batch,
)


def _padded_depth(op: SourceOp) -> str | None:
    last = amounts_of(op)[-1]
    return f"depth padded by {last}" if any(last) else None


DEPTH_IS_NOT_MIRRORED = Rule(
    text="The depth is not padded by a mirror image",
    accepted="padding of height and width",
    check=_padded_depth,
)


def _beyond_mirror(op: SourceOp) -> str | None:
    skipped = 1 if op.options.integer("mode") == REFLECT else 0
    for dim, pair in zip(ifm_of(op).shape, amounts_of(op), strict=True):
        if any(pair) and max(pair) > dim - skipped:
            return f"padding {pair} of a dimension of {dim}"
    return None


_MIRROR_HAS_IMAGE = Rule(
    text="A mirror image is no larger than what it mirrors",
    accepted="padding up to the dimension, less 1 where the edge is left out",
    check=_beyond_mirror,
)

AMOUNTS = (
    SAME_TYPE,
    constant_integers("Padding is known beforehand", 1),
    _AMOUNTS_FIT,
    _AMOUNTS_HAVE_TYPE,
    _AMOUNTS_ARE_POSITIVE,
    _OUTPUT_IS_PADDED,
    _BATCH_IS_NOT_PADDED,
)
INPUTS = {"PAD": takes_inputs(2), "MIRROR_PAD": takes_inputs(2)}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "PAD": AMOUNTS,
    "MIRROR_PAD": (*AMOUNTS, _MIRROR_HAS_IMAGE, SAME_SCALING),
}
