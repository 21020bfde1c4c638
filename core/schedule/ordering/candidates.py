"""Islands in other orders of their operators that are worth a search of their own."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.base.progress import Progress
from core.schedule.bonds import FREE
from core.schedule.branches.flow import Flow, ring_bytes
from core.schedule.estimates import Estimates
from core.schedule.ordering.best_first import smaller_orders
from core.schedule.ordering.climb import climbed, played
from core.schedule.problem import IslandProblem, in_order


def other_orders(
    problem: IslandProblem, estimates: Estimates, progress: Progress, *, is_for_least: bool
) -> Iterator[IslandProblem]:
    """The island in orders in which less is live, or in the one in which least is that is found;
    none where cascades are asked for, or reserves for several operators, which say what is beside
    what."""
    freedoms = estimates.options.freedoms
    spans = any(each.first != each.last for each in problem.reserves)
    is_asked = problem.bonds is not FREE or spans
    if not freedoms.operator_order or is_asked or not (needs := problem.needs).is_open:
        return

    def found() -> tuple[tuple[NpuOpId, ...], ...]:
        rolling = Flow(problem).rolling.values()
        least = {each.fm: ring_bytes(each, each.least_rows) for each in rolling}
        return smaller_orders(problem, needs, least, progress)

    orders = problem.smaller_orders.answer(None, found)
    others = [in_order(problem, ops, freedoms) for ops in orders]
    has_groups = freedoms.whole_cuts and problem.storage.has_all_maps
    if not (is_for_least and has_groups):
        yield from others
        return
    as_it_is = played(problem, freedoms, progress)
    starts = [as_it_is, *(played(other, freedoms, progress) for other in others)]
    best = min((climbed(start, freedoms, progress) for start in starts), key=lambda o: o.size_bytes)
    if best.size_bytes < as_it_is.size_bytes:
        yield best.problem
