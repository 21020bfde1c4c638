"""The order in which the stripes of a cascade run, and what its rolling buffers hold meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.base.geometry import span_under
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.schedule import Cascade, IslandSchedule
from core.ir.trace import BufferFill, CascadeSteps, StripeStep


def cascade_steps(graph: NpuGraph, island: IslandSchedule) -> tuple[CascadeSteps, ...]:
    """Each cascade of an island in slow motion.

    The last operator makes its stripes from top to bottom; before each of them, the operator
    before makes as many as are needed for it, and so on up to the first.
    """
    heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
    found = []
    for number, cascade in enumerate(island.cascades):
        stripes = [stripes_of(graph.ops[op], heights[op]) for op in cascade.ops]
        steps = [
            StripeStep(cascade.ops[place], stripe, *stripes[place][stripe])
            for place, stripe in order_of(stripes)
        ]
        found.append(
            CascadeSteps(
                island=island.island,
                cascade=number,
                steps=tuple(steps),
                fills=_fills(cascade, steps),
            )
        )
    return tuple(found)


class RowStep(NamedTuple):
    """Rows that a stripe makes, and rows of the input's map that it reads; ends not included."""

    first: int
    end: int
    reads_first: int
    reads_end: int


def stripes_of(op: NpuOp, height: int) -> tuple[RowStep, ...]:
    """The stripes of an operator that makes so many rows at once."""
    view, ofm = op.ifm, op.ofm.touched
    is_spread = op.kind.is_elementwise and view.touched.h == 1
    is_reordered = op.kind is OpKind.COPY and view.touched != ofm
    kernel = op.kernel
    window = _Window(
        stride=kernel.stride_h,
        size=kernel.dilated_h,
        padding=op.padding.top,
        factor=op.resampling.factor,
    )
    source = _Source(view.start.h, view.step_h, view.touched.h)
    reads_all = is_spread or is_reordered
    return _stripes(ofm.h, max(height, 1), None if reads_all else window, source)


class _Window(NamedTuple):
    stride: int
    size: int
    padding: int
    factor: int


class _Source(NamedTuple):
    start: int
    step: int
    height: int


@lru_cache(maxsize=1 << 12)
def _stripes(
    rows: int, height: int, window: _Window | None, source: _Source
) -> tuple[RowStep, ...]:
    """Operators of one geometry have the same stripes; without a window each reads all rows."""
    ends = ((first, min(first + height, rows)) for first in range(0, rows, height))
    return tuple(RowStep(*made, *_read(range(*made), window, source)) for made in ends)


def _read(made: range, window: _Window | None, source: _Source) -> tuple[int, int]:
    under = range(source.height)
    if window is not None:
        stride, size, padding, factor = window
        under = span_under(made, stride, size, padding, source.height, factor).inputs
    if not under:
        return source.start, source.start
    ends = source.start + under[0] * source.step, source.start + under[-1] * source.step
    return min(ends), max(ends) + 1


def order_of(makers: Sequence[tuple[RowStep, ...]]) -> Iterator[tuple[int, int]]:
    """Which operator of a cascade runs, and which of its stripes, given the stripes of each."""
    done, last = [0] * len(makers), len(makers) - 1
    at = last
    while done[last] < len(makers[last]):
        stripe = done[at]
        if at and done[at - 1] < len(makers[at - 1]):
            made = makers[at - 1][done[at - 1] - 1].end if done[at - 1] else 0
            if stripe < len(makers[at]) and made < makers[at][stripe].reads_end:
                at -= 1
                continue
        yield at, stripe
        done[at] += 1
        # The reader looks again whether it has enough.
        at = min(at + 1, last)


def _fills(cascade: Cascade, steps: Sequence[StripeStep]) -> tuple[tuple[BufferFill, ...], ...]:
    """After each step, the rows in each buffer: only the buffer that was written is another."""
    places = {op: place for place, op in enumerate(cascade.ops[:-1])}
    now = [BufferFill(buffer.fm, 0, 0) for buffer in cascade.buffers]
    rows_kept = [buffer.shape.h for buffer in cascade.buffers]
    frozen = tuple(now)
    fills = []
    for step in steps:
        place = places.get(step.op)
        if place is not None and place < len(now):
            first = max(step.end_row - rows_kept[place], 0)
            now[place] = BufferFill(now[place].fm, first, step.end_row)
            frozen = tuple(now)
        fills.append(frozen)
    return tuple(fills)
