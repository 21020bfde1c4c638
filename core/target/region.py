"""What a piece of memory is for; a target says which memory serves it."""

from __future__ import annotations

from core.base.named import Named
from core.target.target import Memory, Target


class Region(Named):
    """A use of memory that gets addresses of its own, by the name that the ecosystem gives it."""

    SCRATCH = "Scratch"
    """Feature maps, in the arena."""
    SCRATCH_FAST = "Scratch_fast"
    """Rolling buffers, weight buffers, and feature maps that were moved to fast storage."""
    SEPARATE_IO = "Separate_IO"
    """Inputs and outputs of the network that have buffers of the application's, each its own."""
    PERMANENT_NPU = "Permanent_NPU"
    """Weights and constants that the accelerator reads."""
    PERMANENT_CPU = "Permanent_CPU"
    """Constants that the interpreter on the CPU reads."""

    @property
    def is_permanent(self) -> bool:
        """Whether it holds what does not change."""
        return self is Region.PERMANENT_NPU or self is Region.PERMANENT_CPU


def memory_of(target: Target, region: Region) -> Memory:
    """The memory that serves a region."""
    if region.is_permanent:
        return target.permanent
    return target.fast if region is Region.SCRATCH_FAST else target.arena
