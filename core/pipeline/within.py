"""A schedule with addresses within the limit, wherever some of those that are tried have them.

What is live at once can be within the limit and yet find no addresses there, as bytes between
ranges are lost. Then another allocator is asked, and then the search, for less and less memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

from core.base.frozen import Frozen, replace
from core.base.ids import FmId
from core.base.progress import Progress
from core.check import memory as memory_check
from core.check import schedule as schedule_check
from core.check.finding import hold
from core.cost.island import schedule_cost
from core.ir.addresses_tried import LimitMet
from core.ir.edits import Ground, What
from core.ir.fixed import Against, Fixed
from core.ir.layout import MemoryLayout
from core.ir.options import Allocator, Engine, Options
from core.ir.schedule import Schedule
from core.memory import run as memory
from core.memory.packing import DEFAULT_OPTIONS, AllocationOptions
from core.schedule import run as schedule
from core.schedule.run import Prepared
from core.target.target import Target

_FIRST_CUTS = (64, 8)
"""The first lower limit is lower by what is missing, within these shares; then by twice as much."""


def with_addresses(stages: Stages, first: Schedule) -> tuple[Schedule, MemoryLayout]:
    """What was found for the target's limit, or what else is within it with its addresses.

    Addresses that are asked for, but keep what would have room from it, are left out.
    """
    found, layout = _within(stages, first)
    if layout.is_within_limits or not stages.fixed.addresses:
        return found, layout
    free = replace(stages, fixed=replace(stages.fixed, addresses=()))
    other = _within(free, first)
    return _as_many_as_fit(stages, *other) if other[1].is_within_limits else (found, layout)


def _as_many_as_fit(
    stages: Stages, found: Schedule, layout: MemoryLayout
) -> tuple[Schedule, MemoryLayout]:
    """Addresses that are asked for are taken one by one, the lowest first, while all has room."""
    kept: tuple[tuple[FmId, int], ...] = ()
    against: list[Against] = []
    for fm, address in sorted(stages.fixed.addresses, key=lambda each: each[::-1]):
        asked = replace(stages.fixed, addresses=tuple(sorted((*kept, (fm, address)))))
        tried = replace(stages, fixed=asked).place(found, stages.options.allocator)
        if tried.is_within_limits:
            kept, layout = asked.addresses, tried
            continue
        reason = _no_room(tried, fm)
        against.append(reason)
    return found, replace(layout, against=(*layout.against, *against))


def _no_room(tried: MemoryLayout, fm: FmId) -> Against:
    """Why an address is left out, by the layout that has it."""
    over = next(area for area in tried.areas if area.excess_bytes)
    return Against(
        what=What.ADDRESS,
        ids=(fm,),
        ground=Ground.NO_ROOM,
        is_proved=False,
        needed_bytes=over.height_bytes,
        available_bytes=over.limit_bytes,
    )


def _within(stages: Stages, found: Schedule) -> tuple[Schedule, MemoryLayout]:
    target, options = stages.target, stages.options
    layout = stages.place(found, options.allocator)
    torn = [area for area in layout.areas if area.is_torn]
    if not torn:
        return found, layout
    for tried in _others(stages, found, excess_bytes=torn[0].excess_bytes):
        addresses = stages.place(tried.schedule, tried.allocator, stages.effort)
        if addresses.is_within_limits:
            record = LimitMet(
                limit_bytes=target.fast_limit_bytes,
                asked=options.allocator,
                excess_bytes=torn[0].excess_bytes,
                found_by=tried.allocator,
                searched_bytes=tried.searched_bytes,
            )
            return replace(tried.schedule, decisions=(*tried.schedule.decisions, record)), addresses
    return found, layout


class _Trial(Frozen, kw_only=False):
    searched_bytes: int
    schedule: Schedule
    allocator: Allocator


def _others(stages: Stages, found: Schedule, excess_bytes: int) -> Iterator[_Trial]:
    """What may have addresses within the limit: this schedule, then some for less memory."""
    limit = searched = stages.target.fast_limit_bytes
    yield _Trial(limit, found, Allocator.OPTIMAL)
    least, most = (limit // share for share in _FIRST_CUTS)
    cut = max(least, min(excess_bytes, most), 1)
    while (searched := searched - cut) > 0:
        before, found = found, stages.search(searched)
        if stages.is_no_faster_than_known(found):
            # Less memory still takes no fewer cycles.
            return
        if any(
            one.snapshot != other.snapshot
            for one, other in zip(before.islands, found.islands, strict=True)
        ):
            yield _Trial(searched, found, stages.options.allocator)
            yield _Trial(searched, found, Allocator.OPTIMAL)
        cut *= 2


class Stages(Frozen, kw_only=False, dict=True):
    """The search and the allocators for one question, and their judges."""

    prepared: Prepared
    target: Target
    options: Options
    progress: Progress
    fixed: Fixed
    known: Schedule | None = None
    """What is no news; nor is what takes as many cycles."""

    def is_no_faster_than_known(self, found: Schedule) -> bool:
        """Whether it takes as many cycles as what is known, with addresses left aside."""
        return self.known is not None and self._cycles(found) >= self._known_cycles

    @cached_property
    def _known_cycles(self) -> float:
        return math.inf if self.known is None else self._cycles(self.known)

    def _cycles(self, found: Schedule) -> float:
        _, total = schedule_cost(self.prepared.prices, found, None)
        return total.total_cycles

    @property
    def effort(self) -> AllocationOptions:
        """How far the next allocator looks: what is within the limit is enough, and none does
        again what the one that was asked for has done."""
        climbs = self.options.allocator is not Allocator.HILL_CLIMB
        return AllocationOptions(stops_at_limit=True, climbs=climbs)

    def first(self) -> Schedule:
        """The schedule for the target's limit."""
        return self.search(self.target.fast_limit_bytes)

    def search(self, limit_bytes: int) -> Schedule:
        """The schedule for the target's limit, or one for less memory than that."""
        target, options = self.target, self.options
        if limit_bytes < target.fast_limit_bytes and options.engine is Engine.PARETO:
            # The front has the smaller schedules too.
            most = min(limit_bytes, options.pareto.most_bytes or limit_bytes)
            options = replace(options, pareto=replace(options.pareto, most_bytes=most))
        elif limit_bytes < target.fast_limit_bytes:
            target = target.with_limit(limit_bytes)
        found = schedule.run(self.prepared, target, options, self.progress)
        faults = schedule_check.verify(self.prepared.graph, target, found, self.prepared.runs)
        hold("the schedule", faults)
        return found

    def place(
        self, found: Schedule, allocator: Allocator, effort: AllocationOptions = DEFAULT_OPTIONS
    ) -> MemoryLayout:
        """Addresses for a schedule."""
        graph, target = self.prepared.graph, self.target
        options = replace(self.options, allocator=allocator)
        layout = memory.run(
            graph, found, target, options, self.progress, search=effort, fixed=self.fixed
        )
        self.judge(found, layout)
        return layout

    def judge(self, found: Schedule, layout: MemoryLayout) -> None:
        """Refuse addresses that are wrong."""
        graph, runs = self.prepared.graph, self.prepared.runs
        faults = memory_check.verify(graph, self.target, found, layout, self.fixed, runs)
        hold("the memory layout", faults)
