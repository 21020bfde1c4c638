"""Rules for operators that put tensors together along an axis, or take them apart."""

from __future__ import annotations

from core.base.frozen import replace
from core.lower.legality.common import (
    SAME_INPUT_TYPES,
    SAME_SCALING,
    SAME_TYPE,
    axis_text,
    axis_within,
    constant_integers,
    ifm_of,
    operands,
    takes_inputs,
    takes_some_inputs,
)
from core.lower.legality.factors import JOINED
from core.lower.legality.rule import Rule, shapes_of, shown
from core.lower.slicing import integers
from core.lower.source import SourceOp, axis_of


def _no_such_axis(op: SourceOp) -> str | None:
    axis = op.options.integer("axis")
    missing = axis_within(axis, len(op.ofm.shape)) is None
    return axis_text(axis, op.ofm) if missing else None


_AXIS_IS_OUTPUTS = Rule(
    text="The axis is one of the output's",
    accepted="an axis of the output, from the start or the end",
    check=_no_such_axis,
)


def _parts_do_not_join(op: SourceOp) -> str | None:
    made = op.ofm.shape
    axis = op.options.integer("axis") % len(made)
    frame = (*made[:axis], *made[axis + 1 :])
    parts = [tensor.shape for tensor in operands(op)]
    fits = all(
        len(part) == len(made) and (*part[:axis], *part[axis + 1 :]) == frame for part in parts
    )
    if fits and sum(part[axis] for part in parts) == made[axis]:
        return None
    return f"{axis_text(axis, op.ofm)}; {shapes_of(operands(op))}"


_PARTS_JOIN = Rule(
    text="The inputs, one after the other, are the output",
    accepted="inputs of the output's shape but for the axis, along which they add up to it",
    check=_parts_do_not_join,
)


def _parts_do_not_stack(op: SourceOp) -> str | None:
    made = op.ofm.shape
    axis = op.options.integer("axis") % len(made)
    frame = (*made[:axis], *made[axis + 1 :])
    fits = all(t.shape == frame for t in operands(op)) and len(op.inputs) == made[axis]
    return None if fits else f"{len(op.inputs)} inputs; {shapes_of((ifm_of(op), op.ofm))}"


_PARTS_STACK = Rule(
    text="The inputs, stacked, are the output",
    accepted="as many inputs as the axis is long, of the output's other dimensions",
    check=_parts_do_not_stack,
)


def _no_such_input_axis(op: SourceOp) -> str | None:
    ifm, axis = ifm_of(op), _axis(op)
    return axis_text(axis, ifm) if axis_within(axis, len(ifm.shape)) is None else None


def _axis(op: SourceOp) -> int:
    """The axis of SPLIT and SPLIT_V, which is an input, or of UNPACK, which is an option."""
    if op.kind == "UNPACK":
        return op.options.integer("axis")
    return axis_of(op.input(0 if op.kind == "SPLIT" else 2))


_AXIS_IS_INPUTS = Rule(
    text="The axis is one of the input's",
    accepted="an axis of the input, from the start or the end",
    check=_no_such_input_axis,
)


def _no_axis(op: SourceOp) -> str | None:
    numbers = integers(op.input(0 if op.kind == "SPLIT" else 2))
    if numbers is None:
        return "the axis is computed at run time"
    return None if len(numbers) == 1 else f"{len(numbers)} axes"


_AXIS_IS_KNOWN = Rule(
    text="The axis is known beforehand", accepted="one constant integer", check=_no_axis
)


def _other_count(op: SourceOp) -> str | None:
    count, made = op.options.integer("num_splits"), len(op.outputs)
    return None if count == made else f"{count} parts asked for, {made} outputs"


_COUNT_IS_OUTPUTS = Rule(
    text="There is an output for each part",
    accepted="as many outputs as the operator says",
    check=_other_count,
)


def _unequal_parts(op: SourceOp) -> str | None:
    ifm, axis, count = ifm_of(op), _axis(op), len(op.outputs)
    return f"{axis_text(axis, ifm)} in {count} parts" if ifm.shape[axis] % count else None


_PARTS_ARE_EQUAL = Rule(
    text="The axis falls into equal parts",
    accepted="a length that is a multiple of the number of parts",
    check=_unequal_parts,
)


def _open_sizes(op: SourceOp) -> str | None:
    sizes = integers(op.input(1)) or ()
    if sizes.count(-1) > 1:
        return f"sizes {shown(sizes)}"
    return None if len(sizes) == len(op.outputs) else f"{len(sizes)} sizes"


_SIZES_ARE_GIVEN = Rule(
    text="Sizes of the parts are given, but for one",
    accepted="a size for each output, at most one of them -1",
    check=_open_sizes,
)


def _parts_do_not_split(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    axis = _axis(op) % len(ifm.shape)
    frame = (*ifm.shape[:axis], *ifm.shape[axis + 1 :])
    parts = [tensor.shape for tensor in op.outputs]
    fits = all(
        len(part) == len(ifm.shape) and (*part[:axis], *part[axis + 1 :]) == frame for part in parts
    )
    if fits and sum(part[axis] for part in parts) == ifm.shape[axis]:
        return None
    return f"{axis_text(axis, ifm)}; {shapes_of(op.outputs)}"


_PARTS_SPLIT = Rule(
    text="The outputs, one after the other, are the input",
    accepted="outputs of the input's shape but for the axis, along which they add up to it",
    check=_parts_do_not_split,
)


def _parts_do_not_unstack(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    axis = _axis(op) % len(ifm.shape)
    frame = (*ifm.shape[:axis], *ifm.shape[axis + 1 :])
    fits = len(op.outputs) == ifm.shape[axis] and all(t.shape == frame for t in op.outputs)
    return None if fits else f"{len(op.outputs)} outputs; {shapes_of((ifm, op.ofm))}"


_PARTS_UNSTACK = Rule(
    text="The outputs are all slices of the input along the axis",
    accepted="as many outputs as the axis is long, of the input's other dimensions",
    check=_parts_do_not_unstack,
)


def _other_signed_scaling(op: SourceOp) -> str | None:
    return SAME_SCALING.check(op) if op.ofm.dtype.is_signed else None


_SIGNED_SHARE_SCALING = replace(SAME_SCALING, check=_other_signed_scaling)
"""The reference kernel rescales unsigned inputs only, and refuses others."""

INPUTS = {
    "CONCATENATION": takes_some_inputs(),
    "PACK": takes_some_inputs(),
    "SPLIT": takes_inputs(2),
    "SPLIT_V": takes_inputs(3),
    "UNPACK": takes_inputs(1),
}
SPECIFIC: dict[str, tuple[Rule, ...]] = {
    "CONCATENATION": (
        SAME_TYPE,
        SAME_INPUT_TYPES,
        _AXIS_IS_OUTPUTS,
        _PARTS_JOIN,
        _SIGNED_SHARE_SCALING,
        JOINED,
    ),
    "PACK": (SAME_TYPE, SAME_INPUT_TYPES, _AXIS_IS_OUTPUTS, _PARTS_STACK, SAME_SCALING),
    "SPLIT": (
        SAME_TYPE,
        _AXIS_IS_KNOWN,
        _AXIS_IS_INPUTS,
        _COUNT_IS_OUTPUTS,
        _PARTS_ARE_EQUAL,
        _PARTS_SPLIT,
    ),
    "SPLIT_V": (
        SAME_TYPE,
        constant_integers("The list of sizes is known beforehand", 1),
        _AXIS_IS_KNOWN,
        _AXIS_IS_INPUTS,
        _COUNT_IS_OUTPUTS,
        _SIZES_ARE_GIVEN,
        _PARTS_SPLIT,
    ),
    "UNPACK": (SAME_TYPE, _AXIS_IS_INPUTS, _PARTS_UNSTACK, SAME_SCALING),
}
