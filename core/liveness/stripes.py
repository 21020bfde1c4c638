"""The order in which the stripes of a cascade run, and what its rolling buffers hold meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.base.ids import NpuOpId
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
        steps = _steps([_Maker.of(graph.ops[op], heights[op]) for op in cascade.ops])
        found.append(
            CascadeSteps(
                island=island.island,
                cascade=number,
                steps=tuple(steps),
                fills=_fills(cascade, steps),
            )
        )
    return tuple(found)


@dataclass(slots=True)
class _Maker:
    """An operator of a cascade while it runs, with all that says which rows it reads."""

    op: NpuOpId
    height: int
    """Rows that it makes in all."""
    stripe_height: int
    ifm_height: int
    ifm_start: int
    ifm_step: int
    reads_all: bool
    stride: int
    padding: int
    window: int
    factor: int
    made: int = 0
    stripes: int = 0
    reads_first: int = 0
    reads_end: int = 0
    """What its next stripe reads."""

    @classmethod
    def of(cls, op: NpuOp, stripe_height: int) -> _Maker:
        """An operator that has made nothing yet."""
        view = op.ifm
        is_spread = op.kind.is_elementwise and view.touched.h == 1
        is_reordered = op.kind is OpKind.COPY and view.touched != op.ofm.touched
        maker = cls(
            op=op.id,
            height=op.ofm.touched.h,
            stripe_height=max(stripe_height, 1),
            ifm_height=view.touched.h,
            ifm_start=view.start.h,
            ifm_step=view.step_h,
            reads_all=is_spread or is_reordered,
            stride=op.kernel.stride_h,
            padding=op.padding.top,
            window=op.kernel.dilated_h,
            factor=op.resampling.factor,
        )
        maker.look_ahead()
        return maker

    @property
    def end_row(self) -> int:
        """The end of its next stripe."""
        return min(self.made + self.stripe_height, self.height)

    def look_ahead(self) -> None:
        """Work out which rows of the input's map the next stripe reads."""
        first, end = 0, self.ifm_height
        if not self.reads_all:
            upper = self.made * self.stride - self.padding
            lower = (self.end_row - 1) * self.stride - self.padding + self.window
            first = min(max(upper // self.factor, 0), self.ifm_height)
            end = max(min(-(-lower // self.factor), self.ifm_height), first)
        start, step = self.ifm_start, self.ifm_step
        if step < 0:
            first, end, step = self.ifm_height - end, self.ifm_height - first, -step
        self.reads_first = start + first * step
        self.reads_end = start + (end - 1) * step + 1 if end > first else self.reads_first

    def make(self) -> StripeStep:
        """Make the next stripe."""
        end = self.end_row
        step = StripeStep(self.op, self.stripes, self.made, end, self.reads_first, self.reads_end)
        self.made = end
        self.stripes += 1
        self.look_ahead()
        return step


def _steps(makers: Sequence[_Maker]) -> list[StripeStep]:
    steps: list[StripeStep] = []
    last = len(makers) - 1
    at = last
    while makers[last].made < makers[last].height:
        maker = makers[at]
        before = makers[at - 1] if at else None
        if before is not None and before.made < min(maker.reads_end, before.height):
            at -= 1
            continue
        steps.append(maker.make())
        # The reader looks again whether it has enough.
        at = min(at + 1, last)
    return steps


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
