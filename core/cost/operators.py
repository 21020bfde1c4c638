"""The whole cost of an operator, its cycles, what is moved for it, and which of them bounds it; and
that of a network, whose operators run one after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from core.cost.price import Price
from core.cost.rates import Rates
from core.cost.traffic import busy_cycles, traffic
from core.cost.work import Step
from core.ir.cost import Bound, Direction, NetworkCost, OperatorCost, Purpose, TrafficTotal
from core.target.target import Area


def operator_cost(price: Price, rates: Rates, step: Step) -> OperatorCost:
    """The cost of an operator with all that is moved for it."""
    own = price.cycles(rates, step.work)
    moved = traffic(price, rates, step)
    cycles = busy_cycles(rates, moved)
    return OperatorCost(
        macs=own.macs,
        own_cycles=own.cycles,
        npu_cycles=_npu_cycles(rates, step, own.cycles),
        sram_cycles=cycles.get(Area.SRAM, 0.0),
        dram_cycles=cycles.get(Area.DRAM, 0.0),
        on_chip_flash_cycles=cycles.get(Area.ON_CHIP_FLASH, 0.0),
        off_chip_flash_cycles=cycles.get(Area.OFF_CHIP_FLASH, 0.0),
        limit=own.limit,
        traffic=moved,
    )


def _npu_cycles(rates: Rates, step: Step, own_cycles: int) -> int:
    """The operator's cycles, with the transfers that nothing hides."""
    loading = _load_cycles(rates, step)
    weights = step.weights
    if weights is None or weights.buffer is None:
        return own_cycles + max(loading - step.slack_cycles, 0)
    buffer = weights.buffer
    first = rates.copy_cycles(weights.area, buffer.area, buffer.first_bytes)
    if not buffer.is_double:
        return own_cycles + buffer.whole_cycles - min(first, step.slack_cycles) + loading
    hidden = own_cycles + max(first - step.slack_cycles, 0)
    return max(buffer.whole_cycles - step.slack_cycles + buffer.last_slice_cycles, hidden) + loading


def _load_cycles(rates: Rates, step: Step) -> int:
    cycles = 0
    if step.table is not None:
        cycles += rates.table_cycles(step.table.area, step.table.size_bytes)
    if step.is_moving:
        cycles += rates.copy_cycles(step.work.ifm.area, step.work.ofm.area, step.copied_bytes)
    return cycles


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
