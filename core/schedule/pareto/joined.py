"""Fronts of strategies joined with what the cascading engine finds within some sizes.

Prices of strategies add up along chains. What does not has no place among them: cascades across
branches, other orders of operators, weights that come while the operator before leaves time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.base.frozen import replace
from core.schedule.pareto.islands import IslandFront, Point
from core.schedule.pareto.question import FrontQuestion
from core.schedule.solved import Solved, island_costs
from core.schedule.stored import Stored

Cascading = Callable[[int], Sequence[Solved]]
"""What the cascading engine finds for all islands within a limit."""

_PARTS = (2, 4)
"""What the fastest takes, divided by these, is asked for where the limit is far above it."""


def with_cascading(
    fronts: Sequence[IslandFront], question: FrontQuestion, stored: Stored, cascading: Cascading
) -> tuple[IslandFront, ...]:
    """The same fronts with its schedules, where they have the same price and nothing is switched
    off that it would do."""
    is_comparable = (
        stored.estimates.options.freedoms.priced_stripes and question.strategies.are_free
    )
    if not is_comparable or not fronts:
        return tuple(fronts)
    found = [cascading(limit) for limit in _limits(fronts, question)]
    return tuple(
        front.with_points(_point(each, question, stored) for each in solved)
        for front, *solved in zip(fronts, *found, strict=True)
    )


def _limits(fronts: Sequence[IslandFront], question: FrontQuestion) -> Iterator[int]:
    limit = question.limit_bytes
    yield limit
    if fronts[0].problem.storage.has_all_maps:
        yield 0
        most = max(front.points[-1].peak_bytes for front in fronts)
        yield from (most // part for part in _PARTS if limit > 2 * most)
    if question.size_bytes is not None:
        yield question.size_bytes


def _point(solved: Solved, question: FrontQuestion, stored: Stored) -> Point:
    own = replace(solved, limit_bytes=question.limit_bytes)
    return Point(solved=own, costs=island_costs(own, stored.estimates, stored.defaults))
