"""A compiled model among several in one device: it is as its streams show, whatever is asked."""

from __future__ import annotations

from core.base.errors import OptionError
from core.base.frozen import replace
from core.base.harmless import visible
from core.base.progress import SILENT, Progress
from core.executorch.beside import Beside, nothing_beside
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
    own = accelerator_in(read.program)
    if own.name != target.accelerator.name:
        raise OptionError(
            f"--with: {visible(name)} is compiled for {own.name},"
            f" and this is for {target.accelerator.name}"
        )
    shown = read_back(study_program(read, lambda _: target, progress)).scheduled
    shown = replace(shown, name=name)
    return Model(name=name, within=lambda _: shown)
