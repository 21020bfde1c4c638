"""The RAM that a program takes of a runtime of ExecuTorch: what its allocators are asked for."""

from __future__ import annotations

from core.base.frozen import Frozen

_ALIGNMENT = 16
"""Of each planned memory, as the driver of the accelerator asks."""
_FAST_MEMORY = 2
"""Position of the planned memory that has a pool of its own."""


class DelegatePools(Frozen):
    """What one delegate takes while it runs."""

    delegate: int
    scratch_bytes: int
    """Of the temporary pool, which is emptied after each call."""
    fast_scratch_bytes: int
    """Of the memory that the firmware keeps for the accelerator alone."""
    copied_bytes: int
    """Inputs and outputs that the runtime copies into scratch memory and out of it."""


class Pools(Frozen):
    """What one plan takes; a runtime runs one at a time."""

    plan: str
    planned: tuple[int, ...]
    """Bytes of each planned memory, in the order of their numbers, the first of which is 1."""
    tables_bytes: int
    """Values, calls and delegates as the runtime keeps them, for a core of 32 bits; an estimate."""
    inputs_bytes: int
    """For inputs that a runner hands over, without those that are planned."""
    delegates: tuple[DelegatePools, ...]

    @property
    def planned_bytes(self) -> int:
        """Of the method pool, for planned memories."""
        slow = (each for at, each in enumerate(self.planned) if at != _FAST_MEMORY)
        return sum(each + -each % _ALIGNMENT for each in slow)

    @property
    def planned_fast_bytes(self) -> int:
        """Of the pool for the planned memory that is fast."""
        return self.planned[_FAST_MEMORY] if len(self.planned) > _FAST_MEMORY else 0

    @property
    def method_bytes(self) -> int:
        """Of the method pool."""
        return self.planned_bytes + self.tables_bytes + self.inputs_bytes

    @property
    def temporary_bytes(self) -> int:
        """Of the temporary pool."""
        return max((each.scratch_bytes for each in self.delegates), default=0)

    @property
    def fast_scratch_bytes(self) -> int:
        """Of fast scratch memory."""
        return max((each.fast_scratch_bytes for each in self.delegates), default=0)
