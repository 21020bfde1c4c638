"""One front answers every limit: complete schedules, none both larger and slower than another."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import NpuOpId
from core.ir.addresses_tried import ArrivalsTried
from core.ir.edits import EditFate
from core.ir.options import Engine, EvictionPolicy, ParetoMetric, Strategy
from core.ir.scheduled import Scheduled

Rank = tuple[int, float]
"""Edits that are not honoured, and cycles: what is better has less of the first, then of both."""


class Windows(NamedTuple):
    """Some neighbours in the order of execution, and then others that overlap with them by half."""

    size: int
    """Operators in each; of single ones, one decision at a time is changed."""
    first: int
    windows: int

    def of(self, order: Sequence[NpuOpId]) -> Iterator[Sequence[NpuOpId]]:
        """The operators of each window."""
        stride = max(self.size // 2, 1)
        for number in range(self.first, self.first + self.windows):
            if window := order[number * stride : number * stride + self.size]:
                yield window


GROUPED, STORED = Windows(0, 0, 1), Windows(0, 1, 1)
"""No parts: every way to group very few operators, or to store what they make, is tried."""


class Ask(Frozen):
    """One question to one engine; what it finds may enter a front."""

    engine: Engine = Engine.CASCADING
    limit_bytes: int | None = None
    """None is all that the accelerator can address."""
    strategy: Strategy = Strategy.PERFORMANCE
    eviction: EvictionPolicy = EvictionPolicy.COMPONENT
    metric: ParetoMetric = ParetoMetric.MEMORY
    blocks_per_end: int = 8
    windows: Windows | None = None
    """What is searched again of the schedule that answers the limit so far; None is all of it."""


class Point(Frozen, dict=True):
    """A schedule with addresses and its price, and how it was found."""

    scheduled: Scheduled
    ask: Ask
    changes: int = 0
    """Parts of it that were searched again after that, while all others stayed as they were."""

    @cached_property
    def fast_bytes(self) -> int:
        """Bytes of fast storage, with addresses."""
        return self.scheduled.fast_bytes

    @property
    def cycles(self) -> float:
        """What its commands cost."""
        return self.scheduled.total.total_cycles

    @cached_property
    def gives_bytes_for_time(self) -> bool:
        """Whether it takes memory that its operators could do without."""
        return any(
            isinstance(each, ArrivalsTried)
            and each.is_taken
            and each.size_bytes > each.size_bytes_before
            for each in self.scheduled.schedule.decisions
        )

    @cached_property
    def rank(self) -> Rank:
        """The lower, the better."""
        left_out = sum(
            each.edit.is_on and each.fate is not EditFate.HONOURED for each in self.scheduled.edits
        )
        return left_out, self.cycles


class Tried(Frozen):
    """A question that was asked, and what its answer was worth to the front."""

    ask: Ask
    fast_bytes: int
    """Of what was found for the limit itself; of what was there before, where parts of that were
    searched again."""
    cycles: float
    gain: float
    """The part of all cycles that was saved, as a mean over all limits."""


class Bound(NamedTuple):
    """What no schedule of a network does without, whatever the limit."""

    cycles: float
    fast_bytes: int


class Front(Frozen):
    """Schedules from the smallest to the fastest, and all that was asked to find them."""

    points: tuple[Point, ...] = ()
    tried: tuple[Tried, ...] = ()
    is_done: bool = False
    """There is nothing left to ask that promises anything."""

    def answer(self, limit_bytes: float) -> Point:
        """The best schedule within a limit; the smallest of all where none is."""
        sizes = [point.fast_bytes for point in self.points]
        return self.points[max(bisect.bisect_right(sizes, limit_bytes) - 1, 0)]

    def of_least_bytes(self) -> Front:
        """The front for whoever wants to leave memory free."""
        kept = tuple(point for point in self.points if not point.gives_bytes_for_time)
        return Front(points=kept or self.points, tried=self.tried, is_done=self.is_done)

    def with_points(self, found: Iterable[Point]) -> Front:
        """The front with more schedules, without those that are then of no use."""
        pool = sorted((*self.points, *found), key=lambda point: (point.fast_bytes, point.rank))
        kept: list[Point] = []
        for point in pool:
            if not kept or point.rank < kept[-1].rank:
                kept.append(point)
        return Front(points=tuple(kept), tried=self.tried, is_done=self.is_done)

    def mean_log_cycles(self, first_bytes: int, last_bytes: int) -> float:
        """The logarithm of cycles as a mean over the logarithm of limits, to see what is gained."""
        edges = [first_bytes, *(point.fast_bytes for point in self.points), last_bytes]
        places = [min(max(edge, first_bytes), last_bytes) for edge in edges]
        total = math.log(max(last_bytes, 1) / first_bytes)
        if total <= 0:
            return math.log(max(self.answer(last_bytes).cycles, 1.0))
        worth = 0.0
        for at, end in itertools.pairwise(places):
            if end > at:
                worth += math.log(end / at) * math.log(max(self.answer(at).cycles, 1.0))
        return worth / total
