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
    LIFETIME = "lifetime"
    """Those that live shortest move in first, of these the largest, as long as there is room."""


class Search(enum.Enum):
    """For which limits schedules are searched."""

    DIRECT = "direct"
    """For the limit itself."""
    MONOTONE = "monotone"
    """For lower limits too; the best is taken, so that more memory never costs cycles."""


class Engine(enum.Enum):
    """Who searches schedules."""

    CASCADING = "cascading"
    """From whole maps to cascades in the highest stripes that fit: one schedule for one limit."""
    PARETO = "pareto"
    """Operator by operator over all strategies: schedules from the smallest to the fastest."""


class ParetoMetric(enum.Enum):
    """What a partial schedule has to be better at, so that it stays in the race."""

    MEMORY = "BwCycMem"
    """Cost and memory."""
    MEMORY_AND_HEIGHT = "BwCycMemBlkH"
    """Cost, memory, and the height of its last block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoOptions:
    """What the Pareto engine may do, and which of its schedules is taken."""

    metric: ParetoMetric = ParetoMetric.MEMORY
    cascading: bool = True
    """Operators may run in cascades."""
    overlap: bool = True
    """An operator may write over its input where that is possible."""
    ifm_streaming: bool = True
    """Operators may run block row by block row with all weights kept; cascades need that."""
    most_bytes: int | None = None
    """Take the fastest schedule of the front that needs no more than this; None leaves the choice
    to the strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweringOptions:
    """All choices that a lowered network depends on."""

    force_symmetric_int_weights: bool = False
    """Take signed weights as symmetric even where the file gives them a zero point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices that change the result; limits of the memory are the target's."""

    strategy: Strategy = Strategy.PERFORMANCE
    allocator: Allocator = Allocator.HILL_CLIMB
    eviction: EvictionPolicy = EvictionPolicy.COMPONENT
    search: Search = Search.DIRECT
    engine: Engine = Engine.CASCADING
    pareto: ParetoOptions = ParetoOptions()
    lowering: LoweringOptions = LoweringOptions()
