"""What every report of a schedule is made of, taken from what the pipeline has made."""

from __future__ import annotations

from core.pipeline.scheduled import Scheduled
from core.report.material import ScheduleMaterial


def material_of(name: str, scheduled: Scheduled) -> ScheduleMaterial:
    """A schedule as reports take it."""
    return ScheduleMaterial(
        name=name,
        network=scheduled.run.network,
        graph=scheduled.run.graph,
        target=scheduled.target,
        options=scheduled.options,
        schedule=scheduled.schedule,
        layout=scheduled.layout,
        costs=scheduled.costs,
        total=scheduled.total,
        compiled_by=scheduled.compiled_by,
        untold=scheduled.untold,
    )
