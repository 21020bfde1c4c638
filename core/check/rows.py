"""Runs a cascade row by row, as the hardware does, and notes rows that are not there when read."""

from __future__ import annotations

from typing import NamedTuple

from core.base.geometry import Resampling
from core.check.finding import Finding
from core.check.lifetimes import op_name
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.schedule import Cascade, Stripe


class Rows(NamedTuple):
    """Rows of a feature map, from the first to before the end."""

    start: int
    end: int


def rows_needed(op: NpuOp, made: Rows) -> Rows:
    """Rows of the first input that an operator reads to make these rows of its output."""
    height, kernel = op.ifm.touched.h, op.kernel
    if op.kind is OpKind.COPY and op.ifm.touched != op.ofm.touched:
        rows = Rows(0, height)
    elif op.kind.is_elementwise and height == 1:
        rows = Rows(0, 1)
    else:
        factor = 1 if op.resampling is Resampling.NONE else 2
        first = made.start * kernel.stride_h - op.padding.top
        last = (made.end - 1) * kernel.stride_h - op.padding.top
        last += (kernel.h - 1) * kernel.dilation_h
        rows = Rows(max(first // factor, 0), min(last // factor + 1, height))
    start, step = op.ifm.start.h, op.ifm.step_h
    return Rows(start + rows.start * step, start + (rows.end - 1) * step + 1)


class _Runner:
    """Makes the stripes of a cascade in the order of the hardware, and notes rows that are lost."""

    def __init__(self, graph: NpuGraph, cascade: Cascade, stripes: list[Stripe]) -> None:
        self.findings: list[Finding] = []
        self._graph = graph
        self._ops = [graph.ops[number] for number in cascade.ops]
        self._steps = [stripe.ofm.h for stripe in stripes]
        self._read_at_once = [stripe.ifm.h for stripe in stripes]
        self._rows_kept = [buffer.shape.h for buffer in cascade.buffers]
        self._made = [0] * len(self._ops)

    def run(self) -> None:
        """All stripes of the last operator, from top to bottom."""
        last = len(self._ops) - 1
        while self._made[last] < self._height(last) and not self.findings:
            self._make(last)

    def _height(self, at: int) -> int:
        return self._ops[at].ofm.touched.h

    def _make(self, at: int) -> None:
        """One more stripe of an operator, after what it needs of the operator before."""
        start = self._made[at]
        made = Rows(start, min(start + self._steps[at], self._height(at)))
        needed = rows_needed(self._ops[at], made)
        if needed.end - needed.start > self._read_at_once[at]:
            text = f"reads rows {needed.start} to {needed.end}, more than {self._read_at_once[at]}"
            self._find(at, made, text)
        if at > 0:
            while self._made[at - 1] < needed.end and not self.findings:
                if self._made[at - 1] >= self._height(at - 1):
                    self._find(at, made, f"needs row {needed.end - 1}, which is never made")
                    return
                self._make(at - 1)
            oldest = self._made[at - 1] - self._rows_kept[at - 1]
            if needed.start < oldest:
                text = f"needs row {needed.start} of its input, but {oldest} is the first that is"
                self._find(at, made, f"{text} left of {self._made[at - 1]} in its rolling buffer")
        self._made[at] = made.end

    def _find(self, at: int, made: Rows, text: str) -> None:
        where = op_name(self._graph, self._ops[at].id)
        self.findings.append(Finding(where, f"for rows {made.start} to {made.end} {text}"))


def run(graph: NpuGraph, cascade: Cascade, stripes: list[Stripe]) -> list[Finding]:
    """What a run, row by row, comes across; it ends at the first fault."""
    if any(stripe.ofm.h < 1 for stripe in stripes):
        return []
    runner = _Runner(graph, cascade, stripes)
    runner.run()
    return runner.findings
