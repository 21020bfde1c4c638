"""The fronts of a network: one for each problem, grown as far as somebody asked, and looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Protocol

from core.base.digest import digest
from core.base.errors import CoreError
from core.base.frozen import Changing, field, replace
from core.base.memo import Memo
from core.base.progress import SILENT, Progress
from core.ir.decisions import FrontAnswered
from core.ir.edits import Edit
from core.ir.front import GROUPED, STORED, Ask, Bound, Front, Point
from core.ir.options import Engine, Options, Strategy
from core.ir.schedule import FrontPoint, Schedule
from core.ir.scheduled import Run, Scheduled
from core.pipeline.best.all_ways import grouped, stored
from core.pipeline.best.grow import asked, steps
from core.pipeline.best.kept import Kept
from core.pipeline.best.nudges import nudged
from core.pipeline.best.packed import most_bytes, pack, unpack
from core.pipeline.best.plan import GROWN, PARETO, window_asks
from core.pipeline.best.problem import Problem
from core.pipeline.best.windows import searched_again
from core.target.target import Target

Bounding = Callable[[Target, Options], Bound]
"""What no schedule for a target does without, whatever its limit."""


class Searching(Protocol):
    """One search for one limit, with addresses and costs."""

    def __call__(
        self,
        target: Target,
        options: Options,
        progress: Progress,
        *,
        keeps_edits: bool = False,
        known: Schedule | None = None,
    ) -> Iterator[Scheduled]:
        """What is found, without edits that have no room, of which it takes many searches to tell
        why; where edits are kept, what is found is above the limit. Nothing is where that is known.
        """


_NEAR = 0.97
"""A schedule is priced before it has addresses; so near to the front it may belong there."""
_COARSE = 4 * GROWN
"""After so many steps little is left to find by asking for other limits."""
_PATIENCE, _LATER_PATIENCE = 8, 2
"""A part for the limit itself waits for so many steps of the front, but not after one that gained;
for fewer once the front is there."""
_WORTH_KEEPING = 3
_MOST_PROBLEMS = 4
"""Fronts that are kept of one network; each set of edits has its own."""


class Grown(Changing, kw_only=True):
    """What is known of a problem; both parts are one front to whoever asks."""

    by_plan: Front = field(default_factory=Front)
    """The same after as many steps, whatever was asked beside."""
    by_limits: Front = field(default_factory=Front)
    """Found for the very limits that were asked for."""
    kept_searches: int = 0
    """So many are kept already."""

    @property
    def searches(self) -> int:
        """All that were done; that there are no more is worth some of them."""
        end = _WORTH_KEEPING if self.by_plan.is_done else 0
        return len(self.by_plan.tried) + len(self.by_limits.tried) + end

    def joined(self, other: Grown) -> Grown:
        """What either of two processes has found."""
        longer = max(self.by_plan, other.by_plan, key=lambda each: len(each.tried))
        limits = self.by_limits.with_points(other.by_limits.points)
        known = {each.ask for each in limits.tried}
        tried = (*limits.tried, *(each for each in other.by_limits.tried if each.ask not in known))
        return Grown(by_plan=longer, by_limits=replace(limits, tried=tried))

    @property
    def front(self) -> Front:
        """The schedules of both."""
        return self.by_plan.with_points(self.by_limits.points)

    def cycles_of(self, ask: Ask) -> float | None:
        """What was found for a question, where it was asked."""
        tried = (*self.by_limits.tried, *self.by_plan.tried)
        return next((each.cycles for each in tried if each.ask == ask), None)

    def is_enough_for(self, target: Target, options: Options) -> bool:
        """Whether an answer to a new limit need not wait for a search of its own."""
        known, most = self.by_plan, target.fast_limit_bytes
        return (
            options.strategy is Strategy.PERFORMANCE
            and (known.is_done or len(known.tried) >= GROWN)
            and known.answer(most).fast_bytes <= most
        )

    def is_short_with(self, target: Target) -> bool:
        """Whether more memory is known to be faster."""
        front = self.front
        return front.answer(target.fast_limit_bytes) is not front.points[-1]

    def bytes_for_size(self, ask: Ask) -> int:
        """What Size takes where nothing has to be in fast storage; nothing where it is unknown."""
        tried = (*self.by_limits.tried, *self.by_plan.tried)
        return next((each.fast_bytes for each in tried if each.ask == ask), 0)


class Fronts(Changing):
    """Grows and keeps the fronts of one network."""

    run: Run
    search: Searching
    bound: Bounding
    kept: Kept | None = None
    """Where fronts outlive the process."""
    _known: Memo[Problem, Grown] = field(default_factory=lambda: Memo(_MOST_PROBLEMS))
    _bounds: Memo[Problem, Bound] = field(default_factory=lambda: Memo(1))
    _planned: Memo[Problem, Front] = field(default_factory=lambda: Memo(1))
    """The last one that was grown by plan alone, as far as somebody asked and no further."""

    def answer(self, target: Target, options: Options, progress: Progress = SILENT) -> Scheduled:
        """The best schedule for a target's limit, after as many steps as the options ask for."""
        for _ in self.growing(target, options, progress):
            pass
        return self.look_up(target, options, progress)

    def alone(self, target: Target, options: Options, progress: Progress = SILENT) -> Scheduled:
        """The best schedule for a target's limit, the same whatever was asked for before it.

        The front by plan is shared with other limits, and kept; what is asked for this one is asked
        anew.
        """
        problem, ops = Problem.of(target, options), self._windowed_ops(options)
        alone = Grown(by_plan=self._by_plan(problem, target, options, progress))
        windows = window_asks(target.mode.arena_cache_size, ops)
        count = max(len(alone.by_plan.tried) - GROWN + 1, 0)
        for ask in (*_own_asks(target, options), *islice(windows, count)):
            if alone.cycles_of(ask) is None:
                self._ask(alone, problem, ask, progress)
        return self._looked_up(alone, problem, target, options, progress)

    def _by_plan(
        self, problem: Problem, target: Target, options: Options, progress: Progress
    ) -> Front:
        """The front after as many steps as are asked for, and no more, whoever took them."""
        known = self._of(target, options)
        shorter = (self._planned.find(problem) or Front(), known.by_plan)
        found = max(
            (front for front in shorter if len(front.tried) <= options.effort),
            key=lambda front: len(front.tried),
            default=Front(),
        )
        ahead = self._ahead(found, problem, target, self._windowed_ops(options), progress)
        try:
            while len(found.tried) < options.effort and not found.is_done:
                found = next(ahead)
        finally:
            if len(found.tried) > len(known.by_plan.tried):
                known.by_plan = found
                self._keep(problem, known)
        self._planned.keep(problem, found)
        return found

    def growing(
        self, target: Target, options: Options, progress: Progress = SILENT
    ) -> Iterator[Front]:
        """The front after each step that is still to be done, first those for the limit itself."""
        known, problem = self._of(target, options), Problem.of(target, options)
        try:
            yield from self._grown(known, problem, target, options, progress)
        finally:
            self._keep(problem, known)

    def _grown(
        self,
        known: Grown,
        problem: Problem,
        target: Target,
        options: Options,
        progress: Progress,
    ) -> Iterator[Front]:
        own_asks = _own_asks(target, options)
        # What the plan asks soon takes less time then, as most of it is known by then.
        for ask in (ask for ask in own_asks if ask != PARETO):
            if known.cycles_of(ask) is None:
                progress.advance("growing the front", len(known.by_plan.tried), options.effort)
                self._ask(known, problem, ask, progress)
                yield known.front
        ops = self._windowed_ops(options)
        own = (
            ask
            for ask in window_asks(target.mode.arena_cache_size, ops)
            if known.cycles_of(ask) is None
        )
        ahead = self._ahead(known.by_plan, problem, target, ops, progress)
        has_gained = False
        while len(known.by_plan.tried) < options.effort and not known.by_plan.is_done:
            progress.advance("growing the front", len(known.by_plan.tried), options.effort)
            known.by_plan = next(ahead)
            yield known.front
            taken = len(known.by_plan.tried)
            patience = _PATIENCE if taken < _COARSE else _LATER_PATIENCE
            is_due = has_gained or taken % patience == 0
            is_turn = taken >= GROWN and is_due and known.is_short_with(target)
            part = next(own, None) if is_turn else None
            if part is not None:
                before = known.front.answer(target.fast_limit_bytes).rank
                self._ask(known, problem, part, progress)
                has_gained = known.front.answer(target.fast_limit_bytes).rank < before
                yield known.front
        for ask in own_asks:
            if known.cycles_of(ask) is None:
                self._ask(known, problem, ask, progress)
                yield known.front

    def _windowed_ops(self, options: Options) -> int:
        """Whoever has edits has said what is to be as it is."""
        return 0 if options.edits else len(self.run.graph.ops)

    def _ahead(
        self, front: Front, problem: Problem, target: Target, ops: int, progress: Progress
    ) -> Iterator[Front]:
        """The front by plan after each further step."""
        return steps(
            front,
            lambda ask, front: self._answers(problem, ask, front, progress),
            is_spilling=target.is_spilling,
            windowed_ops=ops,
        )

    def look_up(self, target: Target, options: Options, progress: Progress = SILENT) -> Scheduled:
        """The answer of the front as it stands; of a young one, with the direct search's."""
        known, problem = self._of(target, options), Problem.of(target, options)
        return self._looked_up(known, problem, target, options, progress)

    def _looked_up(
        self,
        known: Grown,
        problem: Problem,
        target: Target,
        options: Options,
        progress: Progress,
    ) -> Scheduled:
        own, *_ = _own_asks(target, options)
        if known.cycles_of(own) is None and not known.is_enough_for(target, options):
            self._ask(known, problem, own, progress)
        front, most = known.front, target.fast_limit_bytes
        if options.strategy is Strategy.SIZE:
            front = front.of_least_bytes()
            most = min(most, known.bytes_for_size(own)) if target.is_spilling else 0
        searches = len(known.by_plan.tried)
        point, direct_cycles = front.answer(most), known.cycles_of(own)
        bound = self._bound(problem)
        return _answered(front, point, target, options, direct_cycles, bound, searches)

    def _bound(self, problem: Problem) -> Bound:
        return self._bounds.answer(problem, lambda: self.bound(problem.target, problem.options))

    def _ask(self, known: Grown, problem: Problem, ask: Ask, progress: Progress) -> None:
        """Ask for a limit that somebody has."""
        known.by_limits = asked(
            known.by_limits,
            ask,
            lambda ask, _: self._answers(problem, ask, known.front, progress),
        )

    def _of(self, target: Target, options: Options) -> Grown:
        """What is known of a problem, which now is the one used last."""
        problem = Problem.of(target, options)
        return self._known.answer(problem, lambda: self._find(problem))

    def _find(self, problem: Problem) -> Grown:
        """What was kept of a problem; nothing where that is not known."""
        data = self.kept.find(self._key(problem), most_bytes(self.run)) if self.kept else None
        fronts = None if data is None else unpack(data, self.run, problem)
        if fronts is None:
            return Grown()
        found = Grown(by_plan=fronts[0], by_limits=fronts[1])
        found.kept_searches = found.searches
        return found

    def _keep(self, problem: Problem, known: Grown) -> None:
        """Keep what is worth the time that it takes to write."""
        if self.kept and known.searches - known.kept_searches >= _WORTH_KEEPING:
            found = known.joined(self._find(problem))
            with suppress(CoreError):
                data = pack(found.by_plan, found.by_limits)
                self.kept.put(self._key(problem), data, most_bytes(self.run))
            known.kept_searches = known.searches

    def _key(self, problem: Problem) -> str:
        return f"{self.run.graph.network} {digest(problem)}"

    def _answers(
        self, problem: Problem, ask: Ask, front: Front, progress: Progress
    ) -> Iterator[Point]:
        """What a question finds; of a front of its own, what may be better than what is known."""
        target, options = problem.target.with_limit(ask.limit_bytes), problem.asking(ask)
        if ask.windows is not None:
            limit = target.fast_limit_bytes
            point = front.answer(limit)
            is_nudge = ask.windows.size == 1 or ask.windows == STORED
            # A step away there may be more bytes; that is another point of the front.
            within = problem.target if is_nudge else target

            def search(edits: tuple[Edit, ...], known: Schedule) -> Scheduled | None:
                asked = replace(options, edits=edits)
                # Of what these decisions leave no room for, nobody wants to know why.
                found = self.search(within, asked, progress, keeps_edits=True, known=known)
                return next(found, None)

            yield point
            if ask.windows == GROUPED:
                yield from grouped(point, search)
            elif ask.windows == STORED:
                yield from stored(point, search)
            elif is_nudge:
                yield from nudged(point, ask.windows, limit, search)
            else:
                yield from searched_again(point, ask.windows, limit, search)
            return
        first, *others = self.search(target, options, progress)
        yield Point(scheduled=first, ask=ask)
        for other in first.schedule.front:
            if other.is_taken or _is_beaten(other, front):
                continue
            pareto = replace(options.pareto, most_bytes=other.peak_bytes)
            others += self.search(target, replace(options, pareto=pareto), progress)
        yield from (Point(scheduled=found, ask=ask) for found in others)


def _own_asks(target: Target, options: Options) -> tuple[Ask, ...]:
    """What is asked for the limit itself: the direct search first."""
    own = Ask(
        limit_bytes=target.mode.arena_cache_size,
        strategy=options.strategy,
        eviction=options.eviction,
    )
    return (own, replace(own, engine=Engine.PARETO)) if options.effort else (own,)


def _is_beaten(point: FrontPoint, front: Front) -> bool:
    """Whether a schedule that takes at least so much cannot enter a front."""
    if not front.points or front.points[0].fast_bytes > point.peak_bytes:
        return False
    edits_left_out, cycles = front.answer(point.peak_bytes).rank
    return not edits_left_out and cycles < _NEAR * point.cycles


def _answered(
    front: Front,
    point: Point,
    target: Target,
    options: Options,
    direct_cycles: float | None,
    bound: Bound,
    searches: int,
) -> Scheduled:
    """A point as the answer to a question: within its limit, with its options, and the front."""
    found, ask = point.scheduled, point.ask
    record = FrontAnswered(
        limit_bytes=target.fast_limit_bytes,
        engine=ask.engine,
        strategy=ask.strategy,
        eviction=ask.eviction,
        searched_bytes=ask.limit_bytes,
        changes=point.changes,
        cycles=point.cycles,
        direct_cycles=direct_cycles,
        least_cycles=bound.cycles,
        least_bytes=bound.fast_bytes,
        points=len(front.points),
        searches=searches,
        is_done=front.is_done,
    )
    areas = tuple(
        replace(area, limit_bytes=target.fast_limit_bytes)
        if area is found.layout.fast_area
        else area
        for area in found.layout.areas
    )
    return replace(
        found,
        target=target,
        options=options,
        layout=replace(found.layout, areas=areas),
        schedule=replace(
            found.schedule,
            decisions=(*found.schedule.decisions, record),
            front=tuple(_front_point(each, is_taken=each is point) for each in front.points),
        ),
    )


def _front_point(point: Point, *, is_taken: bool) -> FrontPoint:
    cascades = [each for island in point.scheduled.schedule.islands for each in island.cascades]
    return FrontPoint(
        cost=point.scheduled.total,
        peak_bytes=point.fast_bytes,
        cascades=len(cascades),
        cascaded_ops=sum(len(each.ops) for each in cascades),
        evicted_bytes=point.scheduled.schedule.evicted_bytes,
        is_taken=is_taken,
        engine=point.ask.engine,
        searched_bytes=point.ask.limit_bytes,
        changes=point.changes,
    )
