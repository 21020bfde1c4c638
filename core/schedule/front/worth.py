"""What it is worth in cycles that maps are in fast storage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cached_property

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.schedule.draft import Draft, rolling_maps
from core.schedule.front.prices import NodePrices
from core.schedule.problem import Node
from core.schedule.spilling import SavedCycles


class Saved(Frozen, kw_only=False, eq=False, dict=True):
    """Cycles that the maps of a draft save in fast storage.

    What one map saves depends on where the others are, as an operator waits for the slowest of
    all that it reads and writes.
    """

    prices: NodePrices
    draft: Draft

    def cycles(self, fast: Collection[FmId]) -> float:
        """Of all operators, with these maps in fast storage."""
        return sum(
            self._cost(node, own.intersection(fast), rolling)
            for node, own, rolling in self._touching
        )

    def beside(self, fast: Collection[FmId] | None) -> dict[FmId, int]:
        """What each map saves beside these; where it is not known yet which are there, the mean of
        what it does as the only one near, and as the only one away."""
        saved = defaultdict[FmId, float](float)
        for node, own, rolling in self._touching:
            ways = (frozenset[FmId](), own) if fast is None else (own.intersection(fast),)
            for fm in own:
                alone = frozenset({fm})
                costs = [
                    self._cost(node, there - alone, rolling)
                    - self._cost(node, there | alone, rolling)
                    for there in ways
                ]
                saved[fm] += sum(costs) / len(ways)
        return {fm: round(cycles) for fm, cycles in saved.items()}

    @cached_property
    def _touching(self) -> tuple[tuple[Node, frozenset[FmId], frozenset[FmId]], ...]:
        """Operators with maps that may be in fast storage or not, and with those that roll."""
        problem, rolling = self.prices.problem, frozenset(rolling_maps(self.draft))
        movable = problem.movable - rolling
        each = [
            (node, movable.intersection(node.fms), rolling.intersection(node.fms))
            for node in problem.nodes
        ]
        return tuple([(node, own, rolls) for node, own, rolls in each if own])

    def _cost(self, node: Node, near: frozenset[FmId], rolling: frozenset[FmId]) -> float:
        plan = self.draft.ops[node.index]
        height = plan.cost.stripe.ofm.h if plan.cascade is not None else 0
        cost = self.prices.of(node, height, near | rolling)
        keeps_weights = plan.weights is not None and bool(plan.weights.buffers)
        return cost.kept_cycles if keeps_weights else cost.cycles


def slower(saved: SavedCycles, near: frozenset[FmId], most_cycles: float) -> frozenset[FmId]:
    """Those of some maps that cost more cycles than that in fast storage: the worst leaves first,
    as long as one does."""
    there = near
    while True:
        worth = saved.beside(there)
        worst = min(there, key=lambda fm: worth.get(fm, 0), default=None)
        if worst is None or worth.get(worst, 0) >= -most_cycles:
            return near - there
        there -= {worst}
