"""Several models in one device: where their arenas lie in each memory that they share."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.ir.options import Choice
from core.target.target import Area


class Calls(Choice):
    """How the firmware calls the models of one device."""

    IN_TURN = (
        "in-turn",
        "each runs to its end before another begins: arenas lie over each other, but for states",
    )
    NESTED = (
        "nested",
        "others run while the arena of one is in use: arenas lie beside each other",
    )


class Arena(Frozen):
    """What one model has of a memory."""

    model: str
    base: int
    """Where its arena begins."""
    height_bytes: int
    states: tuple[tuple[int, int], ...] = ()
    """What lives on while others run: first and one behind the last byte, from the base on."""

    @property
    def end(self) -> int:
        """One behind its last byte."""
        return self.base + self.height_bytes

    @property
    def state_bytes(self) -> int:
        """Bytes that live on."""
        return sum(end - first for first, end in self.states)


class SharedMemory(Frozen):
    """A memory with the arenas of all models."""

    area: Area
    arenas: tuple[Arena, ...]
    limit_bytes: int | None
    """For all of them together."""

    @property
    def peak_bytes(self) -> int:
        """What all of them take."""
        return max((arena.end for arena in self.arenas), default=0)

    @property
    def excess_bytes(self) -> int:
        """Bytes that are missing."""
        return 0 if self.limit_bytes is None else max(self.peak_bytes - self.limit_bytes, 0)


class Together(Frozen):
    """Models that run in one device."""

    calls: Calls
    memories: tuple[SharedMemory, ...]
    cycles: tuple[float, ...]
    """Of one inference of each model, in their order."""

    @property
    def models(self) -> tuple[str, ...]:
        """What they are called, in their order."""
        arenas = self.memories[0].arenas if self.memories else ()
        return tuple(arena.model for arena in arenas)

    def peak_bytes(self, area: Area) -> int:
        """What all of them take of a memory."""
        return sum(memory.peak_bytes for memory in self.memories if memory.area is area)

    @property
    def fits(self) -> bool:
        """Whether all of them are within their limits together."""
        return not any(memory.excess_bytes for memory in self.memories)
