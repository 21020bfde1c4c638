"""The cost of a whole network: operators run one after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from core.cost.operators import Bound, OperatorCost
from core.cost.rates import Rates
from core.cost.traffic import Direction, Purpose
from core.target.target import Area


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficTotal:
    """Bytes of one purpose that one memory reads or writes in an inference."""

    area: Area
    purpose: Purpose
    direction: Direction
    size_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkCost:
    """Sums over the operators of one inference."""

    macs: int
    npu_cycles: int
    sram_cycles: float
    dram_cycles: float
    on_chip_flash_cycles: float
    off_chip_flash_cycles: float
    total_cycles: float
    """Sum over operators of the slowest part of each."""
    bounds: tuple[tuple[Bound, int], ...]
    """How many operators each part bounds."""
    traffic: tuple[TrafficTotal, ...]
    clock_hz: float
    macs_per_cycle: int

    @property
    def seconds(self) -> float:
        """Time of one inference."""
        return self.total_cycles / self.clock_hz

    @property
    def inferences_per_second(self) -> float:
        """How often the network can run; infinite where it does nothing."""
        return 1 / self.seconds if self.total_cycles else math.inf

    @property
    def utilisation(self) -> float:
        """Share of the multiplications that the accelerator could have made meanwhile."""
        possible = self.total_cycles * self.macs_per_cycle
        return self.macs / possible if possible else 0.0

    def moved_bytes(
        self,
        area: Area,
        purpose: Purpose | None = None,
        direction: Direction | None = None,
    ) -> float:
        """Bytes that a memory moves, of one purpose or all, in one direction or both."""
        return math.fsum(
            total.size_bytes
            for total in self.traffic
            if total.area is area
            and purpose in (None, total.purpose)
            and direction in (None, total.direction)
        )


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
