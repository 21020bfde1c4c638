"""The cost of a whole network: operators run one after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from core.cost.rates import Rates
from core.ir.cost import Bound, Direction, NetworkCost, OperatorCost, Purpose, TrafficTotal
from core.target.target import Area


def network_cost(rates: Rates, costs: Iterable[OperatorCost]) -> NetworkCost:
    """The sum of what operators cost."""
    operators = tuple(costs)
    moved: defaultdict[tuple[Area, Purpose, Direction], float] = defaultdict(float)
    for cost in operators:
        for part in cost.traffic:
            moved[part.area, part.purpose, part.direction] += part.size_bytes
    bounds = [cost.bound for cost in operators]
    return NetworkCost(
        macs=sum(cost.macs for cost in operators),
        npu_cycles=sum(cost.npu_cycles for cost in operators),
        sram_cycles=math.fsum(cost.sram_cycles for cost in operators),
        dram_cycles=math.fsum(cost.dram_cycles for cost in operators),
        on_chip_flash_cycles=math.fsum(cost.on_chip_flash_cycles for cost in operators),
        off_chip_flash_cycles=math.fsum(cost.off_chip_flash_cycles for cost in operators),
        total_cycles=math.fsum(cost.total_cycles for cost in operators),
        bounds=tuple((bound, bounds.count(bound)) for bound in Bound),
        traffic=tuple(
            TrafficTotal(area=area, purpose=purpose, direction=direction, size_bytes=size)
            for area in Area
            for purpose in Purpose
            for direction in Direction
            if (size := moved[area, purpose, direction])
        ),
        clock_hz=rates.clock_hz,
        macs_per_cycle=rates.accelerator.macs_per_cycle,
    )
