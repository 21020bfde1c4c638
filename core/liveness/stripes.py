"""The order in which the stripes of a cascade run, and what its rolling buffers hold meanwhile.

One rule decides it, and whoever has to know takes it from here. What nobody in the cascade reads is
made from top to bottom; of several such operators, the one goes on that has made the smallest part.
Before any stripe, whoever makes a map that it reads makes the rows that are missing, the last of
them in the order of operators first. Maps that are needed outside are then made to their end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache

from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import span_under
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import NpuGraph, NpuOp, OpKind, View
from core.ir.schedule import Cascade, IslandSchedule
from core.ir.trace import BufferFill, CascadeSteps, StripeStep


def cascade_steps(graph: NpuGraph, island: IslandSchedule) -> tuple[CascadeSteps, ...]:
    """Each cascade of an island in slow motion."""
    heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
    found = []
    for number, cascade in enumerate(island.cascades):
        ops = [graph.ops[op] for op in cascade.ops]
        stripes = [stripes_of(op, heights[op.id]) for op in ops]
        rings = {buffer.fm for buffer in cascade.buffers}
        players = players_of(ops, [heights[op.id] for op in ops], rings)
        steps = [
            StripeStep(cascade.ops[place], stripe, *stripes[place][stripe])
            for place, stripe in order_of(players)
        ]
        found.append(
            CascadeSteps(
                island=island.island,
                cascade=number,
                steps=tuple(steps),
                fills=fills_of(cascade, steps, {op.id: op.ofm for op in ops}),
            )
        )
    return tuple(found)


class RowStep(NamedTuple):
    """Rows that a stripe makes, and rows of the input's map that it reads; ends not included."""

    first: int
    end: int
    reads_first: int
    reads_end: int


def stripes_of(op: NpuOp, height: int, view: View | None = None) -> tuple[RowStep, ...]:
    """The stripes of an operator that makes so many rows at once, and reads the first input, or
    the one that is given."""
    view, ofm = view or op.ifm, op.ofm.touched
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


class Rows(NamedTuple):
    """Rows of a map, from the first to before the end."""

    first: int
    end: int


class Player(Frozen, kw_only=False):
    """An operator of a cascade, as far as the order of stripes depends on it."""

    makes: FmId
    made: tuple[Rows, ...]
    """By stripe, rows of the map that it makes."""
    reads: tuple[tuple[FmId, tuple[Rows, ...]], ...]
    """For each input, by stripe, rows of the map."""
    is_rolling: bool
    """Its map is needed nowhere else, so rows that nobody reads are never made."""


def players_of(
    ops: Sequence[NpuOp], heights: Sequence[int], rings: Container[FmId]
) -> tuple[Player, ...]:
    """The operators of a cascade, given the rows that each makes at once, and what rolls."""
    return tuple(
        player_of(op, height, is_rolling=op.ofm.fm in rings)
        for op, height in zip(ops, heights, strict=True)
    )


def player_of(op: NpuOp, height: int, *, is_rolling: bool) -> Player:
    """An operator that makes so many rows at once."""
    start, step = op.ofm.start.h, op.ofm.step_h
    made = stripes_of(op, height)
    return Player(
        makes=op.ofm.fm,
        made=tuple(
            Rows(start + each.first * step, start + (each.end - 1) * step + 1) for each in made
        ),
        reads=tuple(
            (view.fm, tuple(Rows(each.reads_first, each.reads_end) for each in stripes))
            for view in op.views[:-1]
            for stripes in (stripes_of(op, height, view),)
        ),
        is_rolling=is_rolling,
    )


def order_of(players: Sequence[Player]) -> Iterator[tuple[int, int]]:
    """Which operator of a cascade runs, and which of its stripes."""
    makers = [
        [
            (place, rows)
            for place in range(at - 1, -1, -1)
            for fm, rows in player.reads
            if players[place].makes == fm
        ]
        for at, player in enumerate(players)
    ]
    read = {place for each in makers for place, _ in each}
    last = [place for place in range(len(players)) if place not in read]
    done = [0] * len(players)

    def missing(at: int) -> int | None:
        """Who has to run before the next stripe of an operator."""
        for place, rows in makers[at]:
            made, stripe = players[place].made, done[place]
            if stripe < len(made) and made[stripe].first < rows[done[at]].end:
                return place
        return None

    def pull(at: int) -> Iterator[tuple[int, int]]:
        """The next stripe of an operator after all that it needs."""
        waiting = [at]
        while waiting:
            now = waiting[-1]
            before = missing(now)
            if before is not None:
                waiting.append(before)
                continue
            yield now, done[now]
            done[waiting.pop()] += 1

    while unfinished := [place for place in last if done[place] < len(players[place].made)]:
        yield from pull(min(unfinished, key=lambda at: (done[at] / len(players[at].made), at)))
    for at in range(len(players) - 1, -1, -1):
        while not players[at].is_rolling and done[at] < len(players[at].made):
            yield from pull(at)


class RingPeak(NamedTuple):
    """When a ring has to hold the most rows, and for whom."""

    rows: Rows
    """Of the map: from the first that is still to be read to the last that is made then."""
    maker: int
    """The place of the operator that makes the last of them."""
    reader: int | None
    """Of the one that still needs the first; None where all are made at once."""

    @property
    def height(self) -> int:
        """Rows that the ring has to have."""
        return self.rows.end - self.rows.first


def ring_rows(players: Sequence[Player]) -> dict[FmId, int]:
    """For each map that rolls, the rows that its ring has to have: with fewer, some would be lost
    before they are read."""
    return {fm: peak.height for fm, peak in ring_peaks(players).items()}


def ring_peaks(players: Sequence[Player]) -> dict[FmId, RingPeak]:
    """The same with what sets it; of several times that are alike, the first."""
    readers: dict[FmId, list[tuple[int, tuple[Rows, ...]]]] = {}
    peaks: dict[FmId, RingPeak] = {}
    for at, player in enumerate(players):
        for fm, rows in player.reads:
            readers.setdefault(fm, []).append((at, rows))
        if player.is_rolling:
            peaks[player.makes] = RingPeak(Rows(0, 1), at, None)
    order = list(order_of(players))
    runs = Counter(at for at, _ in order)
    done = [0] * len(players)
    for at, stripe in order:
        player = players[at]
        if player.is_rolling:
            first, end = player.made[stripe]
            for_whom = None
            for reader, rows in readers.get(player.makes, ()):
                if done[reader] < runs[reader] and rows[done[reader]].first < first:
                    first, for_whom = rows[done[reader]].first, reader
            if end - first > peaks[player.makes].height:
                peaks[player.makes] = RingPeak(Rows(first, end), at, for_whom)
        done[at] += 1
    return peaks


def fills_of(
    cascade: Cascade, steps: Sequence[StripeStep], views: Mapping[NpuOpId, View]
) -> tuple[tuple[BufferFill, ...], ...]:
    """After each step, the rows in each buffer: only the buffer that was written is another."""
    places = {buffer.fm: place for place, buffer in enumerate(cascade.buffers)}
    now = [BufferFill(buffer.fm, 0, 0) for buffer in cascade.buffers]
    frozen = tuple(now)
    fills = []
    for step in steps:
        view = views[step.op]
        place = places.get(view.fm)
        if place is not None:
            end = max(view.start.h + step.end_row, now[place].end_row)
            first = max(end - cascade.buffers[place].shape.h, 0)
            now[place] = BufferFill(view.fm, first, end)
            frozen = tuple(now)
        fills.append(frozen)
    return tuple(fills)
