"""Models that share a device with the one that is shown: where they lie, in words; no Qt."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.sentences import capitalised
from core.ir.layout import AreaLayout
from core.ir.together import Arena, SharedMemory
from core.target.region import Region
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.document.document import Document
from gui.present.units import counted, size, size_exact

_ARENAS = {Region.SCRATCH, Region.SCRATCH_FAST}


def shared_memory(answer: Answer, area: AreaLayout) -> SharedMemory | None:
    """The memory of an area with the arenas of all models; None where it is this model's alone."""
    if answer.together is None or not _ARENAS & set(area.regions):
        return None
    return next((each for each in answer.together.memories if each.area is area.area), None)


def fast_memory(answer: Answer) -> SharedMemory | None:
    """The same of fast storage."""
    return shared_memory(answer, answer.scheduled.layout.fast_area)


def shared_text(memory: SharedMemory, unit: ByteUnit) -> str:
    """What all of them take, and whether that is allowed."""
    count = len(memory.arenas)
    text = f"all {count} models of the device take {size_exact(memory.peak_bytes, unit)}"
    if memory.limit_bytes is None:
        return text
    limit = size_exact(memory.limit_bytes, unit)
    if memory.excess_bytes:
        return f"{text}, {memory.excess_bytes:,} B more than the limit of {limit}"
    return f"{text}, and their limit is {limit}"


def arena_lines(answer: Answer, memory: SharedMemory) -> Iterator[str]:
    """Where each model lies in a memory, a line each."""
    assert answer.together is not None
    for arena, cycles in zip(memory.arenas, answer.together.cycles, strict=True):
        states = f", {arena.state_bytes:,} B of them states" if arena.state_bytes else ""
        yield (
            f"{arena.model}: {arena.base:,} to {arena.end:,}{states};"
            f" {round(cycles):,} cycles a run"
        )


def told_in_full(answer: Answer, memory: SharedMemory, unit: ByteUnit) -> str:
    """All of it, line by line."""
    assert answer.together is not None
    calls = answer.together.calls
    head = capitalised(shared_text(memory, unit))
    return "\n".join((f"{head}, called {calls.value}", *arena_lines(answer, memory)))


def company_text(document: Document) -> str:
    """What is beside the model that is open, in few words; empty where it is alone."""
    models = document.company.models
    if not models:
        return ""
    return models[0].name if len(models) == 1 else counted(len(models), "other model")


def fit_text(memory: SharedMemory, unit: ByteUnit) -> str:
    """What all of them take of what is allowed."""
    taken = size(memory.peak_bytes, unit)
    return taken if memory.limit_bytes is None else f"{taken} of {size(memory.limit_bytes, unit)}"


def others_of(memory: SharedMemory) -> tuple[Arena, tuple[Arena, ...]]:
    """The arena of the model that is shown, and those of the others."""
    own, *others = memory.arenas
    return own, tuple(others)
