"""The door to schedules: how a model runs, with addresses and costs."""

from __future__ import annotations

from core.api import networks
from core.base.progress import SILENT, Progress
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.pipeline.scheduled import Workbench
from core.target.target import Target

__all__ = ["Scheduled", "Workbench", "schedule"]


def schedule(
    model: bytes, target: Target, options: Options, progress: Progress = SILENT
) -> Scheduled:
    """A model's schedule; a `Workbench` makes further ones quickly."""
    run = networks.run(model, target, options, progress)
    return Workbench(run).schedule(target, options, progress)
