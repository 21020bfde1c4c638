"""The door to what the compiler does: from a model to its schedule, and to the compiled model."""

from __future__ import annotations

from core.api.schedules import (
    Run,
    Scheduled,
    Workbench,
    check_network,
    findings,
    read_bytes,
    run,
    schedule,
)
from core.base.progress import SILENT, Progress
from core.pipeline.compile import Compiled
from core.pipeline.compile import compile_model as compile_stages
from core.weights.encode import EncodingCache

__all__ = [
    "Compiled",
    "Run",
    "Scheduled",
    "Workbench",
    "check_network",
    "compile_model",
    "findings",
    "read_bytes",
    "run",
    "schedule",
]


def compile_model(
    scheduled: Scheduled, progress: Progress = SILENT, *, encodings: EncodingCache | None = None
) -> Compiled:
    """The compiled model; a `Workbench` has encodings, with which it comes sooner."""
    return compile_stages(scheduled, progress, encodings=encodings)
