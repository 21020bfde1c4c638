"""What the schedule of an island costs, while it is still a draft among others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.base.ids import FmId
from core.cost.from_schedule import operator_costs
from core.ir.schedule import MapPlan
from core.schedule.estimates import Estimates
from core.schedule.freeze import Solved, island_maps, op_plans


def island_cycles(solved: Solved, estimates: Estimates, defaults: Sequence[MapPlan]) -> float:
    """Cycles of an island; maps that it does not move are where they are by default."""
    graph, model = solved.problem.graph, estimates.model
    moved = island_maps(solved)

    def plan_of(fm: FmId) -> MapPlan:
        return moved.get(fm) or defaults[fm]

    costs = operator_costs(graph, model.target, model.rates, op_plans(solved), plan_of)
    return math.fsum(cost.total_cycles for cost in costs)
