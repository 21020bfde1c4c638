"""From the bytes of a compiled model to its program, and what the program shows of itself."""

from __future__ import annotations

from collections.abc import Callable

from core.base.errors import InputError
from core.base.frozen import Frozen, NamedTuple
from core.base.progress import SILENT, Progress
from core.emit.conventions import is_marked, is_raw
from core.emit.open import is_compiled, open_program
from core.emit.payload import accelerator_of
from core.emit.raw import network_of_raw
from core.emit.recover.run import recover
from core.emit.study import PartStudy, study
from core.emit.touched import touches_fast_scratch
from core.executorch.beside import Beside, nothing_beside
from core.ir.network import Network
from core.ir.options import Options
from core.ir.program import AcceleratorWord, Program
from core.ir.scheduled import Run, Scheduled
from core.ir.trace import Analysis
from core.pipeline.delegates import open_delegates
from core.pipeline.marks import is_of_executorch
from core.report.calls import calls_of
from core.report.program_advice import program_advice
from core.report.untold import untold
from core.target.accelerator import Accelerator
from core.target.registry import ACCELERATORS
from core.target.target import Target
from core.tflite import reader

TargetOf = Callable[[Accelerator], Target]

_SHARED = "Shared_Sram"


class ReadProgram(NamedTuple):
    """A file with the program in it."""

    network: Network
    program: Program


class Opened(Frozen):
    """A compiled model, taken apart."""

    network: Network
    program: Program
    studies: tuple[PartStudy, ...]
    """One for each part of the program."""


class Readback(NamedTuple):
    """A compiled model in the terms of a schedule."""

    scheduled: Scheduled
    analysis: Analysis


def read_program(
    model: bytes, progress: Progress = SILENT, beside: Beside = nothing_beside
) -> ReadProgram | None:
    """The program of a model, or None where it has not been compiled.

    `beside` knows what files of data beside it hold, where its weights are elsewhere.
    """
    if is_of_executorch(model):
        return ReadProgram(*open_delegates(model, beside))
    if is_raw(model):
        network = network_of_raw(model)
        return ReadProgram(network, open_program(network))
    if not is_marked(model):
        return None
    network = reader.read(model, progress)
    return ReadProgram(network, open_program(network)) if is_compiled(network) else None


def study_program(read: ReadProgram, target_of: TargetOf, progress: Progress = SILENT) -> Opened:
    """What each part of a program shows."""
    studies = []
    parts = read.program.parts
    for number, part in enumerate(parts):
        progress.advance("reading command streams", number, len(parts))
        accelerator = accelerator_of(part.accelerator)
        studies.append(study(part, None if accelerator is None else target_of(accelerator)))
    return Opened(network=read.network, program=read.program, studies=tuple(studies))


def open_compiled(model: bytes, target_of: TargetOf) -> Opened | None:
    """The program of a model with all that it shows, or None where it has not been compiled."""
    read = read_program(model)
    return None if read is None else study_program(read, target_of)


def likely_memory_mode(program: Program, accelerator: Accelerator) -> str:
    """The memory mode that fits what streams touch: those with one arena leave fast scratch."""
    known = accelerator.family.defaults.memory_mode
    return known if touches_fast_scratch(program) else _SHARED


def accelerator_in(program: Program) -> Accelerator:
    """The accelerator that streams are for; an InputError where there is none that is known."""
    for number, part in enumerate(program.parts):
        found = accelerator_of(part.accelerator)
        if found is None:
            raise InputError(_unknown(part.accelerator), f"command stream {number}")
    found = accelerator_of(program.parts[0].accelerator)
    assert found is not None
    return found


def _unknown(word: AcceleratorWord) -> str:
    known = ", ".join(ACCELERATORS)
    return (
        f"was made for product {word.product} with {word.macs} MACs, of which nothing can be"
        f" estimated; known are {known}"
    )


def demand_whole(program: Program) -> None:
    """Refuse a program of which only a part could be read: the rest may be most of it."""
    for number, part in enumerate(program.parts):
        problem = part.stream.problem
        if problem is not None:
            command = len(part.stream.commands)
            where = f"command stream {number}, command {command}, word {problem.word}"
            raise InputError(problem.reason, where)


def read_back(opened: Opened) -> Readback:
    """The schedule that a compiled model shows, with what it cannot tell."""
    demand_whole(opened.program)
    accelerator = accelerator_in(opened.program)
    target = opened.studies[0].target
    assert target is not None
    # Nothing in a stream says what it was allowed to take.
    target = target.with_limit(accelerator.max_address)
    tips = program_advice(opened.network, opened.program, opened.studies)
    found = recover(opened.network, opened.program, opened.studies, target)
    return Readback(
        Scheduled(
            run=Run(network=opened.network, accelerator=accelerator, graph=found.graph),
            target=target,
            options=Options(),
            schedule=found.schedule,
            layout=found.layout,
            costs=found.costs,
            total=found.total,
            compiled_by=opened.program.compiler or "an unknown compiler",
            untold=untold(opened.program, opened.studies),
            calls=calls_of(opened.network, opened.program),
            hints=tuple(tip["text"] for tip in tips),
        ),
        found.analysis,
    )
