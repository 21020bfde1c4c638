"""Rules for MEAN, ARG_MAX and SOFTMAX."""

from __future__ import annotations

from math import prod

from core.base.dtype import DType
from core.base.geometry import Shape4
from core.lower.legality.common import (
    SAME_SHAPE,
    SAME_TYPE,
    STORES_SHARES,
    axis_within,
    constant_integers,
    ifm_of,
    input_type,
    output_type,
    scaling_of,
    scaling_text,
    takes_inputs,
)
from core.lower.legality.factors import AVERAGED, STEEPENED
from core.lower.legality.rule import AnyRule, LimitRule, Rule, shapes_of, shown
from core.lower.slicing import integers
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits

MEAN_RANKS = (2, 3, 4)


def axes_of(op: SourceOp) -> tuple[int, ...]:
    """The axes along which a reduction goes, counted from the start where there are such."""
    rank = len(ifm_of(op).shape)
    given = integers(op.input(1)) or ()
    return tuple(axis if (found := axis_within(axis, rank)) is None else found for axis in given)


def _reduction_text(op: SourceOp) -> str:
    return f"axes {axes_of(op)} of {shown(ifm_of(op).shape)}"


def _other_rank(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    return None if len(ifm.shape) in MEAN_RANKS else shapes_of([ifm])


_MEAN_RANK = Rule(
    text="The input of a mean has some dimensions",
    accepted=f"{MEAN_RANKS[0]} to {MEAN_RANKS[-1]} dimensions",
    check=_other_rank,
)


def _no_such_axes(op: SourceOp) -> str | None:
    axes, rank = axes_of(op), len(ifm_of(op).shape)
    is_some = bool(axes) and all(0 <= axis < rank for axis in axes)
    return None if is_some and len(set(axes)) == len(axes) else _reduction_text(op)


_AXES_ARE_INPUTS = Rule(
    text="The reduced axes are some of the input's",
    accepted="axes that it has, each once",
    check=_no_such_axes,
)


def _reduced_depth(op: SourceOp) -> str | None:
    shape = ifm_of(op).shape
    is_reduced = len(shape) > 2 and len(shape) - 1 in axes_of(op)
    return _reduction_text(op) if is_reduced and 1 not in shape[-3:] else None


DEPTH_IS_REDUCED_ALONG_ONE = Rule(
    text="The depth is reduced only where height, width or depth is 1",
    accepted="axes without the depth, or an input with a dimension of 1",
    check=_reduced_depth,
)


def _many_pixels(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape = Shape4.of(ifm_of(op).shape)
    is_alone = axes_of(op) == (len(ifm_of(op).shape) - 1,)
    fits = not is_alone or shape.h * shape.w <= limits.greatest_dimension
    return None if fits else _reduced_depth(op)


_PIXELS_OF_DEPTH_FIT = LimitRule(
    text="The pixels of a depth that is reduced alone fit one dimension",
    accepted=lambda limits: (
        f"up to {limits.greatest_dimension} pixels; or an input with a dimension of 1"
    ),
    check=_many_pixels,
)


def _many_reduced(op: SourceOp, limits: OperatorLimits) -> str | None:
    ifm = ifm_of(op)
    count = prod(ifm.shape[axis] for axis in axes_of(op))
    fits = count <= dict(limits.most_summed).get(ifm.dtype, 0)
    return None if fits else f"{count} elements of {ifm.dtype.name.lower()}"


_FEW_ARE_REDUCED = LimitRule(
    text="A sum does not overflow the accumulator",
    accepted=lambda limits: (
        "elements reduced into one: "
        + ", ".join(f"{most} of {dtype.name.lower()}" for dtype, most in limits.most_summed)
    ),
    check=_many_reduced,
)


def _wide(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape = ifm_of(op).shape
    columns = shape[2] if len(shape) == 4 else shape[1]
    fits = columns <= limits.most_summed_columns
    return None if fits else f"width {columns} of {shown(shape)}"


_INPUT_IS_NARROW = LimitRule(
    text="The input of a mean is not too wide",
    accepted=lambda limits: f"a width up to {limits.most_summed_columns}",
    check=_wide,
)


def _deep(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape = ifm_of(op).shape
    is_reduced = len(shape) - 1 in axes_of(op)
    is_deep = shape[-1] > limits.most_summed_depth
    return _reduction_text(op) if is_reduced and is_deep else None


_REDUCED_DEPTH_IS_SMALL = LimitRule(
    text="A depth that is reduced is not too large",
    accepted=lambda limits: f"a depth up to {limits.most_summed_depth}",
    check=_deep,
)


def _other_result(op: SourceOp) -> str | None:
    shape, axes = ifm_of(op).shape, axes_of(op)
    kept = tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    dropped = tuple(dim for axis, dim in enumerate(shape) if axis not in axes)
    expected = kept if op.options.flag("keep_dims") else dropped
    return None if op.ofm.shape == expected else f"{shapes_of([op.ofm])}, not {shown(expected)}"


OUTPUT_IS_REDUCED = Rule(
    text="The output has the dimensions that are left",
    accepted="the input's shape without the axes, or with 1 for them if dimensions are kept",
    check=_other_result,
)

AXES_ARE_KNOWN = constant_integers("The list of axes is known beforehand", 1)
MEANS = frozenset({"MEAN", "SUM"})
MEAN_RULES: tuple[AnyRule, ...] = (
    _MEAN_RANK,
    SAME_TYPE,
    AXES_ARE_KNOWN,
    _AXES_ARE_INPUTS,
    _PIXELS_OF_DEPTH_FIT,
    _FEW_ARE_REDUCED,
    _INPUT_IS_NARROW,
    _REDUCED_DEPTH_IS_SMALL,
    OUTPUT_IS_REDUCED,
)


def _other_arg_max_axis(op: SourceOp) -> str | None:
    rank = len(ifm_of(op).shape)
    return None if axes_of(op) == (rank - 1,) else _reduction_text(op)


_ARG_MAX_AXIS = Rule(
    text="The greatest element is searched along the depth",
    accepted="the last axis, from the start or as -1",
    check=_other_arg_max_axis,
)


def _deep_search(op: SourceOp, limits: OperatorLimits) -> str | None:
    depth = ifm_of(op).shape[-1]
    return None if depth <= limits.most_searched_depth else f"depth {depth}"


_ARG_MAX_DEPTH = LimitRule(
    text="The position of the greatest element fits 7 bits",
    accepted=lambda limits: f"a depth up to {limits.most_searched_depth}",
    check=_deep_search,
)


def _other_positions(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    fits = op.ofm.shape in (ifm.shape[:-1], (*ifm.shape[:-1], 1))
    return None if fits else shapes_of((ifm, op.ofm))


_ARG_MAX_OUTPUT = Rule(
    text="There is a position for each pixel",
    accepted="the input's shape without the depth",
    check=_other_positions,
)


def _other_share_type(op: SourceOp) -> str | None:
    ifm, made = ifm_of(op), op.ofm
    is_wider = ifm.dtype is DType.INT8 and made.dtype is DType.INT16
    if made.dtype is ifm.dtype or (is_wider and scaling_of(made) == _WIDE_SHARES):
        return None
    return f"'{ifm.name}' is {ifm.dtype.name.lower()}; {scaling_text(made)} of {made.dtype.name}"


_WIDE_SHARES = (1 / 65536,), (DType.INT16.limits[0],)
_SHARES_HAVE_A_TYPE = Rule(
    text="A softmax makes what it is given, or 16 of 8 signed bits",
    accepted="one element type; or int8 to int16 with scale 1/65536 and zero point -32768",
    check=_other_share_type,
)


def _negative_beta(op: SourceOp) -> str | None:
    beta = op.options.real("beta")
    return None if beta >= 0 else f"beta {beta:g}"


_BETA_IS_POSITIVE = Rule(
    text="The steepness of a softmax is not negative",
    accepted="a beta of 0 or more",
    check=_negative_beta,
)


def _large_picture(op: SourceOp, limits: OperatorLimits) -> str | None:
    shape = Shape4.of(ifm_of(op).shape)
    rows = shape.h * shape.w
    fits = rows <= limits.greatest_dimension
    return None if fits else f"{rows} pixels of {shown(ifm_of(op).shape)}"


_PIXELS_FIT = LimitRule(
    text="The pixels of a softmax fit one dimension",
    accepted=lambda limits: f"height by width up to {limits.greatest_dimension}",
    check=_large_picture,
)

INPUTS = {
    "MEAN": takes_inputs(2),
    "ARG_MAX": takes_inputs(2),
    "SOFTMAX": takes_inputs(1),
}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "MEAN": (*MEAN_RULES, AVERAGED),
    "ARG_MAX": (
        input_type(DType.INT8, DType.UINT8),
        output_type(DType.INT32, DType.INT64),
        AXES_ARE_KNOWN,
        _ARG_MAX_AXIS,
        _ARG_MAX_DEPTH,
        _ARG_MAX_OUTPUT,
    ),
    "SOFTMAX": (
        *(SAME_SHAPE, _SHARES_HAVE_A_TYPE, _BETA_IS_POSITIVE, _PIXELS_FIT),
        STEEPENED,
        STORES_SHARES,
    ),
}
