"""The front of one island: schedules from the smallest to the fastest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.progress import Progress
from core.ir.cost import OperatorCost
from core.ir.schedule import MapPlan
from core.schedule.branches.flow import Flow
from core.schedule.branches.groups import Player
from core.schedule.draft import Draft
from core.schedule.estimates import Estimates
from core.schedule.pareto.assumptions import Assumption
from core.schedule.pareto.drafting import draft_of
from core.schedule.pareto.finish import Finisher
from core.schedule.pareto.front import pareto
from core.schedule.pareto.question import FrontQuestion
from core.schedule.pareto.search import Found, path, search, smallest
from core.schedule.pareto.sets import Filter, SetStep
from core.schedule.problem import IslandProblem
from core.schedule.reformat import AllRestored, FreeFormats
from core.schedule.solved import Solved, island_costs
from core.schedule.spilling import Spill

_LEVELS = (0.75, 0.5, 0.375, 0.25, 0.1875, 0.125)
"""Parts of what is of use that maps are moved into, where they live elsewhere."""

_NO_LIMIT = 1 << 62

_SHARES = (1.0, 0.5, 0.25, 0.0)
"""Parts of such a level that cascades and weights may take before maps move in."""


class Point(Frozen, dict=True):
    """A schedule of an island on its front."""

    solved: Solved
    costs: tuple[OperatorCost, ...]
    steps: tuple[SetStep, ...] = ()
    """Of what strategies it consists; none where the cascading engine has found it."""

    @cached_property
    def cycles(self) -> float:
        """Of all its operators, one after the other."""
        return math.fsum(cost.total_cycles for cost in self.costs)

    @property
    def peak_bytes(self) -> int:
        """Most bytes of fast storage that are live at once."""
        return self.solved.now.peak_bytes


class IslandFront(Frozen):
    """What was found for an island, from the smallest schedule to the fastest."""

    problem: IslandProblem
    points: tuple[Point, ...]
    combinations: int
    smallest_bytes: int
    """Nothing that was found needs less."""
    limit_bytes: int
    room_bytes: int
    """What is of use: the limit, or what operators on the CPU need."""
    most_points: int

    @property
    def is_above_limit(self) -> bool:
        """Whether nothing fits."""
        return self.points[0].peak_bytes > self.limit_bytes

    def with_points(self, found: Iterable[Point]) -> IslandFront:
        """The front with others, as far as no point is better than these."""
        points = front_of((*self.points, *found), self.room_bytes, self.most_points)
        smallest = min(self.smallest_bytes, points[0].peak_bytes)
        return replace(self, points=points, smallest_bytes=smallest)


def front_of(points: Sequence[Point], room_bytes: int, most: int) -> tuple[Point, ...]:
    """Points from the smallest to the fastest; those above the limit where nothing is in it."""
    within = [point for point in points if point.peak_bytes <= room_bytes]
    fitting = within or points
    values = np.array([(point.peak_bytes, point.cycles) for point in fitting], np.float64)
    return tuple(fitting[at] for at in pareto(values, most))


def without_overlap(problem: IslandProblem) -> IslandProblem:
    """The problem in which no output lies on an input."""
    nodes = tuple(replace(node, overwrites=(), alike=()) for node in problem.nodes)
    return replace(problem, nodes=nodes)


class IslandSearch(Frozen):
    """Finds the front of an island within a limit."""

    problem: IslandProblem
    estimates: Estimates
    defaults: Sequence[MapPlan]
    free: FreeFormats
    restored: AllRestored
    assumptions: Sequence[Assumption]
    question: FrontQuestion
    progress: Progress

    def run(self) -> IslandFront:
        """The front within the limit; where nothing is, that without a limit."""
        least = [self._smallest(each) for each in self.assumptions]
        smallest, *others = [min(each.sizes) for each in least]
        room = self._room_bytes if smallest <= self._room_bytes else _NO_LIMIT
        # Assumptions that can only hold with more memory than there is help nobody.
        sizes = [smallest, *(size for size in others if size <= room)]
        found = [
            self._search(each, room, size)
            for each, size in zip(self.assumptions, sizes, strict=False)
        ]
        if self.problem.storage.has_all_maps:
            found.append(self._tightest(least[0]))
            points = [*self._drawn(found[0], room), *self._drawn(found[1], smallest)]
        else:
            points = list(self._spilled(found))
        return IslandFront(
            problem=self.problem,
            points=front_of(points, self._room_bytes, self._most),
            combinations=sum(each.combinations for each in found),
            smallest_bytes=smallest,
            limit_bytes=self.question.limit_bytes,
            room_bytes=self._room_bytes,
            most_points=self._most,
        )

    @property
    def _most(self) -> int:
        return self.question.strategies.breadth.candidates

    @property
    def _room_bytes(self) -> int:
        # Less than what operators on the CPU need is of no use to anybody.
        return max(self.question.limit_bytes, self.problem.beside.elsewhere_bytes)

    def _smallest(self, given: Assumption) -> Found:
        return smallest(
            given.strategies,
            given.spans,
            self._most,
            self.progress,
        )

    def _tightest(self, least: Found) -> Found:
        """The cheapest of the smallest schedules.

        A wide search may lose all of them among its candidates. One that lets in nothing else
        mostly finds them; where it does not, those that were found without costs have to do.
        """
        size = min(least.sizes)
        found = self._search(self.assumptions[0], size, size)
        return found if found.last else least

    def _search(self, given: Assumption, room_bytes: int, floor_bytes: int) -> Found:
        rule = Filter(
            room_bytes=room_bytes,
            metric=self.question.metric,
            candidates=self._most,
        )
        return search(given.strategies, given.spans, rule, self.progress, floor_bytes=floor_bytes)

    def _drawn(self, found: Found, room_bytes: int) -> Iterator[Point]:
        """A schedule for each set that was found."""
        finisher = self._finisher()
        for number, last in enumerate(found.last):
            self.progress.advance("finishing schedules", number, len(found.last))
            drawn = self._draw(last)
            yield from self._points(drawn, finisher, room_bytes)

    def _spilled(self, found: Sequence[Found]) -> Iterator[Point]:
        """Schedules for some sizes of fast storage, each filled up with feature maps."""
        finisher = self._finisher()
        drawn: dict[int, _Drawn] = {}

        def filled(level: int) -> Iterator[Point]:
            for last in _promising(found, level):
                if id(last) not in drawn:
                    drawn[id(last)] = self._draw(last)
                known = drawn[id(last)]
                yield self._point(known, finisher.solved(known.draft, level))

        self.progress.advance("finishing schedules", 0, len(_LEVELS) + 1)
        top = self.question.limit_bytes
        for point in filled(top):
            yield point
            if not point.solved.sent_away:
                # More than this is of no use, so there is nothing to see above.
                top = min(top, max(point.peak_bytes, 1))
        levels = [int(top * share) for share in _LEVELS]
        if self.question.size_bytes is not None:
            levels.append(self.question.size_bytes)
        for number, level in enumerate(levels, 1):
            self.progress.advance("finishing schedules", number, len(levels) + 1)
            yield from filled(level)

    def _finisher(self) -> Finisher:
        return Finisher(
            problem=self.problem,
            estimates=self.estimates,
            limit_bytes=self.question.limit_bytes,
            eviction=self.question.eviction,
            progress=self.progress,
            player=Player(Flow(self.problem), lays_over=True)
            if self.estimates.options.freedoms.dead_rows
            else None,
        )

    def _draw(self, last: SetStep) -> _Drawn:
        steps = path(last)
        draft = draft_of(self.problem, self.estimates, steps)
        return _Drawn(steps, draft)

    def _points(self, drawn: _Drawn, finisher: Finisher, room_bytes: int) -> Iterator[Point]:
        """The schedule of a draft, and with maps in formats that are faster in as much memory."""
        solved = finisher.solved(drawn.draft, room_bytes)
        yield self._point(drawn, solved)
        if not self.free.fms:
            return

        def again(problem: IslandProblem, estimates: Estimates, draft: Draft) -> Spill:
            there = replace(finisher, problem=problem, estimates=estimates)
            return there.spilled(draft, room_bytes)

        given = self.free.priced(solved)
        most_bytes = solved.now.peak_bytes
        found = self.free.faster(given, self.estimates, most_bytes, again, self.restored)
        if found is not given:
            yield self._point(drawn, found.solved)

    def _point(self, drawn: _Drawn, solved: Solved) -> Point:
        costs = island_costs(solved, self.estimates, self.defaults)
        return Point(solved=solved, costs=costs, steps=drawn.steps)


class _Drawn(NamedTuple):
    """A complete set of strategies, and the draft that was made of it."""

    steps: tuple[SetStep, ...]
    draft: Draft


def _promising(found: Sequence[Found], level_bytes: int) -> list[SetStep]:
    """Ends of sets for so much memory.

    Where maps do not count, the cheapest that leave some of it for them, down to the smallest set;
    where they do, the cheapest that fits.
    """
    first, *others = found
    chosen = [_cheapest(first, int(level_bytes * share)) or _smallest(first) for share in _SHARES]
    chosen += [step for each in others if (step := _cheapest(each, level_bytes)) is not None]
    return list({id(step): step for step in chosen}.values())


def _cheapest(found: Found, most_bytes: int) -> SetStep | None:
    fitting = [at for at, size in enumerate(found.sizes) if size <= most_bytes]
    best = min(fitting, key=lambda at: (found.costs[at], at), default=None)
    return None if best is None else found.last[best]


def _smallest(found: Found) -> SetStep:
    return found.last[min(range(len(found.sizes)), key=found.sizes.__getitem__)]


def total_cycles(points: Sequence[Point]) -> float:
    """Cycles of islands that run one after the other."""
    return math.fsum(point.cycles for point in points)
