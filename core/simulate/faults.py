"""What a program does that no program should: findings of a simulation."""

from __future__ import annotations

import enum

from core.base.frozen import NamedTuple

SHARED_BUFFER = -1
"""Stands for the shared buffer where a fault or a view names a region."""


class FaultKind(enum.Enum):
    """Which rule a command breaks."""

    NEVER_WRITTEN = "reads bytes that nothing has written"
    OUTSIDE = "reaches outside of its region"
    READ_ONLY = "writes where only reading is allowed"
    CONTENT = "reads what makes no sense"
    OVERFLOW = "overflows its accumulators"
    OVERWRITTEN = "writes over what it still reads"
    HAZARD = "does not wait for a command that is still under way"


class Fault(NamedTuple):
    """One broken rule, and where."""

    command: int
    """Its position in the stream; the number of commands for what is read after the last one."""
    kind: FaultKind
    what: str
    """The operand, or what was found."""
    region: int | None = None
    address: int = 0
    size_bytes: int = 0

    def __str__(self) -> str:
        """All of it in one line."""
        text = f"command {self.command} {self.kind.value}: {self.what}"
        if self.region is None:
            return text
        place = "the shared buffer" if self.region == SHARED_BUFFER else f"region {self.region}"
        return f"{text}, {self.size_bytes} bytes from {place}, address {self.address}"


class StopHere(Exception):  # noqa: N818 - it ends a simulation, with the fault as its result
    """A fault after which nothing sensible can be computed."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(str(fault))
