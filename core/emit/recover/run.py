"""The door back: from a program to a graph, a schedule, a layout, costs, and a trace."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.frozen import Frozen
from core.cost.operators import network_cost
from core.cost.rates import Rates
from core.cost.spent import Run, Sums, cost_of_commands, cycles_of_operator, summed
from core.emit.recover.found import Found, FoundOp, FoundPart, find
from core.emit.recover.graph import graph_of
from core.emit.recover.layout import layout_of, snapshots_of
from core.emit.recover.maps import atlas
from core.emit.recover.plans import schedule_of
from core.emit.recover.story import analysis_of
from core.emit.study import PartStudy
from core.ir.cost import NetworkCost, OperatorCost
from core.ir.layout import MemoryLayout
from core.ir.network import Network
from core.ir.npugraph import NpuGraph
from core.ir.program import Program
from core.ir.schedule import Schedule
from core.ir.trace import Analysis
from core.target.target import Target


def costs_of(found: Found) -> tuple[tuple[OperatorCost, ...], NetworkCost]:
    """The cost of each operator, and of all of them."""
    costs = tuple(_cost(part, op) for part in found.parts for op in part.ops)
    return costs, network_cost(Rates.of(found.target), costs)


def total_cycles_of(found: Found) -> float:
    """The total cycles of `costs_of`, for those who ask again and again."""
    return math.fsum(
        cycles_of_operator(_sums(part, op), waits=_waits(part, op), lasts=_lasts(part, op)).total
        for part in found.parts
        for op in part.ops
    )


def _cost(part: FoundPart, op: FoundOp) -> OperatorCost:
    loads = [part.spent[at] for at in (*op.steps.tables, *op.steps.loads)]
    sums, waits, lasts = _sums(part, op), _waits(part, op), _lasts(part, op)
    return cost_of_commands(sums, loads, waits=waits, lasts=lasts)


def _sums(part: FoundPart, op: FoundOp) -> Sums:
    return summed([Run(part.spent[at], 1) for at in op.steps.commands])


def _waits(part: FoundPart, op: FoundOp) -> float:
    return sum(part.clock.start[at] - part.clock.free[at] for at in op.steps.commands)


def _lasts(part: FoundPart, op: FoundOp) -> float:
    return sum(part.clock.end[at] - part.clock.free[at] for at in op.steps.commands)


class Recovered(Frozen):
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
        analysis=analysis_of(found, graph, schedule),
    )
