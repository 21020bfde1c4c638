"""The record of finalists that were held against the compatible schedule, whatever memories are."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen, NamedTuple


class Memories(enum.Enum):
    """Memories that a schedule is priced with, as they are to those of the target."""

    NOMINAL = "memories as they are"
    SLOW_SRAM = "SRAM x 0.75"
    SLOW_OUTSIDE = "outer memory x 0.5"
    FAST_OUTSIDE = "outer memory x 2"
    LATE_OUTSIDE = "latency x 2"
    HALF_SRAM = "SRAM x 0.5"
    VERY_LATE = "latency x 4"
    HARD = "SRAM x 0.5 and latency x 4"


RANGE = (
    Memories.SLOW_SRAM,
    Memories.SLOW_OUTSIDE,
    Memories.FAST_OUTSIDE,
    Memories.LATE_OUTSIDE,
)
"""Somewhat other memories: what an answer takes with them is its range."""


class Finalist(enum.Enum):
    """What has found a schedule."""

    USUAL = "the usual search"
    COMPATIBLE = "the compatible search"
    HARD = "a search for slow memories"


class Regret(NamedTuple):
    """What a finalist loses against the compatible schedule where it loses most."""

    finalist: Finalist
    cycles: float
    """With memories as they are."""
    worst: float
    """Its cycles to those of the compatible schedule."""
    memories: Memories
    """With which that is."""

    @property
    def crosses(self) -> bool:
        """Whether it is slower than the compatible schedule with some memories."""
        return self.worst > 1.0


class RobustTaken(Frozen):
    """The finalist with the least worst regret is taken."""

    finalists: tuple[Regret, ...]
    taken: Finalist

    def of(self, finalist: Finalist) -> Regret:
        """What one of them loses."""
        return next(each for each in self.finalists if each.finalist is finalist)
