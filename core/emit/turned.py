"""Operations at the ends of a stream that only turn what they are given into another order.

A model whose tensors have their channels outermost is computed with them innermost, so that what
comes in and goes out is transposed there. Nothing else of these operations changes a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from core.base.frozen import NamedTuple
from core.base.geometry import NO_PADDING, ONE_ELEMENT, Resampling
from core.ir.program import CommandStream, Curve, Job, MapUse, NpuOperation


class Turned(NamedTuple):
    """The copies before anything is computed, or those after it, some of which turn."""

    is_input: bool
    commands: tuple[int, ...]


def turned_ends(stream: CommandStream) -> tuple[Turned, ...]:
    """Both ends of a stream at which something is turned; none where nothing is."""
    numbered = [
        (number, op) for number, op in enumerate(stream.commands) if isinstance(op, NpuOperation)
    ]
    first = tuple(takewhile(_copies, numbered))
    last = () if len(first) == len(numbered) else tuple(takewhile(_copies, reversed(numbered)))
    found = ((is_input, each) for is_input, each in ((True, first), (False, last)))
    return tuple(
        Turned(is_input, tuple(sorted(number for number, _ in each)))
        for is_input, each in found
        if any(_order(op.ifm) != _order(op.ofm) for _, op in each)
    )


def _copies(numbered: tuple[int, NpuOperation]) -> bool:
    """Whether an operation leaves each number as it is."""
    _, op = numbered
    ifm, ofm, scale = op.ifm, op.ofm, op.ofm_scale
    return (
        op.job is Job.AVERAGE_POOL
        and (op.kernel, op.padding, op.upscale) == (ONE_ELEMENT, NO_PADDING, Resampling.NONE)
        and (ifm.shape, ifm.dtype, ifm.zero_point) == (ofm.shape, ofm.dtype, ofm.zero_point)
        and scale is not None
        # One, or what it becomes in 31 bits.
        and abs(scale.multiplier - (1 << scale.shift)) <= (1 << scale.shift) >> 30
        and op.activation.curve is Curve.NONE
        and (op.activation.minimum, op.activation.maximum) == ofm.dtype.limits
    )


def _order(use: MapUse) -> tuple[int, ...]:
    """Rows, columns and channels, the one that lies closest last; single ones lie nowhere."""
    steps = zip(_extents(use), use.strides, range(3), strict=True)
    return tuple(axis for _, axis in sorted((step, axis) for size, step, axis in steps if size > 1))


def _extents(use: MapUse) -> Iterator[int]:
    yield from (use.shape.h, use.shape.w, use.shape.c)
