"""Rules for SLICE and STRIDED_SLICE."""

from __future__ import annotations

from math import prod

from core.base.geometry import Shape4
from core.lower.legality.common import SAME_TYPE, constant_integers, ifm_of, takes_inputs
from core.lower.legality.rule import Rule, shapes_of, shown
from core.lower.slicing import integers, mentioned_axes, slice_box
from core.lower.source import SourceOp


def _other_length(op: SourceOp) -> str | None:
    rank = len(ifm_of(op).shape)
    lengths = [len(integers(tensor) or ()) for tensor in op.inputs[1:]]
    if op.kind == "SLICE":
        fits = lengths == [rank] * 2
    else:
        fits = len(set(lengths)) == 1 and len(list(mentioned_axes(op, lengths[0]))) <= rank
    return None if fits else f"{shown(lengths)} numbers for {rank} dimensions"


_BOX_FITS_RANK = Rule(
    text="Begin, end and step are given for the input's dimensions",
    accepted="a number for each dimension of the input",
    check=_other_length,
)


def _ellipsis(op: SourceOp) -> str | None:
    mask = op.options.integer("ellipsis_mask")
    return f"ellipsis mask {mask}" if mask else None


_NO_ELLIPSIS = Rule(
    text="Every dimension of the slice is spelt out",
    accepted="an ellipsis mask of 0",
    check=_ellipsis,
)


def _adds_and_drops(op: SourceOp) -> str | None:
    new, shrink = op.options.integer("new_axis_mask"), op.options.integer("shrink_axis_mask")
    return f"new axis mask {new}, shrink axis mask {shrink}" if new and shrink else None


_ADDS_OR_DROPS = Rule(
    text="A slice adds dimensions or drops some, not both",
    accepted="a new axis mask of 0 or a shrink axis mask of 0",
    check=_adds_and_drops,
)


def _relative_end(op: SourceOp) -> str | None:
    return "ends count from the begin" if op.options.flag("offset") else None


_ENDS_ARE_ABSOLUTE = Rule(
    text="Ends are positions in the input",
    accepted="the option offset not set",
    check=_relative_end,
)


def _empty_box(op: SourceOp) -> str | None:
    box, shape = slice_box(op), ifm_of(op).shape
    fits = all(
        0 <= start < stop <= size
        for start, stop, size in zip(box.begin, box.end, shape, strict=True)
    )
    return None if fits else f"from {shown(box.begin)} up to {shown(box.end)} of {shown(shape)}"


_BOX_LIES_INSIDE = Rule(
    text="The slice takes some of the input",
    accepted="an end after the begin, both inside the input",
    check=_empty_box,
)


def _other_steps(op: SourceOp) -> str | None:
    steps = slice_box(op).strides
    full = Shape4.of(steps)
    fits = full.n == full.c == 1 and min(full) >= 1
    return None if fits else f"steps {shown(steps)}"


_STEPS_ARE_SPATIAL = Rule(
    text="Only rows and columns are skipped, and none backwards",
    accepted="steps of 1 along batch and depth, of 1 or more along height and width",
    check=_other_steps,
)


def _other_slice(op: SourceOp) -> str | None:
    extent = slice_box(op).extent
    return None if prod(extent) == op.ofm.elements else f"{shown(extent)}; {shapes_of([op.ofm])}"


_OUTPUT_IS_SLICE = Rule(
    text="The output is as large as what the slice takes",
    accepted="an output with the slice's number of elements",
    check=_other_slice,
)

_BOX = (_BOX_FITS_RANK, _BOX_LIES_INSIDE)

INPUTS = {"SLICE": takes_inputs(3), "STRIDED_SLICE": takes_inputs(4)}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "SLICE": (
        SAME_TYPE,
        constant_integers("Begin and size of a slice are known beforehand", 1, 2),
        *_BOX,
        _OUTPUT_IS_SLICE,
    ),
    "STRIDED_SLICE": (
        SAME_TYPE,
        constant_integers("Begin, end and step of a slice are known beforehand", 1, 2, 3),
        _NO_ELLIPSIS,
        _ADDS_OR_DROPS,
        _ENDS_ARE_ABSOLUTE,
        *_BOX,
        _STEPS_ARE_SPATIAL,
        _OUTPUT_IS_SLICE,
    ),
}
