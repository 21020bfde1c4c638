"""Plays a cascade row by row, and looks whether each row is in its ring when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from core.base.frozen import NamedTuple
from core.base.geometry import Resampling
from core.base.ids import FmId, NpuOpId
from core.check.finding import Finding
from core.check.lifetimes import inputs_of, op_name
from core.ir.npugraph import NpuGraph, NpuOp, OpKind, View
from core.ir.schedule import Cascade, Stripe


class Rows(NamedTuple):
    """Rows of a feature map, from the first to before the end."""

    start: int
    end: int


def rows_needed(op: NpuOp, made: Rows, view: View | None = None) -> Rows:
    """Rows of an input, the first if none is given, that some rows of the output are made from."""
    view, kernel = view or op.ifm, op.kernel
    height = view.touched.h
    if op.kind is OpKind.COPY and view.touched != op.ofm.touched:
        rows = Rows(0, height)
    elif op.kind.is_elementwise and height == 1:
        rows = Rows(0, 1)
    else:
        factor = 1 if op.resampling is Resampling.NONE else 2
        first = made.start * kernel.stride_h - op.padding.top
        last = (made.end - 1) * kernel.stride_h - op.padding.top
        last += (kernel.h - 1) * kernel.dilation_h
        rows = Rows(max(first // factor, 0), min(last // factor + 1, height))
    start, step = view.start.h, view.step_h
    return Rows(start + rows.start * step, start + (rows.end - 1) * step + 1)


class Stride(NamedTuple):
    """A stripe as it runs: rows that it makes, of its own, and rows of the map of each input."""

    op: NpuOpId
    made: Rows
    reads: tuple[Rows, ...]


class CascadeRun(NamedTuple):
    """A cascade as it was played."""

    strides: tuple[Stride, ...]
    """In the order in which they run; up to the first fault where there is one."""
    fault: Finding | None


Runs: TypeAlias = dict[tuple[Cascade, tuple[Stripe, ...]], CascadeRun]
"""Cascades of one network that were played, with the stripes of their operators."""


def played(
    graph: NpuGraph, cascade: Cascade, stripes: Mapping[NpuOpId, Stripe], known: Runs
) -> CascadeRun:
    """What a run in the order of the hardware comes across, played unless it is known."""
    own = tuple(stripes[number] for number in cascade.ops)
    if any(stripe.ofm.h < 1 for stripe in own):
        return CascadeRun((), None)
    found = known.get((cascade, own))
    if found is None:
        run = _Play(graph, cascade, stripes)
        fault = next(run.faults(), None)
        found = known[cascade, own] = CascadeRun(tuple(run.strides), fault)
    return found


class _Seat(NamedTuple):
    """An operator in its place."""

    op: NpuOp
    height: int
    """Rows that it makes in all."""
    rows_at_once: int
    reads_at_once: tuple[int, ...]
    """Of each input."""
    sources: tuple[tuple[int, ...], ...]
    """Of each input: the operators before this one that make some of it."""

    def next_rows(self, made: int) -> Rows:
        """The stripe after so many rows."""
        return Rows(made, min(made + self.rows_at_once, self.height))


class _Play:
    """Stripe by stripe; a slot of a ring holds one row of what each of its makers makes."""

    def __init__(
        self, graph: NpuGraph, cascade: Cascade, stripes: Mapping[NpuOpId, Stripe]
    ) -> None:
        self._graph = graph
        self._seats: list[_Seat] = []
        self._slots_of = {buffer.fm: buffer.shape.h for buffer in cascade.buffers}
        makers: dict[FmId, list[int]] = {}
        for at, number in enumerate(cascade.ops):
            op = graph.ops[number]
            sources = tuple(tuple(makers.get(view.fm, ())) for view in inputs_of(op))
            self._seats.append(_seat(op, stripes[number], sources))
            makers.setdefault(op.ofm.fm, []).append(at)
        self.strides: list[Stride] = []
        """What has run."""
        self._made = [0] * len(self._seats)
        self._held: dict[tuple[int, int], int] = {}
        """By maker and slot: the row of the map."""
        self._needs: list[tuple[Rows, ...] | None] = [None] * len(self._seats)
        """By operator: rows of each input that its next stripe reads, once somebody has asked."""
        self._ends = [at for at in range(len(self._seats)) if not self._is_read_later(at)]

    def faults(self) -> Iterator[Finding]:
        """All stripes of the operators whose output nobody reads here, then what else is to be."""
        while (last := self._last_behind()) is not None:
            yield from self._advance(last)
        for at in reversed(range(len(self._seats))):
            seat = self._seats[at]
            while seat.op.ofm.fm not in self._slots_of and self._made[at] < seat.height:
                yield from self._advance(at)

    def _last_behind(self) -> int | None:
        """Of the operators that nobody reads from, the one that is least far."""
        open_ones = [
            (self._made_stripes(at), at)
            for at in self._ends
            if self._made[at] < self._seats[at].height
        ]
        return min(open_ones)[1] if open_ones else None

    def _is_read_later(self, at: int) -> bool:
        made = self._seats[at].op.ofm.fm
        return any(view.fm == made for seat in self._seats[at + 1 :] for view in inputs_of(seat.op))

    def _made_stripes(self, at: int) -> float:
        seat = self._seats[at]
        return -(-self._made[at] // seat.rows_at_once) / -(-seat.height // seat.rows_at_once)

    def _advance(self, at: int) -> Iterator[Finding]:
        """One stripe of an operator, or of whoever must make a row for it first."""
        trail = [at]
        while trail:
            maker = self._short_of(trail[-1])
            if maker is not None:
                trail.append(maker)
                continue
            yield from self._run(trail.pop())

    def _short_of(self, at: int) -> int | None:
        """The last of those that still have to make a row that the next stripe reads."""
        last = None
        for makers, needed in zip(self._seats[at].sources, self._needed(at), strict=True):
            for maker in makers:
                is_done = self._made[maker] >= self._seats[maker].height
                if not is_done and self._next_row(maker) < needed.end:
                    last = maker if last is None else max(last, maker)
        return last

    def _needed(self, at: int) -> tuple[Rows, ...]:
        """Rows of each input that the next stripe reads."""
        found = self._needs[at]
        if found is None:
            op, made = self._seats[at].op, self._seats[at].next_rows(self._made[at])
            found = tuple(rows_needed(op, made, view) for view in inputs_of(op))
            self._needs[at] = found
        return found

    def _next_row(self, at: int) -> int:
        """Of the map, the row that an operator makes next."""
        view = self._seats[at].op.ofm
        return view.start.h + self._made[at] * view.step_h

    def _run(self, at: int) -> Iterator[Finding]:
        seat = self._seats[at]
        op, made = seat.op, seat.next_rows(self._made[at])
        self.strides.append(Stride(op.id, made, self._needed(at)))
        for view, most, needed, makers in zip(
            inputs_of(op), seat.reads_at_once, self._needed(at), seat.sources, strict=True
        ):
            if needed.end - needed.start > most * abs(view.step_h):
                text = f"reads rows {needed.start} to {needed.end}, more than {most}"
                yield self._finding(op, made, text)
            for maker in makers:
                yield from self._read(op, made, needed, maker)
        slots = self._slots_of.get(op.ofm.fm)
        if slots:
            for row in range(*made):
                place = op.ofm.start.h + row
                self._held[at, place % slots] = place
        self._made[at] = made.end
        self._needs[at] = None

    def _read(self, op: NpuOp, made: Rows, needed: Rows, maker: int) -> Iterator[Finding]:
        """Look for each row of an input that one of its makers makes."""
        source = self._seats[maker].op.ofm
        first, end = source.start.h, source.start.h + source.touched.h
        there = self._next_row(maker)
        slots = self._slots_of.get(source.fm)
        for row in range(max(needed.start, first), min(needed.end, end)):
            if row >= there:
                yield self._finding(op, made, f"needs row {row}, which is not made yet")
            elif slots is not None and (not slots or self._held.get((maker, row % slots)) != row):
                left = f"{max(there - slots, first)} is the first that is left of {there}"
                text = f"needs row {row} of its input, but {left} in its rolling buffer"
                yield self._finding(op, made, text)

    def _finding(self, op: NpuOp, made: Rows, text: str) -> Finding:
        where = op_name(self._graph, op.id)
        return Finding(where, f"for rows {made.start} to {made.end} {text}")


def _seat(op: NpuOp, stripe: Stripe, sources: tuple[tuple[int, ...], ...]) -> _Seat:
    second: Sequence[int] = ()
    if op.ifm2 is not None:
        second = (op.ifm2.touched.h if stripe.ifm2 is None else stripe.ifm2.h,)
    return _Seat(op, op.ofm.touched.h, stripe.ofm.h, (stripe.ifm.h, *second), sources)
