"""What the ecosystem's compiler would estimate of a schedule, whoever decided it."""

from __future__ import annotations

from core.cost.ecosystem.estimate import ECOSYSTEM
from core.cost.from_schedule import estimated_costs
from core.cost.model import CostModel
from core.ir.cost import EcosystemEstimate
from core.ir.scheduled import Scheduled


def ecosystem_estimate(
    scheduled: Scheduled, model: CostModel | None = None
) -> EcosystemEstimate | None:
    """The estimate of each operator; None of a compiled model, which does not tell what is asked
    for. A model that remembers what it has said before may be of the same target."""
    if scheduled.compiled_by is not None:
        return None
    known, maps = model or ecosystem_model(scheduled), scheduled.schedule.maps
    costs = {
        plan.op: cost.total_cycles
        for island in scheduled.schedule.islands
        for plan, cost in zip(
            island.ops,
            estimated_costs(scheduled.graph, known, island.ops, maps.__getitem__),
            strict=True,
        )
    }
    return EcosystemEstimate(tuple(costs[op] for op in sorted(costs)))


def ecosystem_model(scheduled: Scheduled) -> CostModel:
    """The ecosystem's estimate for the target of a schedule."""
    return CostModel(scheduled.target, ECOSYSTEM)
