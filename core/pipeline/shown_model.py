"""A compiled model among several in one device: it is as its streams show, whatever is asked."""

from __future__ import annotations

from core.base.errors import OptionError
from core.base.frozen import replace
from core.base.harmless import visible
from core.base.progress import SILENT, Progress
from core.executorch.beside import Beside, nothing_beside
from core.ir.program import Program
from core.pipeline.compiled import accelerator_in, read_back, read_program, study_program
from core.pipeline.together import Model
from core.target.target import Target


def shown_model(
    name: str,
    data: bytes,
    target: Target,
    progress: Progress = SILENT,
    beside: Beside = nothing_beside,
) -> Model | None:
    """A compiled model, which is as it is; None where it is yet to be scheduled."""
    read = read_program(data, progress, beside)
    if read is None:
        return None
    demand_same(name, read.program, target)
    shown = read_back(study_program(read, lambda _: target, progress)).scheduled
    shown = replace(shown, name=name)
    return Model(name=name, within=lambda _: shown)


def demand_same(name: str, program: Program, target: Target) -> None:
    """An OptionError where a compiled model is for another accelerator than those beside it."""
    own = accelerator_in(program)
    if own.name != target.accelerator.name:
        raise OptionError(
            f"{visible(name)} is compiled for {own.name},"
            f" and what is beside it for {target.accelerator.name}"
        )
