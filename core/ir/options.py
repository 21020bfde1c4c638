"""What a user asks of the compiler besides the target."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Strategy(enum.Enum):
    """What the schedule is to be good at."""

    PERFORMANCE = "Performance"
    SIZE = "Size"


class Allocator(enum.Enum):
    """How addresses are found."""

    LINEAR = "LinearAlloc"
    GREEDY = "Greedy"
    HILL_CLIMB = "HillClimb"
    OPTIMAL = "Optimal"


class EvictionPolicy(enum.Enum):
    """How it is decided which feature maps stay in fast storage where not all can."""

    COMPONENT = "component"
    """The choice that saves the most accesses."""
    OVER_LIMIT = "over-limit"
    """In order of time, whatever stands above the limit goes."""


class Search(enum.Enum):
    """For which limits schedules are searched."""

    DIRECT = "direct"
    """For the limit itself."""
    MONOTONE = "monotone"
    """For lower limits too; the best is taken, so that more memory never costs cycles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices that change the result; limits of the memory are the target's."""

    strategy: Strategy = Strategy.PERFORMANCE
    allocator: Allocator = Allocator.HILL_CLIMB
    eviction: EvictionPolicy = EvictionPolicy.COMPONENT
    search: Search = Search.DIRECT
    force_symmetric_int_weights: bool = False
    """Take signed weights as symmetric even where the file gives them a zero point."""
