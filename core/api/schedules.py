"""The door to schedules: how a model runs, with addresses and costs."""

from __future__ import annotations

from core.api.networks import Run, check_network, findings, read_bytes, run
from core.base.progress import SILENT, Progress
from core.ir.options import Options
from core.pipeline.scheduled import Scheduled, Workbench
from core.target.target import Target

__all__ = [
    "Run",
    "Scheduled",
    "Workbench",
    "check_network",
    "findings",
    "read_bytes",
    "run",
    "schedule",
]


def schedule(
    model: bytes, target: Target, options: Options, progress: Progress = SILENT
) -> Scheduled:
    """A model's schedule, with addresses and costs; a `Workbench` makes further ones quickly."""
    return Workbench(run(model, target, options, progress)).schedule(target, options, progress)
