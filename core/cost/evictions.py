"""What it costs that feature maps are not in fast storage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.frozen import replace
from core.base.ids import FmId
from core.cost.island import costs_of_commands
from core.cost.model import CostModel
from core.cost.overlaps import Laid
from core.cost.stripes import StripePrices
from core.ir.cost import OperatorCost, Purpose
from core.ir.schedule import IslandSchedule, MapPlan, OpPlan
from core.ir.scheduled import Scheduled
from core.ir.trace import EvictionCost
from core.target.region import Region, memory_of


def eviction_costs(
    scheduled: Scheduled, prices: StripePrices | None = None
) -> tuple[EvictionCost, ...]:
    """For each group of maps that found no room, what the operators that touch it pay; a search
    has prices of the network on this target at hand."""
    schedule = scheduled.schedule
    if not any(island.evicted for island in schedule.islands):
        return ()
    if prices is None:
        prices = StripePrices(scheduled.graph, CostModel(scheduled.target))
    pricing = _Pricing(scheduled, prices)
    return tuple(
        pricing.of(island, position)
        for island in schedule.islands
        for position in range(len(island.evicted))
    )


class _Pricing:
    """Lets maps move to fast storage on paper, and sees what their operators would cost then."""

    def __init__(self, scheduled: Scheduled, prices: StripePrices) -> None:
        self._maps = scheduled.schedule.maps
        self._costs = scheduled.costs
        self._prices = prices
        self._overlaps = Laid(scheduled.graph, scheduled.layout)
        self._slow = memory_of(scheduled.target, Region.SCRATCH).area

    def of(self, island: IslandSchedule, position: int) -> EvictionCost:
        """The price of one group of maps."""
        evicted = island.evicted[position]
        now = [self._costs[plan.op] for plan in island.ops]
        then = self._costs_with(island.ops, frozenset(evicted.fms))
        beside = island.snapshot[evicted.start_time : evicted.end_time + 1]
        return EvictionCost(
            island=island.island,
            position=position,
            cycles=math.fsum(
                a.total_cycles - b.total_cycles for a, b in zip(now, then, strict=True)
            ),
            traffic_bytes=math.fsum(
                self._slow_bytes(a) - self._slow_bytes(b) for a, b in zip(now, then, strict=True)
            ),
            live_with_it_bytes=max(beside, default=0) + evicted.size_bytes,
        )

    def _costs_with(self, plans: Sequence[OpPlan], fms: frozenset[FmId]) -> Sequence[OperatorCost]:
        """What the operators of an island cost with these maps in fast storage."""

        def map_of(fm: FmId) -> MapPlan:
            plan = self._maps[fm]
            return replace(plan, region=Region.SCRATCH_FAST) if fm in fms else plan

        return costs_of_commands(self._prices, plans, map_of, self._overlaps)

    def _slow_bytes(self, cost: OperatorCost) -> float:
        """Bytes of feature maps that the slower memory moves."""
        return math.fsum(
            part.size_bytes
            for part in cost.traffic
            if part.area is self._slow and part.purpose is Purpose.FEATURE_MAP
        )
