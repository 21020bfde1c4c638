"""The door back: from a program to a graph, a schedule, a layout, costs, and a trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.cost.network import network_cost
from core.cost.rates import Rates
from core.emit.recover.found import Found, FoundOp, FoundPart, find
from core.emit.recover.graph import graph_of
from core.emit.recover.layout import layout_of, snapshots_of
from core.emit.recover.maps import atlas
from core.emit.recover.plans import schedule_of
from core.emit.recover.story import analysis_of
from core.emit.study import PartStudy
from core.ir.cost import Direction, Limit, NetworkCost, OperatorCost, Purpose, Traffic
from core.ir.layout import MemoryLayout
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.program import Program
from core.ir.schedule import Schedule
from core.ir.trace import Analysis
from core.target.target import Area, Target


def costs_of(found: Found) -> tuple[tuple[OperatorCost, ...], NetworkCost]:
    """The cost of each operator, and of all of them."""
    costs = tuple(_cost(part, op) for part in found.parts for op in part.ops)
    return costs, network_cost(Rates.of(found.target), costs)


def _cost(part: FoundPart, op: FoundOp) -> OperatorCost:
    spent = [part.spent[at] for at in op.steps.commands]
    clock = part.clock
    lasts = sum(clock.end[at] - clock.free[at] for at in op.steps.commands)
    waits = sum(clock.start[at] - clock.free[at] for at in op.steps.commands)
    busy = dict.fromkeys(Area, 0.0)
    for each in spent:
        for area, cycles in each.memory_cycles:
            busy[area] += cycles
    npu = sum(each.own_cycles for each in spent) + waits
    # Operations wait for one engine each, and not all for the same.
    if npu >= max(busy.values()):
        npu = lasts
    else:
        busy[max(busy, key=lambda area: busy[area])] = lasts
    longest = max(spent, key=lambda each: each.own_cycles)
    return OperatorCost(
        macs=sum(each.macs for each in spent),
        npu_cycles=round(npu),
        sram_cycles=busy[Area.SRAM],
        dram_cycles=busy[Area.DRAM],
        on_chip_flash_cycles=busy[Area.ON_CHIP_FLASH],
        off_chip_flash_cycles=busy[Area.OFF_CHIP_FLASH],
        limit=longest.limit if longest.own_cycles else Limit.NOTHING,
        traffic=_traffic(part, op),
    )


def _traffic(part: FoundPart, op: FoundOp) -> tuple[Traffic, ...]:
    """Bytes of all its commands, and of those that bring something for it."""
    sums: defaultdict[tuple[Area, Purpose, Direction], list[float]]
    sums = defaultdict(lambda: [0.0, 0.0])
    for at in (*op.steps.tables, *op.steps.loads, *op.steps.commands):
        for moved in part.spent[at].moved:
            total = sums[moved.area, moved.purpose, moved.direction]
            total[0] += moved.size_bytes
            total[1] += moved.busy_bytes
    return tuple(Traffic(*key, size, busy) for key, (size, busy) in sums.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What a compiler would have had in its hands, as far as its streams tell."""

    graph: NpuGraph
    schedule: Schedule
    layout: MemoryLayout
    costs: tuple[OperatorCost, ...]
    """By operator."""
    total: NetworkCost
    analysis: Analysis


def recover(
    network: Network, program: Program, studies: Sequence[PartStudy], target: Target
) -> Recovered:
    """Everything that can be said of a program in the terms of a schedule."""
    found = find(network, program, studies, target)
    maps = atlas(found)
    graph = graph_of(found, maps)
    layout = layout_of(found, maps)
    schedule = schedule_of(found, maps, graph.network, snapshots_of(found, layout))
    costs, total = costs_of(found)
    return Recovered(
        graph=graph,
        schedule=schedule,
        layout=layout,
        costs=costs,
        total=total,
        analysis=analysis_of(found, schedule),
    )
