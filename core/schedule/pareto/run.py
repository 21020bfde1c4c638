"""The door of the Pareto engine: the front of a network, and the schedule that is taken of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.progress import Progress
from core.cost.operators import network_cost
from core.ir.options import Options, ParetoWeights, Strategy
from core.ir.schedule import FrontPoint
from core.schedule.pareto.assumptions import Assumer, Assumption
from core.schedule.pareto.collate import NetworkPoint, collate
from core.schedule.pareto.islands import (
    IslandFront,
    IslandSearch,
    without_overlap,
)
from core.schedule.pareto.joined import Cascading, with_cascading
from core.schedule.pareto.log import decisions
from core.schedule.pareto.question import FrontQuestion, StrategyQuestion
from core.schedule.pareto.weighing import Breadth
from core.schedule.problem import IslandProblem
from core.schedule.reformat import FreeFormats
from core.schedule.solved import Solved, costs_as_commands, evicted_maps
from core.schedule.stored import Stored

_KIB = 1024


class Taken(Frozen):
    """The schedule that was taken, and the front that it was taken from."""

    islands: tuple[Solved, ...]
    front: tuple[FrontPoint, ...]


def solve(
    stored: Stored,
    free: FreeFormats,
    limit_bytes: int,
    size_bytes: int | None,
    most_bytes: int | None,
    progress: Progress,
    cascading: Cascading,
) -> Taken:
    """The schedule of all islands that suits the options best, or takes at most so many bytes.

    Where nothing has to be in fast storage, Size does not leave it empty, but takes `size_bytes`.
    """
    options = stored.estimates.options
    engine = _Engine(stored, free, progress, cascading)
    fronts = engine.fronts(_question(limit_bytes, size_bytes, options))
    points = collate(fronts)
    if not points:
        return Taken(islands=(), front=())
    chosen = _chosen(points, limit_bytes, options, size_bytes, most_bytes)
    return Taken(
        islands=tuple(
            replace(
                point.solved,
                formats=free.records(free.priced(point.solved)),
                decisions=tuple(decisions(front, point, stored.estimates.model.target)),
            )
            for front, point in zip(fronts, chosen.points, strict=True)
        ),
        front=tuple(_frozen(point, stored, is_taken=point is chosen) for point in points),
    )


def _question(limit_bytes: int, size_bytes: int | None, options: Options) -> FrontQuestion:
    """What is asked about a front, whichever of its points will be taken."""
    return FrontQuestion(
        limit_bytes=limit_bytes,
        metric=options.pareto.metric,
        eviction=options.eviction,
        strategies=StrategyQuestion(
            cascading=options.pareto.cascading,
            ifm_streaming=options.pareto.ifm_streaming,
            overlap=options.pareto.overlap,
            breadth=Breadth(blocks_per_end=options.pareto.blocks_per_end),
            weights=options.pareto.weights,
        ),
        size_bytes=size_bytes,
    )


def _chosen(
    points: Sequence[NetworkPoint],
    limit_bytes: int,
    options: Options,
    size_bytes: int | None,
    most_bytes: int | None,
) -> NetworkPoint:
    """The best point by weights or for the strategy: the fastest within what is aimed at, or the
    smallest."""
    weights = options.pareto.weights
    if most_bytes is None and weights.are_given:
        fitting = [point for point in points if point.peak_bytes <= limit_bytes]
        return min(fitting or points[:1], key=lambda point: _weighed(weights, point))
    aim_bytes = size_bytes if most_bytes is None else most_bytes
    if aim_bytes is None and options.strategy is Strategy.SIZE:
        return points[0]
    most = limit_bytes if aim_bytes is None else aim_bytes
    fitting = [point for point in points if point.peak_bytes <= most]
    return fitting[-1] if fitting else points[0]


def _weighed(weights: ParetoWeights, point: NetworkPoint) -> float:
    """The sum by which a schedule is taken where weights are given."""
    busy = math.fsum(math.fsum(cost.parts[1:]) for each in point.points for cost in each.costs)
    memory = weights.kib * point.peak_bytes / _KIB
    return weights.cycle * point.cycles + weights.traffic_cycle * busy + memory


def _frozen(point: NetworkPoint, stored: Stored, *, is_taken: bool) -> FrontPoint:
    """A point by the price of its commands, whatever the search went by."""
    estimates = stored.estimates
    cascades = [
        cascade for island in point.points for cascade in island.solved.draft.cascades.values()
    ]
    return FrontPoint(
        cost=network_cost(
            estimates.prices.model.rates,
            (
                cost
                for island in point.points
                for cost in costs_as_commands(island.solved, estimates, stored.defaults)
            ),
        ),
        peak_bytes=point.peak_bytes,
        cascades=len(cascades),
        cascaded_ops=sum(cascade.last - cascade.first + 1 for cascade in cascades),
        evicted_bytes=sum(
            item.size_bytes for island in point.points for item in evicted_maps(island.solved)
        ),
        is_taken=is_taken,
        ecosystem_cycles=None if estimates.options.freedoms.measured_price else point.cycles,
    )


class _Engine(NamedTuple):
    stored: Stored
    free: FreeFormats
    progress: Progress
    cascading: Cascading

    def fronts(self, question: FrontQuestion) -> tuple[IslandFront, ...]:
        """The front of each island, which does not depend on the point that is taken."""

        def found() -> tuple[IslandFront, ...]:
            own = [self._front(problem, question) for problem in self.stored.problems]
            return with_cascading(own, question, self.stored, self.cascading)

        return self.stored.pareto.fronts.answer(question, found)

    def _front(self, given: IslandProblem, question: FrontQuestion) -> IslandFront:
        problem = given if question.strategies.overlap else without_overlap(given)
        return IslandSearch(
            problem=problem,
            estimates=self.stored.estimates,
            defaults=self.stored.defaults,
            free=self.free,
            restored=self.stored.known.restored,
            assumptions=self._assumptions(problem, question.strategies),
            question=question,
            progress=self.progress,
        ).run()

    def _assumptions(
        self, problem: IslandProblem, question: StrategyQuestion
    ) -> tuple[Assumption, ...]:
        assumer = Assumer(
            problem=problem,
            estimates=self.stored.estimates,
            defaults=self.stored.defaults,
            question=question,
            progress=self.progress,
        )
        key = problem.island.id, question
        return self.stored.pareto.assumptions.answer(key, assumer.run)
