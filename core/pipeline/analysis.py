"""What can be worked out of a finished schedule, for views and reports."""

from __future__ import annotations

from core.cost.evictions import eviction_costs
from core.cost.trace import trace
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.liveness.stripes import cascade_steps


def analyse(scheduled: Scheduled) -> Analysis:
    """The schedule over cycles, its cascades step by step, and what evictions cost."""
    graph, target, schedule = scheduled.run.graph, scheduled.target, scheduled.schedule
    cascades = tuple(steps for island in schedule.islands for steps in cascade_steps(graph, island))
    return Analysis(
        trace=trace(graph, target, schedule, scheduled.layout, scheduled.costs, cascades),
        cascades=cascades,
        evictions=eviction_costs(graph, target, schedule, scheduled.costs),
    )
