"""What it costs that feature maps are not in fast storage."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from core.base.ids import FmId, NpuOpId
from core.cost.from_schedule import steps
from core.cost.operators import operator_cost
from core.cost.rates import Rates
from core.ir.cost import OperatorCost, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import IslandSchedule, MapPlan, OpPlan, Schedule
from core.ir.trace import EvictionCost
from core.target.region import Region, memory_of
from core.target.target import Target


def eviction_costs(
    graph: NpuGraph, target: Target, schedule: Schedule, costs: Sequence[OperatorCost]
) -> tuple[EvictionCost, ...]:
    """For each group of maps that found no room, what the operators that touch it pay."""
    if not any(island.evicted for island in schedule.islands):
        return ()
    pricing = _Pricing(graph, target, schedule, costs)
    return tuple(
        pricing.of(island, position)
        for island in schedule.islands
        for position in range(len(island.evicted))
    )


class _Pricing:
    """Lets maps move to fast storage on paper, and sees what their operators would cost then."""

    def __init__(
        self, graph: NpuGraph, target: Target, schedule: Schedule, costs: Sequence[OperatorCost]
    ) -> None:
        self._graph = graph
        self._target = target
        self._maps = schedule.maps
        self._costs = costs
        self._rates = Rates.of(target)
        self._slow = memory_of(target, Region.SCRATCH).area
        self._touching: defaultdict[FmId, set[NpuOpId]] = defaultdict(set)
        for op in graph.ops:
            for view in op.views:
                self._touching[view.fm].add(op.id)

    def of(self, island: IslandSchedule, position: int) -> EvictionCost:
        """The price of one group of maps."""
        evicted = island.evicted[position]
        fms = frozenset(evicted.fms)
        touching = {op for fm in fms for op in self._touching[fm]}
        cycles, moved = 0.0, 0.0
        for place, plan in enumerate(island.ops):
            if plan.op not in touching:
                continue
            now = self._costs[plan.op]
            then = self._cost(island.ops[max(place - 1, 0) : place + 1], fms)
            cycles += now.total_cycles - then.total_cycles
            # A copy that stays in one memory is free, so that moving its end can cost traffic.
            moved += max(self._slow_bytes(now) - self._slow_bytes(then), 0.0)
        beside = island.snapshot[evicted.start_time : evicted.end_time + 1]
        return EvictionCost(
            island=island.island,
            position=position,
            cycles=cycles,
            traffic_bytes=moved,
            staying_limit_bytes=max(beside, default=0) + evicted.size_bytes,
        )

    def _cost(self, plans: Sequence[OpPlan], fms: frozenset[FmId]) -> OperatorCost:
        """What the last operator costs with these maps in fast storage; the first gives slack."""

        def map_of(fm: FmId) -> MapPlan:
            plan = self._maps[fm]
            return replace(plan, region=Region.SCRATCH_FAST) if fm in fms else plan

        *_, step = steps(self._graph, self._target, plans, map_of)
        return operator_cost(self._rates, step)

    def _slow_bytes(self, cost: OperatorCost) -> float:
        """Bytes of feature maps that the slower memory moves."""
        return math.fsum(
            part.size_bytes
            for part in cost.traffic
            if part.area is self._slow and part.purpose is Purpose.FEATURE_MAP
        )
