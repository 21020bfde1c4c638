"""Which ranges show that a limit cannot be met: without any one of them the proof would fall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.base.errors import DoesNotFit
from core.base.progress import Progress
from core.memory.budget import Budget, OutOfNodes
from core.memory.decide import decide
from core.memory.problem import (
    AllocationOptions,
    Problem,
    Range,
    ShouldStop,
    lower_bound,
    never,
)
from core.memory.sections import sections_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Culprits:
    """Ranges that do not fit a limit even when they are alone."""

    indices: tuple[int, ...]
    is_irreducible: bool
    """Whether it is proven that they fit as soon as any one of them is left out."""

    def refusal(self, problem: Problem, needed_bytes: int) -> DoesNotFit:
        """The error that names them."""
        names = (problem.ranges[index].name for index in self.indices)
        return DoesNotFit(problem.limit_bytes or 0, needed_bytes, names)


def culprits(
    problem: Problem,
    options: AllocationOptions,
    progress: Progress,
    should_stop: ShouldStop = never,
) -> Culprits | None:
    """Ranges that do not fit the problem's limit; None where that is not proven of all of them."""
    limit = problem.limit_bytes
    indices = [index for index, item in enumerate(problem.ranges) if item.size_bytes]
    if limit is None or not indices:
        return None
    budget = Budget(options.node_limit, should_stop, progress)
    crowd = _crowd(problem.ranges, indices, limit)
    if crowd is None and _fits(problem.ranges, indices, limit, budget, 2) is not False:
        return None
    kept = list(indices if crowd is None else crowd)
    is_irreducible = True
    # The small ones are tried first, so that the large ones remain to be named.
    order = sorted(kept, key=lambda index: (problem.ranges[index].size_bytes, -index))
    for number, index in enumerate(order):
        rest = [other for other in kept if other != index]
        fits = _fits(problem.ranges, rest, limit, budget, len(order) - number)
        if fits is False:
            kept = rest
        elif fits is None:
            is_irreducible = False
    return Culprits(indices=tuple(kept), is_irreducible=is_irreducible)


def _crowd(ranges: Sequence[Range], indices: Sequence[int], limit: int) -> list[int] | None:
    """What is live at the first time that is too full by its sum alone."""
    for time in sorted({ranges[index].start_time for index in indices}):
        live = [i for i in indices if ranges[i].start_time <= time <= ranges[i].end_time]
        if lower_bound([ranges[index] for index in live]) > limit:
            return live
    return None


def _fits(
    ranges: Sequence[Range], indices: Sequence[int], limit: int, budget: Budget, turns: int
) -> bool | None:
    """Whether these ranges fit; None where that is not found out."""
    chosen = [ranges[index] for index in indices]
    if not chosen:
        return True
    if lower_bound(chosen) > limit:
        return False
    try:
        with budget.share(budget.nodes // turns + 1) as part:
            return decide(sections_of(chosen), limit, part) is not None
    except OutOfNodes:
        return None
