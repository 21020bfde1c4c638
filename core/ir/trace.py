"""A schedule laid out over the accelerator's cycles: what each engine does, and when.

The columns are arrays of one length, because a network can have a hundred thousand stripes.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.cost import EcosystemEstimate


class Lane(enum.IntEnum):
    """An engine that works beside the others."""

    MAC = 0
    ELEMENTWISE = 1
    DMA_IN = 2
    DMA_OUT = 3
    CPU = 4


class Activity(enum.IntEnum):
    """What an engine does."""

    COMPUTE = 0
    STALL = 1
    """It waits for a memory or for DMA."""
    WEIGHTS = 2
    """Weights are brought to fast storage right before they are used."""
    PREFETCH = 3
    """Weights are brought to fast storage under an operator before."""
    TABLE = 4
    """A look-up table is brought to the shared buffer."""
    COPY = 5
    """A feature map is copied between memories."""
    CPU = 6
    """An operator on the CPU, for which there is no estimate."""


NOTHING = -1
"""In a column of numbers: there is none."""


class Trace(Frozen, eq=False):
    """Slices of work in order of their start, and when each operator and time begins."""

    lane: npt.NDArray[np.uint8]
    activity: npt.NDArray[np.uint8]
    start_cycle: npt.NDArray[np.float64]
    end_cycle: npt.NDArray[np.float64]
    op: npt.NDArray[np.int32]
    """The NPU operator; -1 for an operator on the CPU."""
    cpu_op: npt.NDArray[np.int32]
    """Position among the graph's CPU operators; -1 for an NPU operator."""
    stripe: npt.NDArray[np.int32]
    """Which stripe of its operator it makes; -1 outside of cascades."""
    depth_slice: npt.NDArray[np.int32]
    """Which slice of weights it brings; -1 for anything else."""
    op_start_cycle: npt.NDArray[np.float64]
    """By NPU operator: when the first of it happens."""
    op_end_cycle: npt.NDArray[np.float64]
    time_cycle: npt.NDArray[np.float64]
    """By time of the memory layout: the cycle at which it begins; one more for the end."""
    end_cycle_of_all: float

    @property
    def count(self) -> int:
        """Number of slices."""
        return len(self.lane)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column by its name."""
        found: npt.NDArray[Any] = getattr(self, name)
        return found


class StripeStep(NamedTuple):
    """One stripe of one operator of a cascade, in the order in which they run."""

    op: NpuOpId
    stripe: int
    first_row: int
    end_row: int
    """Rows of its output, the end not included."""
    reads_first_row: int
    reads_end_row: int
    """Rows of its input."""


class BufferFill(NamedTuple):
    """Rows that a rolling buffer holds after a step; they lie at row modulo height."""

    fm: FmId
    first_row: int
    end_row: int


class CascadeSteps(Frozen):
    """A cascade in slow motion."""

    island: IslandId
    cascade: int
    steps: tuple[StripeStep, ...]
    fills: tuple[tuple[BufferFill, ...], ...]
    """After each step, the fill of each rolling buffer."""


class EvictionCost(Frozen):
    """What it costs that a group of feature maps is not in fast storage."""

    island: IslandId
    position: int
    """Among the island's evicted ones."""
    cycles: float
    """Cycles that the operators which touch them would save, all else equal."""
    traffic_bytes: float
    """Bytes that the slower memory moves for them."""
    live_with_it_bytes: int
    """Most that would be live at once beside them, all else as it is; no search was asked whether
    it would leave all else so with that limit."""


class Analysis(Frozen):
    """What can be worked out of a finished schedule, for views and reports."""

    trace: Trace
    cascades: tuple[CascadeSteps, ...]
    """In the order of islands, and of cascades in each."""
    evictions: tuple[EvictionCost, ...]
    """In the order of islands, and of evicted ones in each."""
    ecosystem: EcosystemEstimate | None
    """None of a compiled model."""
