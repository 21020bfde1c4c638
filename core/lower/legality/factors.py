"""Rules for the factors that bring results to the output's scale.

Reference kernels multiply by a factor above one by a shift to the left first, in 32 bits, and store
what comes of wider sums in 32 bits: what leaves these is undefined there, so nothing can equal it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from core.base.dtype import DType
from core.base.fixedpoint import MAX_INT32
from core.ir.network import Tensor
from core.lower.legality.common import ifm_of, operands, scaling_of
from core.lower.legality.rule import LimitRule, Rule
from core.lower.legality.weights import LARGEST_WEIGHT, filters_first, weights_of
from core.lower.slicing import integers
from core.lower.source import SourceOp, values
from core.target.limits import OperatorLimits

Scaled = Iterator[tuple[int, float]]
"""How large values may become, and what they are multiplied by then."""

_MOST_WIDE_SHIFT = 7
"""By which the reference's product of a 64-bit sum is defined."""


_GREATEST_DIFFERENCE = (1 << 16) - 1
_SOFTMAX_STEP = 10 / _GREATEST_DIFFERENCE
"""Of the reference's table of exponentials."""


def scale_of(tensor: Tensor | None) -> float:
    """The one scale of a tensor; 1 where it has none."""
    scaling = scaling_of(tensor)
    return 1.0 if scaling is None else scaling[0][0]


def zero_point_of(tensor: Tensor) -> int:
    """The one zero point of a tensor."""
    scaling = scaling_of(tensor)
    return 0 if scaling is None else scaling[1][0]


def reach_of(tensor: Tensor) -> int:
    """How far a stored value may be from zero."""
    low, high = tensor.dtype.limits
    point = zero_point_of(tensor)
    return max(high - point, point - low)


def _ratio(op: SourceOp) -> float:
    return scale_of(op.ifm) / scale_of(op.ofm)


def exponent_of(factor: float) -> int:
    """The power of two that a factor is below; beyond all shifts where it is beyond all numbers."""
    return math.frexp(factor)[1] if math.isfinite(factor) else MAX_INT32.bit_length()


def _overflow(parts: Scaled) -> str | None:
    for greatest, factor in parts:
        if greatest << max(exponent_of(factor), 0) > MAX_INT32:
            return f"values up to {greatest} times {factor:.3g}"
    return None


def fits(parts: Callable[[SourceOp], Scaled]) -> Rule:
    """The rule that what an operator scales stays within 32 bits."""
    return Rule(
        text="Values are within 32 bits when they are brought to the output's scale",
        accepted=f"up to {MAX_INT32} after a shift by the factor's powers of two",
        check=lambda op: _overflow(parts(op)),
    )


def _rescaled(op: SourceOp) -> Scaled:
    yield reach_of(ifm_of(op)), _ratio(op)


def _sloped(op: SourceOp) -> Scaled:
    yield from _rescaled(op)
    yield reach_of(ifm_of(op)), _ratio(op) * abs(op.options.real("alpha"))


def _multiplied(op: SourceOp) -> Scaled:
    ifm, ifm2 = ifm_of(op), op.ifm2
    # Those of 32 bits are not brought to a scale.
    if ifm2 is not None and op.ofm.dtype is not DType.INT32:
        yield reach_of(ifm) * reach_of(ifm2), _ratio(op) * scale_of(ifm2)


def _sloped_by_channel(op: SourceOp) -> Scaled:
    yield from _rescaled(op)
    yield from _multiplied(op)


def _multiplied_rows(op: SourceOp) -> Scaled:
    depth, bias = ifm_of(op).shape[-1], values(op.input(2))
    added = 0 if bias is None else int(np.abs(bias.astype(np.int64)).max(initial=0))
    yield from ((depth * greatest + added, factor) for greatest, factor in _multiplied(op))


def _count(op: SourceOp) -> int:
    return math.prod(ifm_of(op).shape[axis] for axis in integers(op.input(1)) or ())


def _summed(op: SourceOp) -> Scaled:
    yield _count(op) * reach_of(ifm_of(op)), _ratio(op)


def _averaged(op: SourceOp) -> Scaled:
    # The factor is divided by the count's power of two, and then by the rest of it.
    count = _count(op)
    factor = _ratio(op) / (1 << count.bit_length() - 1)
    # The least sum may be one farther from zero than the greatest.
    yield count * reach_of(ifm_of(op)) - 1, factor


def _steepened(op: SourceOp) -> Scaled:
    # Only the kernel of 16 bits shifts; that of 8 bits holds its factor within 31.
    if ifm_of(op).dtype is DType.INT16:
        yield _GREATEST_DIFFERENCE, scale_of(op.ifm) * op.options.real("beta") / _SOFTMAX_STEP


def _joined(op: SourceOp) -> Scaled:
    for tensor in operands(op):
        yield reach_of(tensor), scale_of(tensor) / scale_of(op.ofm)


JOINED = fits(_joined)
RESCALED = fits(_rescaled)
SLOPED = fits(_sloped)
SLOPED_BY_CHANNEL = fits(_sloped_by_channel)
MULTIPLIED = fits(_multiplied)
MULTIPLIED_ROWS = fits(_multiplied_rows)
STEEPENED = fits(_steepened)
SUMMED = fits(_summed)
AVERAGED = fits(_averaged)


def _farthest(bias: npt.NDArray[np.integer] | None) -> int:
    return 0 if bias is None or not bias.size else max(int(bias.max()), -int(bias.min()))


def _weighted(op: SourceOp) -> Scaled:
    """The sum of each filter, or of all where no filter can reach far."""
    scales = (scaling_of(weights_of(op)) or ((1.0,), ()))[0]
    ratio = _ratio(op)
    factors = [ratio * scale for scale in scales]
    array, bias = filters_first(op), values(op.bias)
    reach, most = reach_of(ifm_of(op)), _farthest(bias)
    rough = array[0].size * LARGEST_WEIGHT * reach + most
    greatest = max(factors, key=exponent_of)
    if rough << max(exponent_of(greatest), 0) <= MAX_INT32:
        yield rough, greatest
        return
    points = np.array((scaling_of(weights_of(op)) or ((), (0,)))[1], np.int64).reshape(-1, 1)
    sums = np.abs(array.reshape(len(array), -1).astype(np.int64) - points).sum(axis=1) * reach
    sums += 0 if bias is None else np.abs(bias.astype(np.int64))
    yield from zip(sums.tolist(), factors * (len(sums) // len(factors)), strict=True)


def _weighted_overflow(op: SourceOp, limits: OperatorLimits) -> str | None:
    if op.sum_type is DType.INT32:
        return _overflow(_weighted(op))
    for greatest, factor in _weighted(op):
        exponent = exponent_of(factor)
        is_beyond = greatest >> limits.bias_bits - 1 or exponent > _MOST_WIDE_SHIFT
        if is_beyond or math.ldexp(greatest, exponent) > MAX_INT32:
            return f"values up to {greatest} times {factor:.3g}"
    return None


WEIGHTED = LimitRule(
    text="Sums with their bias are within the accumulator, and 32 bits at the output's scale",
    accepted=lambda limits: (
        f"sums up to {MAX_INT32}, before and after a factor's shift to the left; where the"
        f" reference sums in 64 bits {limits.bias_bits} bits before it, and factors below"
        f" {1 << _MOST_WIDE_SHIFT}"
    ),
    check=_weighted_overflow,
)
