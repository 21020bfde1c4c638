"""A memory as a map: addresses upwards, time to the right, every range a rectangle."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.api.schedules import Scheduled
from core.base.frozen import Frozen, NamedTuple
from core.ir.layout import AreaLayout, Common, Placement
from core.ir.npugraph import NpuGraph
from gui.document.answer import Answer
from gui.present.memory.ranges import MemoryRange, limit_bytes, ranges_of
from gui.present.rects import Floats, Ints, Rects
from gui.theme.tones import Tone

INKS = (
    Tone.FEATURE_MAP,
    Tone.WAITING,
    Tone.ROLLING,
    Tone.WEIGHTS,
    Tone.DOUBLE,
    Tone.CONSTANT,
    Tone.TABLE,
    Tone.RESERVED,
    Tone.PADDING,
    Tone.OVER,
    Tone.SHARED,
)
Times = npt.NDArray[np.int64]
_NAMES = tuple(tone.value for tone in INKS)
NEAR_ENOUGH = 2.0
"""A limit up to so many times the height of what is used is in sight from the start."""


class TimeScale(enum.Enum):
    """What x counts."""

    CYCLES = "cycles"
    STEPS = "steps"
    """Times of the layout: two for each operator or cascade."""


class AreaMap(Frozen, eq=False, dict=True):
    """What is drawn of one area."""

    area: AreaLayout
    ranges: tuple[MemoryRange, ...]
    names: Sequence[str]
    """By range: its short name."""
    limit_bytes: int | None
    edges: Floats
    """By time: where it begins along x; one more for the end."""
    rects: Rects
    """One for each range, in their order; the key is the position of the range."""
    padding: Rects
    """At the top of ranges that have bytes without a use."""
    over: Rects
    """The parts of ranges that stand above the limit."""
    shared: Rects
    """Where ranges lie over each other; the key is that of the one that is filled."""
    start_time: Times
    end_time: Times
    """By range: the last time at which it is live."""
    size_bytes: Times

    @cached_property
    def by_fm(self) -> Mapping[int, Sequence[int]]:
        """By feature map: the keys of the ranges that hold it."""
        found: dict[int, list[int]] = {}
        for key, part in enumerate(self.ranges):
            for placement in (part.placement, *part.twins):
                for fm in placement.fms:
                    found.setdefault(fm, []).append(key)
        return found

    @cached_property
    def by_op(self) -> Mapping[int, Sequence[int]]:
        """By operator: the keys of the ranges that hold its weights and tables."""
        found: dict[int, list[int]] = {}
        for key, part in enumerate(self.ranges):
            for placement in (part.placement, *part.twins):
                if placement.op is not None:
                    found.setdefault(placement.op, []).append(key)
        return found

    @property
    def top_bytes(self) -> int:
        """How far up there is something to see."""
        height, limit = self.area.height_bytes, self.limit_bytes
        if limit is not None and limit <= max(height, 1) * NEAR_ENOUGH:
            return max(height, limit)
        return height

    @property
    def end(self) -> float:
        """The end along x."""
        return float(self.edges[-1])


def edges_of(answer: Answer, scale: TimeScale) -> Floats:
    """Where each time begins along x, and the end of the last."""
    times = answer.scheduled.layout.end_time + 2
    if scale is TimeScale.CYCLES and len(answer.analysis.trace.time_cycle) == times:
        return answer.analysis.trace.time_cycle
    return np.arange(times, dtype=np.float64)


def area_map(scheduled: Scheduled, area: AreaLayout, edges: Floats) -> AreaMap:
    """The map of an area."""
    ranges = ranges_of(scheduled, area)
    limit = limit_bytes(scheduled, area)
    bottom = np.array([part.placement.address for part in ranges], dtype=np.float64)
    top = np.array([part.end_address for part in ranges], dtype=np.float64)
    used = bottom + np.array([part.real_bytes for part in ranges], dtype=np.float64)
    inks = np.array([INKS.index(part.tone) for part in ranges], dtype=np.uint8)
    start = np.array([part.placement.start_time for part in ranges], dtype=np.int64)
    end = np.array([part.placement.end_time for part in ranges], dtype=np.int64)
    keys = np.arange(len(ranges), dtype=np.int32)
    columns = _Columns(edges[start], edges[end + 1], keys)
    names = [scheduled.graph.titles.place(part.placement) for part in ranges]
    labels = [_label(scheduled.graph, part.placement) for part in ranges]
    padded = used < top
    above = top > (np.inf if limit is None else limit)
    return AreaMap(
        area=area,
        ranges=ranges,
        names=names,
        limit_bytes=limit,
        edges=edges,
        # A name is written over the lines of what is above the limit, not below them.
        rects=columns.rects(bottom, top, inks, _chosen(labels, ~above)),
        padding=columns.where(padded).rects(used[padded], top[padded], Tone.PADDING),
        over=columns.where(above).rects(
            np.maximum(bottom[above], limit or 0),
            top[above],
            Tone.OVER,
            [label for label, is_above in zip(labels, above, strict=True) if is_above],
        ),
        shared=_shared(area.common, edges),
        start_time=start,
        end_time=end,
        size_bytes=(top - bottom).astype(np.int64),
    )


def _shared(common: Sequence[Common], edges: Floats) -> Rects:
    # Only what lives for a time is shared, and there ranges are the placements, in their order.
    numbers = np.array(common, dtype=np.int64).reshape(-1, len(Common._fields))
    filled, _, start, end, address, size = numbers.T
    columns = _Columns(edges[start], edges[end + 1], filled.astype(np.int32))
    return columns.rects(address.astype(float), (address + size).astype(float), Tone.SHARED)


def _label(graph: NpuGraph, placement: Placement) -> str:
    """The operator that makes or reads it: what it is to it, its colour tells."""
    op = placement.op
    if placement.fms:
        op = graph.makers.get(placement.fms[0])
    return graph.titles.place(placement) if op is None else graph.titles.op(op)


def _chosen(labels: Sequence[str], where: npt.NDArray[np.bool_]) -> list[str]:
    return [label if is_chosen else "" for label, is_chosen in zip(labels, where, strict=True)]


class _Columns(NamedTuple):
    """What rectangles of one range have in common."""

    left: Floats
    right: Floats
    key: Ints

    def where(self, chosen: npt.NDArray[np.bool_]) -> _Columns:
        return _Columns(self.left[chosen], self.right[chosen], self.key[chosen])

    def rects(
        self,
        bottom: Floats,
        top: Floats,
        ink: npt.NDArray[np.uint8] | Tone,
        labels: Sequence[str] = (),
    ) -> Rects:
        """Rectangles; those from and to the same addresses are a row."""
        if isinstance(ink, Tone):
            ink = np.full(len(self.left), INKS.index(ink), dtype=np.uint8)
        # Two numbers in one sort much faster than pairs.
        _, row = np.unique(bottom + 1j * top, return_inverse=True)
        return Rects(
            left=self.left,
            right=self.right,
            bottom=bottom,
            top=top,
            ink=ink,
            key=self.key,
            row=row.reshape(-1).astype(np.int32),
            inks=_NAMES,
            labels=labels,
        )
