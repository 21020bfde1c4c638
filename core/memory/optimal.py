"""Optimal: the lowest layout, found by asking for one capacity after the other.

Parts of the problem that have no time in common are searched apart. Each is first laid out by
quick means; where that is not yet at the lower bound, the exact search is asked for the bound
itself and then for capacities between what is proven impossible and what is known to work. Parts
with ranges whose address is given, or that may share bytes, have what the quick means and
HillClimb find.
"""

from __future__ import annotations

from core.base.frozen import Changing
from core.base.progress import Progress
from core.memory import greedy, hillclimb
from core.memory.fit import PREFERENCES, Budget, OutOfNodes, Trouble, fit
from core.memory.packing import (
    AllocationOptions,
    Packing,
    Range,
    Shares,
    Solution,
    lower_bound,
    parts,
    solution_of,
)
from core.memory.sections import Sections, sections_of

_QUICK_ITERATIONS = 100
"""HillClimb's share of the quick means; all of it follows where the search stays open."""

_FIRST_TURN_PER_RANGE = 2
"""Nodes of the first turn; some order often succeeds without ever turning back."""
_SHORT_TURN_PER_RANGE, _ROUNDS, _LONGER = 4, 4, 1.1
"""Nodes of a turn that learns, and after how many rounds of all orders it grows by how much."""


def allocate(
    problem: Packing,
    options: AllocationOptions,
    progress: Progress,
) -> Solution:
    """A layout that is never above HillClimb's, and the height that no layout can be below."""
    best = _quick(problem, options, progress)
    goal = best.lower_bound_bytes
    if options.stops_at_limit and problem.limit_bytes is not None:
        goal = max(goal, problem.limit_bytes)
    if best.height_bytes <= goal:
        return best
    searched = _parts_together(problem, best, options, progress)
    if searched.height_bytes <= max(goal, searched.lower_bound_bytes) or not options.climbs:
        return searched
    climbed = hillclimb.allocate(problem, options, progress)
    if climbed.height_bytes >= searched.height_bytes:
        return searched
    return solution_of(problem, climbed.addresses, searched.lower_bound_bytes)


def _quick(problem: Packing, options: AllocationOptions, progress: Progress) -> Solution:
    short = AllocationOptions(iteration_limit=_QUICK_ITERATIONS, seed=options.seed)
    best = hillclimb.allocate(problem, short, progress)
    if best.is_proven_optimal:
        return best
    others = (greedy.allocate(problem, options, progress), *greedy.first_fits(problem))
    return min((best, *others), key=lambda found: found.height_bytes)


def _parts_together(
    problem: Packing,
    best: Solution,
    options: AllocationOptions,
    progress: Progress,
) -> Solution:
    """Every part at its own lowest; what another part needs anyway is low enough for all."""
    addresses = list(best.addresses)
    budget = Budget(options.node_limit, progress)
    bound = best.lower_bound_bytes
    goal = problem.limit_bytes if options.stops_at_limit else None
    sharing = Shares(problem).sharing
    for indices in parts(problem.ranges):
        ranges = tuple(problem.ranges[index] for index in indices)
        if any(item.address is not None for item in ranges) or not sharing.isdisjoint(indices):
            continue
        known = [addresses[index] for index in indices]
        part = _Bisection(ranges, known, max(bound, goal or 0), budget)
        part.run(problem.limit_bytes)
        bound = max(bound, part.proven)
        for index, address in zip(indices, part.addresses, strict=True):
            addresses[index] = address
    return solution_of(problem, addresses, bound)


def decide(sections: Sections, capacity: int, budget: Budget) -> list[int] | None:
    """Addresses within the capacity, or None where there are none; the first order to know ends it.

    Long turns, each of which begins anew, alternate with as many nodes of short ones, before which
    those ranges go first that had no room in the ones before. Raises `OutOfNodes` where no turn
    knows within the budget.
    """
    turn = _FIRST_TURN_PER_RANGE * sections.count
    short = _Short(sections, capacity, budget)
    while budget.nodes > 0:
        for preference in PREFERENCES:
            try:
                with budget.share(turn) as part:
                    return fit(sections, capacity, preference, part)
            except OutOfNodes:
                continue
        try:
            return short.go_on(len(PREFERENCES) * turn)
        except OutOfNodes:
            turn *= 2
    raise OutOfNodes


class _Short:
    """Turns that learn from each other."""

    def __init__(self, sections: Sections, capacity: int, budget: Budget) -> None:
        self._sections, self._capacity, self._budget = sections, capacity, budget
        self._trouble = {each: Trouble.none(sections.count) for each in PREFERENCES}
        self._turn, self._rounds = _SHORT_TURN_PER_RANGE * sections.count, 0

    def go_on(self, nodes: int) -> list[int] | None:
        """As `decide` does, for so many nodes or a few more."""
        end = max(self._budget.nodes - nodes, 0)
        while self._budget.nodes > end:
            for preference, trouble in self._trouble.items():
                try:
                    with self._budget.share(self._turn) as part:
                        return fit(self._sections, self._capacity, preference, part, trouble)
                except OutOfNodes:
                    trouble.learn()
            self._rounds += 1
            if self._rounds % _ROUNDS == 0:
                self._turn = int(self._turn * _LONGER)
        raise OutOfNodes


class _Bisection(Changing):
    """Lowers the height of one part until it is proven or the budget ends."""

    ranges: tuple[Range, ...]
    addresses: list[int]
    enough: int
    """A height that need not be improved upon."""
    budget: Budget
    proven: int = 0

    def run(self, limit_bytes: int | None) -> None:
        """Improve the addresses, and raise what is proven impossible to go below."""
        self.proven = lower_bound(self.ranges)
        height = self._height()
        if height <= max(self.enough, self.proven):
            return
        sections = sections_of(self.ranges)
        low = max(self.proven, self.enough)
        if limit_bytes is not None and low < limit_bytes < height:
            height, low = self._ask(sections, limit_bytes, height, low)
        target = low
        while low < height and self.budget.nodes > 0:
            height, low = self._ask(sections, target, height, low)
            target = (low + height) // 2

    def _ask(self, sections: Sections, capacity: int, height: int, low: int) -> tuple[int, int]:
        """Height and lowest promising capacity after the question whether this one suffices."""
        try:
            # Half of what is left: an open question leaves nodes for easier ones.
            with self.budget.share(self.budget.nodes // 2 + 1) as part:
                found = decide(sections, capacity, part)
        except OutOfNodes:
            return height, capacity + 1
        if found is not None:
            self.addresses = found
            return self._height(), low
        self.proven = max(self.proven, capacity + 1)
        return height, capacity + 1

    def _height(self) -> int:
        pairs = zip(self.ranges, self.addresses, strict=True)
        return max(address + item.size_bytes for item, address in pairs)
