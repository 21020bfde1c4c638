"""Several models in one device, as text and JSON."""

from __future__ import annotations

from typing import Any

from core.base.harmless import visible
from core.ir.together import SharedMemory, Together
from core.report.ecosystem_names import AREA_TITLES
from core.report.tables import Listing
from core.report.words import counted

Json = dict[str, Any]

_HEADERS = ("memory", "model", "from", "to", "bytes", "of them states", "cycles")


def together_listing(found: Together) -> Listing:
    """Each memory with the arenas in it."""
    rows = [
        (
            AREA_TITLES[memory.area],
            visible(arena.model),
            arena.base,
            arena.end,
            arena.height_bytes,
            arena.state_bytes or None,
            round(cycles),
        )
        for memory in found.memories
        for arena, cycles in zip(memory.arenas, found.cycles, strict=True)
    ]
    return Listing(_HEADERS, rows)


def together_text(found: Together) -> str:
    """The table, and one line for each memory that says whether all of them fit."""
    lines = verdicts(found)
    head = f"Models in one device, {found.calls.value}: {found.calls.meaning}"
    return "\n\n".join((head, together_listing(found).text(), "\n".join(lines))) + "\n"


def verdicts(found: Together) -> tuple[str, ...]:
    """One line for each memory: what all of them take, and whether they fit."""
    return tuple(_verdict(found, memory) for memory in found.memories)


def missing_lines(found: Together) -> tuple[str, ...]:
    """One line for each memory in which the models do not fit together."""
    return tuple(_verdict(found, memory) for memory in found.memories if memory.excess_bytes)


def _verdict(found: Together, memory: SharedMemory) -> str:
    models = counted(len(found.cycles), "model")
    text = f"{AREA_TITLES[memory.area]}: {memory.peak_bytes:,} bytes for {models}"
    if memory.limit_bytes is None:
        return text
    if memory.excess_bytes:
        return (
            f"{text}, {memory.excess_bytes:,} more than the {memory.limit_bytes:,}"
            " that they may use together"
        )
    return f"{text}; they fit {memory.limit_bytes:,}"


def describe_together(found: Together) -> Json:
    """The same as JSON."""
    return {
        "calls": found.calls.value,
        "fits": found.fits,
        "memories": [
            {
                "mem_area": memory.area.value,
                "peak_bytes": memory.peak_bytes,
                "limit_bytes": memory.limit_bytes,
                "excess_bytes": memory.excess_bytes,
                "arenas": [
                    {
                        "model": arena.model,
                        "base": arena.base,
                        "bytes": arena.height_bytes,
                        "state_bytes": arena.state_bytes,
                        "cycles": cycles,
                    }
                    for arena, cycles in zip(memory.arenas, found.cycles, strict=True)
                ],
            }
            for memory in found.memories
        ],
    }
