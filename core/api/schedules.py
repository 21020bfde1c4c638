"""The door to schedules: how a model runs, with addresses, costs and a trace."""

from __future__ import annotations

from core.api import networks
from core.base.checked import door
from core.base.progress import SILENT, Progress
from core.cost.roofline import Roof, Roofline, Workload, roofline_of
from core.cost.spread import spread_of
from core.ir.cost import Spread
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.pipeline.best.kept import OFF, VARIABLE, Kept, kept_by_default
from core.pipeline.scheduled import Workbench, analyse
from core.report.spread import cases_text, range_text, robust_text
from core.target.target import Target

__all__ = [
    "OFF",
    "VARIABLE",
    "Analysis",
    "Kept",
    "Roof",
    "Roofline",
    "Scheduled",
    "Spread",
    "Workbench",
    "Workload",
    "analyse",
    "cases_text",
    "kept_by_default",
    "range_text",
    "robust_text",
    "roofline_of",
    "schedule",
    "spread_of",
]


@door
def schedule(
    model: bytes, target: Target, options: Options, progress: Progress = SILENT
) -> Scheduled:
    """A model's schedule; a `Workbench` makes further ones quickly."""
    run = networks.run(model, target, options, progress)
    return Workbench(run).schedule(target, options, progress)
