"""The door to compiling: from a schedule to the model that runs on the accelerator."""

from __future__ import annotations

from core.base.checked import door
from core.base.progress import SILENT, Progress
from core.ir.scheduled import Scheduled
from core.pipeline.compile import Compiled, demand_compilable
from core.pipeline.compile import compile_model as compile_stages
from core.weights.encode import EncodingCache

__all__ = ["Compiled", "compile_model", "demand_compilable"]


@door
def compile_model(
    scheduled: Scheduled,
    progress: Progress = SILENT,
    *,
    encodings: EncodingCache | None = None,
    keeps_edits: bool = False,
) -> Compiled:
    """The compiled model; a `Workbench` has encodings, with which it comes sooner.

    It says which decisions were not the compiler's only where `keeps_edits` asks for that.
    """
    return compile_stages(scheduled, progress, encodings=encodings, keeps_edits=keeps_edits)
