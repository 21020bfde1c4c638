"""What a compiled model cannot tell: one list for the command line and for the app."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.emit.study import PartStudy
from core.ir.program import Program
from core.ir.untold import Matter, Untold
from core.report.words import counted

_ALWAYS = (
    Untold(
        Matter.NAMES,
        "Names and kinds of the operators that the model had before: what is shown are the"
        " accelerator's own operations, numbered as they run. Which of them were fused, split or"
        " added is not told; only inputs and outputs have names.",
    ),
    Untold(
        Matter.LIMIT,
        "The limit of fast storage, and the strategy, that it was compiled for: only what it takes"
        " is known.",
    ),
    Untold(
        Matter.REASONS,
        "Why anything was decided: what else was tried, what was evicted, and what it would have"
        " cost.",
    ),
    Untold(
        Matter.CASCADES,
        "Cascades: stripes and slices are recognised by what operations read and write one after"
        " the other, and those that take turns are taken for a cascade.",
    ),
    Untold(
        Matter.WEIGHTS,
        "The weights as they were before: streams are encoded, and sizes are those of the"
        " encoding.",
    ),
    Untold(
        Matter.LIVES,
        "Until when the compiler kept bytes: a live range is from the first command that touches"
        " them to the last.",
    ),
)


def untold(program: Program, studies: Sequence[PartStudy]) -> tuple[Untold, ...]:
    """What the streams of a program cannot tell, with what is assumed instead."""
    return (*_ALWAYS, *_memories(studies), *_cpu(program))


def _memories(studies: Sequence[PartStudy]) -> Iterator[Untold]:
    targets = [study.target for study in studies if study.target is not None]
    text = "Which memories its regions are in, and how fast these and the clock are"
    if targets:
        names = dict.fromkeys(f"{each.system.name} with {each.mode.name}" for each in targets)
        text += f": times and places are those of {' and '.join(names)}"
    yield Untold(Matter.MEMORIES, f"{text}.")


def _cpu(program: Program) -> Iterator[Untold]:
    count = len(program.cpu_ops)
    if not count:
        return
    text = f"How long {counted(count, 'operator')} beside the streams take on the CPU"
    if not program.arena_addresses:
        text += ", and where a runtime has their tensors"
    yield Untold(Matter.CPU, f"{text}.")
