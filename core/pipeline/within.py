"""A schedule with addresses within the limit, wherever some of those that are tried have them.

What is live at once can be within the limit and yet find no addresses there, as bytes between
ranges are lost. Then another allocator is asked, and then the search: for less at those operators
where they are lost, and for less and less memory.
"""

from __future__ import annotations

import math
from collections.abc import Set
from functools import cached_property
from types import MappingProxyType

from core.base.frozen import Frozen, replace
from core.base.ids import FmId, NpuOpId
from core.base.progress import Progress
from core.check import memory as memory_check
from core.check import schedule as schedule_check
from core.check.finding import hold
from core.cost.island import schedule_cycles
from core.ir.addresses_tried import LimitMet, TakenAsHigh
from core.ir.edits import Ground, What
from core.ir.fixed import Against, Fixed, Reserve
from core.ir.held import NOTHING_HELD, Held
from core.ir.layout import MemoryLayout
from core.ir.options import Allocator, Engine, Options, Strategy
from core.ir.schedule import OpPlan, Schedule
from core.memory import run as memory
from core.memory.packing import DEFAULT_OPTIONS, AllocationOptions
from core.pipeline.losses import Losses, is_lower, next_losses
from core.schedule import run as schedule
from core.schedule.question import Question
from core.schedule.run import Preparations, Prepared
from core.target.target import Target

_MOST_LOSSES = 8
"""The search is told so many times where addresses are too high."""
_FIRST_CUTS = (64, 8)
"""The first lower limit is lower by what is missing, within these shares; then by twice as much."""
_LITTLE_SLOWER = 1.01
"""A schedule that leaves bytes free where they are lost is taken at once where it takes no more of
the cycles of the one that has no addresses; else less memory everywhere may cost less."""


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


def with_held(stages: Stages, found: Schedule, held: Held) -> MemoryLayout:
    """Addresses for a schedule, as they were where that has room; else all of them anew."""
    allocator = stages.options.allocator
    layout = stages.place(found, allocator, held=held)
    if layout.is_within_limits:
        return layout
    fresh = stages.place(found, allocator)
    if fresh.fast_area.is_torn and allocator is not Allocator.OPTIMAL:
        fresh = stages.place(found, Allocator.OPTIMAL, stages.effort)
    return min(layout, fresh, key=lambda each: each.fast_bytes)


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
        tried_bytes=over.height_bytes,
        available_bytes=over.limit_bytes,
    )


def _within(stages: Stages, found: Schedule) -> tuple[Schedule, MemoryLayout]:
    layout = stages.place(found, stages.options.allocator)
    is_short = layout.fast_area.lower_bound_bytes > stages.target.fast_limit_bytes
    if stages.is_smallest or (is_short and stages.options.freedoms.local_losses):
        found, layout = _lower(stages, found, layout)
    if stages.is_smallest:
        found, layout = _fastest_as_high(stages, found, layout)
    if not layout.fast_area.is_torn:
        return found, layout
    trial = _met(stages, found, layout)
    if trial is None:
        return found, layout
    return _recorded(stages, layout, trial), trial.layout


def _recorded(stages: Stages, layout: MemoryLayout, trial: _Trial) -> Schedule:
    """What has addresses within a limit, and that others were above it."""
    record = LimitMet(
        limit_bytes=stages.target.fast_limit_bytes,
        asked=stages.options.allocator,
        excess_bytes=layout.fast_area.excess_bytes,
        found_by=trial.allocator,
        searched_bytes=trial.searched_bytes,
        lost_bytes=tuple(sorted(trial.lost.items())),
    )
    found = trial.schedule
    return replace(found, decisions=(*found.decisions, record))


def _lower(stages: Stages, found: Schedule, layout: MemoryLayout) -> tuple[Schedule, MemoryLayout]:
    """The smallest schedule, or one for a limit that none meets, with addresses no higher than what
    is live at once where there are some. An island may take for speed what another one needs, and
    stand above it for that."""
    aim_bytes = layout.fast_area.lower_bound_bytes
    if layout.fast_area.height_bytes <= aim_bytes:
        return found, layout
    low = replace(stages, target=stages.target.with_limit(aim_bytes))
    above = low.place(found, stages.options.allocator)
    trial = _placed(low, found, Allocator.OPTIMAL, aim_bytes)
    if trial is None:
        trial = _with_losses(low, found, above)
    if trial is None:
        return found, layout
    return _recorded(low, above, trial), trial.layout.within(layout)


def _fastest_as_high(
    stages: Stages, found: Schedule, layout: MemoryLayout
) -> tuple[Schedule, MemoryLayout]:
    """The smallest schedule whose addresses are above what is live at once, or one that is faster
    with addresses as high: those bytes are taken in any case."""
    area = layout.fast_area
    is_ours = stages.options.freedoms.local_losses and stages.options.engine is Engine.CASCADING
    if not is_ours or area.height_bytes <= found.peak_bytes:
        return found, layout
    options = replace(stages.options, strategy=Strategy.PERFORMANCE)
    target = stages.target.with_limit(area.height_bytes)
    as_high = replace(stages, target=target, options=options)
    other, _ = _within(as_high, as_high.first())
    if stages.cycles(other) >= stages.cycles(found):
        return found, layout
    for allocator in (options.allocator, Allocator.OPTIMAL):
        placed = stages.place(other, allocator)
        if placed.fast_area.height_bytes <= area.height_bytes:
            record = TakenAsHigh(
                size_bytes=placed.fast_area.height_bytes,
                peak_bytes_before=found.peak_bytes,
                cycles=stages.cycles(other),
                cycles_before=stages.cycles(found),
            )
            return replace(other, decisions=(*other.decisions, record)), placed
    return found, layout


class _Trial(Frozen, kw_only=False):
    """What has addresses within the limit."""

    schedule: Schedule
    layout: MemoryLayout
    allocator: Allocator
    searched_bytes: int
    lost: Losses = MappingProxyType({})


def _met(stages: Stages, found: Schedule, layout: MemoryLayout) -> _Trial | None:
    """This schedule with other addresses, or else one that takes less memory where addresses lose
    some, or everywhere, or as little as can be."""
    limit = stages.target.fast_limit_bytes
    if layout.fast_area.lower_bound_bytes <= limit:
        same = _placed(stages, found, Allocator.OPTIMAL, limit)
        if same is not None:
            return same
    best = _with_losses(stages, found, layout)
    if best is None or stages.cycles(best.schedule) > _LITTLE_SLOWER * stages.cycles(found):
        tried = (best, _for_less(stages, found, layout))
        trials = [trial for trial in tried if trial is not None]
        best = min(trials, key=lambda trial: stages.cycles(trial.schedule), default=None)
    return best or _smallest(stages, found, layout)


def _placed(
    stages: Stages, found: Schedule, allocator: Allocator, searched_bytes: int
) -> _Trial | None:
    layout = stages.place(found, allocator, stages.effort)
    within = layout.is_within_limits
    return _Trial(found, layout, allocator, searched_bytes) if within else None


def _with_losses(stages: Stages, found: Schedule, layout: MemoryLayout) -> _Trial | None:
    """A schedule that leaves free what addresses lose, where they lose it."""
    options, limit = stages.options, stages.target.fast_limit_bytes
    if not options.freedoms.local_losses or options.engine is not Engine.CASCADING:
        return None
    lost: Losses = {}
    useless: set[NpuOpId] = set()
    for _ in range(_MOST_LOSSES):
        more = next_losses(found, layout, lost, useless)
        if more is None:
            return None
        reserves = tuple(Reserve(op, op, size) for op, size in sorted(more.items()))
        other = replace(stages, question=replace(stages.question, lost=reserves)).search(limit)
        if stages.is_no_faster_than_known(other):
            return None
        placed = stages.place(other, options.allocator, stages.effort)
        if placed.is_within_limits:
            return _Trial(other, placed, options.allocator, limit, more)
        if is_lower(placed.fast_area, layout.fast_area):
            found, layout, lost, useless = other, placed, more, set()
        else:
            useless |= more.keys() - lost.keys()
    return None


def _for_less(stages: Stages, found: Schedule, layout: MemoryLayout) -> _Trial | None:
    """A schedule for less memory everywhere."""
    limit = searched = stages.target.fast_limit_bytes
    least, most = (limit // share for share in _FIRST_CUTS)
    cut = max(least, min(layout.fast_area.excess_bytes, most), 1)
    while (searched := searched - cut) > 0:
        before, found = found, stages.search(searched)
        if stages.is_no_faster_than_known(found):
            # Less memory still takes no fewer cycles.
            return None
        is_other = any(
            one.snapshot != other.snapshot
            for one, other in zip(before.islands, found.islands, strict=True)
        )
        placed = _placed_by_any(stages, found, searched) if is_other else None
        if placed is not None:
            return placed
        if not is_other and found.peak_bytes > searched:
            # Nothing takes less.
            return None
        cut *= 2
    return None


def _placed_by_any(stages: Stages, found: Schedule, searched_bytes: int) -> _Trial | None:
    """A schedule with the addresses of the allocator that was asked for, or of the other one."""
    for allocator in (stages.options.allocator, Allocator.OPTIMAL):
        placed = _placed(stages, found, allocator, searched_bytes)
        if placed is not None:
            return placed
    return None


def _smallest(stages: Stages, _: Schedule, __: MemoryLayout) -> _Trial | None:
    """The schedule that takes the least, whatever it costs: a limit that it meets is met."""
    if stages.is_smallest or not stages.options.freedoms.local_losses:
        return None
    options = replace(stages.options, strategy=Strategy.SIZE)
    found = replace(stages, options=options).search(stages.target.fast_limit_bytes)
    if stages.is_no_faster_than_known(found):
        return None
    return _placed(stages, found, options.allocator, found.peak_bytes)


def _a_step_earlier(found: Schedule, roomy: Set[NpuOpId]) -> Schedule:
    """With the step in which whoever had the place of these early weights before them has ended."""

    def earlier(plan: OpPlan) -> OpPlan:
        weights = plan.weights
        if weights is None or not weights.is_prefetched or plan.op not in roomy:
            return plan
        return replace(plan, weights=replace(weights, lead_steps=weights.lead_steps + 1))

    islands = (replace(island, ops=tuple(map(earlier, island.ops))) for island in found.islands)
    return replace(found, islands=tuple(islands))


class Stages(Frozen, kw_only=False, dict=True):
    """The search and the allocators for one question, and their judges."""

    searches: Preparations
    question: Question
    target: Target
    options: Options
    progress: Progress
    fixed: Fixed
    known: Schedule | None = None
    """What is no news; nor is what takes as many cycles."""

    @cached_property
    def prepared(self) -> Prepared:
        """What the search knows."""
        return self.searches.of(self.question)

    @property
    def is_smallest(self) -> bool:
        """Whether a schedule is to take as little as any can."""
        return self.options.strategy is Strategy.SIZE

    def is_no_faster_than_known(self, found: Schedule) -> bool:
        """Whether it takes as many cycles as what is known, with addresses left aside."""
        return self.known is not None and self.cycles(found) >= self._known_cycles

    @cached_property
    def _known_cycles(self) -> float:
        return math.inf if self.known is None else self.cycles(self.known)

    def cycles(self, found: Schedule) -> float:
        """What a schedule takes, with addresses left aside."""
        return schedule_cycles(self.prepared.prices, found, None)

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
        target, most_bytes = self.target, self.options.pareto.most_bytes
        if limit_bytes < target.fast_limit_bytes and self.options.engine is Engine.PARETO:
            # The front has the smaller schedules too.
            most_bytes = min(limit_bytes, most_bytes or limit_bytes)
        elif limit_bytes < target.fast_limit_bytes:
            target = target.with_limit(limit_bytes)
        asked = self.question.with_options(self.options)
        limit = target.fast_limit_bytes
        found = schedule.run(self.searches, asked, limit, most_bytes, self.progress)
        faults = schedule_check.verify(self.prepared.graph, target, found, self.prepared.runs)
        hold("the schedule", faults)
        return found

    def place(
        self,
        found: Schedule,
        allocator: Allocator,
        effort: AllocationOptions = DEFAULT_OPTIONS,
        held: Held = NOTHING_HELD,
    ) -> MemoryLayout:
        """Addresses for a schedule; what is held stays where it was, if it can."""
        layout = self._placed(found, allocator, effort, held)
        self.judge(found, layout)
        return layout

    def with_room_ahead(
        self,
        found: Schedule,
        roomy: Set[NpuOpId],
        effort: AllocationOptions,
        held: Held = NOTHING_HELD,
    ) -> MemoryLayout:
        """Addresses beside which early weights of these operators wait for nobody who was in their
        place; they are yet to be judged."""
        early = _a_step_earlier(found, roomy)
        return self._placed(early, self.options.allocator, effort, held)

    def _placed(
        self,
        found: Schedule,
        allocator: Allocator,
        effort: AllocationOptions,
        held: Held = NOTHING_HELD,
    ) -> MemoryLayout:
        return memory.run(
            self.prepared.graph,
            found,
            self.target,
            replace(self.options, allocator=allocator),
            self.progress,
            search=effort,
            fixed=self.fixed,
            held=held,
        )

    def judge(self, found: Schedule, layout: MemoryLayout) -> None:
        """Refuse addresses that are wrong."""
        graph, runs = self.prepared.graph, self.prepared.runs
        faults = memory_check.verify(graph, self.target, found, layout, self.fixed, runs)
        hold("the memory layout", faults)
