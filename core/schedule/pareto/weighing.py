"""What the search takes cycles, traffic and memory to be worth, and how much it looks at."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.base.frozen import Frozen
from core.cost.rates import Rates
from core.ir.cost import OperatorCost
from core.ir.options import ParetoWeights
from core.target.target import Area

_TRAFFIC_SHARE = 0.01
"""A byte counts as this part of the cycles that its memory takes for it.

Operators wait for traffic already where it is too much; what counts here is that of two schedules
that are equally fast the one that moves less is better.
"""


class Weighing(Frozen):
    """Weights of what a schedule costs."""

    cycle: float
    byte: Mapping[Area, float]
    """Of a byte that a memory moves."""

    @classmethod
    def of(cls, rates: Rates, given: ParetoWeights) -> Weighing:
        """What is given; else cycles first, and traffic where cycles tie, that of slow memories
        the more."""
        cycle, traffic = float(given.cycle), float(given.traffic_cycle)
        if not (cycle or traffic):
            cycle, traffic = 1.0, _TRAFFIC_SHARE
        shares = {area: traffic / rate.bytes_per_cycle for area, rate in rates.areas.items()}
        return cls(cycle=cycle, byte=MappingProxyType(shares))

    def cost(self, cost: OperatorCost) -> float:
        """What an operator costs, in weighted cycles."""
        moved = sum(self.byte[part.area] * part.size_bytes for part in cost.traffic)
        return self.cycle * cost.total_cycles + moved


class Breadth(Frozen):
    """How much the search looks at."""

    candidates: int = 16
    """Partial schedules that are continued, of those that end with the same operator."""
    blocks_per_end: int = 8
    """Blocks of an operator, from the largest downwards and from the smallest upwards."""
