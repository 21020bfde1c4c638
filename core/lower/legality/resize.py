"""Rules for RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR."""

from __future__ import annotations

from core.lower.legality.common import SAME_TYPE, has_rank, ifm_of, takes_inputs
from core.lower.legality.rule import AnyRule, LimitRule, Rule, listed, shapes_of, shown
from core.lower.slicing import integers, scale_factors
from core.lower.source import SourceOp
from core.target.limits import OperatorLimits


def _other_frame(op: SourceOp) -> str | None:
    ifm = ifm_of(op)
    fits = ifm.shape[0] == op.ofm.shape[0] and ifm.shape[3] == op.ofm.shape[3]
    return None if fits else shapes_of((ifm, op.ofm))


_KEEPS_DEPTH = Rule(
    text="Resizing changes height and width only",
    accepted="an output as deep as the input",
    check=_other_frame,
)


def _is_one_element(op: SourceOp) -> bool:
    return ifm_of(op).shape[1:3] == (1, 1)


def _other_factor(op: SourceOp, limits: OperatorLimits) -> str | None:
    ifm = ifm_of(op)
    if _is_one_element(op) or ifm.shape == op.ofm.shape:
        return None
    height, width = scale_factors(op)
    is_whole = height in limits.resize_factors and width in limits.resize_factors
    is_flat = 1 in op.ofm.shape[1:3]
    if is_whole and (height == width or is_flat):
        return None
    corners = " with aligned corners" if op.options.flag("align_corners") else ""
    return f"{shown(ifm.shape[1:3])} to {shown(op.ofm.shape[1:3])}{corners}"


_FACTOR_IS_POWER = LimitRule(
    text="Height and width grow by one factor that doubling gives",
    accepted=lambda limits: (
        f"factors {listed(map(str, limits.resize_factors))}, of the size less 1 with aligned"
        " corners; the same for both unless the output has one row or column; or an input of one"
        " element"
    ),
    check=_other_factor,
)


def _other_size(op: SourceOp) -> str | None:
    size = integers(op.input(1))
    if size is None:
        return "the size is computed at run time"
    return None if size == op.ofm.shape[1:3] else f"size {shown(size)}, {shapes_of([op.ofm])}"


_SIZE_IS_OUTPUTS = Rule(
    text="The size that is asked for is known, and the output's",
    accepted="two constant integers, the output's height and width",
    check=_other_size,
)


def _both_modes(op: SourceOp) -> str | None:
    both = op.options.flag("align_corners") and op.options.flag("half_pixel_centers")
    return "aligned corners and half-pixel centres" if both else None


_MODE_IS_ONE = Rule(
    text="Corners are aligned or centres are at half pixels, not both",
    accepted="one of them or none",
    check=_both_modes,
)


def _other_half_pixel_factor(op: SourceOp, limits: OperatorLimits) -> str | None:
    if not op.options.flag("half_pixel_centers") or _is_one_element(op):
        return None
    fits = scale_factors(op) == (limits.half_pixel_factor,) * 2
    return None if fits else shapes_of((ifm_of(op), op.ofm))


_HALF_PIXELS_DOUBLE = LimitRule(
    text="With half-pixel centres height and width double",
    accepted=lambda limits: (
        f"a factor of {limits.half_pixel_factor} for both, or an input of one element"
    ),
    check=_other_half_pixel_factor,
)

_BOTH: tuple[AnyRule, ...] = (
    has_rank(4),
    SAME_TYPE,
    _KEEPS_DEPTH,
    _FACTOR_IS_POWER,
    _SIZE_IS_OUTPUTS,
    _MODE_IS_ONE,
)

INPUTS = {
    kind: takes_inputs(2, optional=(1,)) for kind in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
}
SPECIFIC: dict[str, tuple[AnyRule, ...]] = {
    "RESIZE_BILINEAR": (*_BOTH, _HALF_PIXELS_DOUBLE),
    "RESIZE_NEAREST_NEIGHBOR": _BOTH,
}
