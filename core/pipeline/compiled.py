"""From the bytes of a compiled model to its program, and what the program shows of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.emit.open import is_compiled, open_program
from core.emit.study import PartStudy, study
from core.emit.which import accelerator_of
from core.ir.program import Program
from core.target.accelerator import Accelerator
from core.target.target import Target
from core.tflite import reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A compiled model, taken apart."""

    program: Program
    studies: tuple[PartStudy, ...]
    """One for each part of the program."""


def open_compiled(model: bytes, target_of: Callable[[Accelerator], Target]) -> Opened | None:
    """The program of a model, or None where it has not been compiled."""
    network = reader.read(model)
    if not is_compiled(network):
        return None
    program = open_program(network)
    studies = []
    for part in program.parts:
        accelerator = accelerator_of(part.accelerator)
        studies.append(study(part, None if accelerator is None else target_of(accelerator)))
    return Opened(program=program, studies=tuple(studies))
