"""What a network costs: cycles and bytes of each operator, and their sums."""

from __future__ import annotations

import enum
import math

from core.base.frozen import Frozen, NamedTuple
from core.base.named import Named
from core.target.target import Area


class Limit(enum.Enum):
    """What a block waits for."""

    MACS = "MAC units"
    WEIGHTS = "weight decoder"
    OUTPUT = "output"
    SCALES = "scales and biases"
    START = "memory latency"
    NOTHING = "nothing"


class Purpose(Named):
    """What is moved."""

    FEATURE_MAP = "feature map"
    WEIGHTS = "weights"
    SCALES = "scales and biases"
    TABLE = "look-up table"
    COMMANDS = "commands"


class Direction(Named):
    """Whether a memory is read or written."""

    READ = "read"
    WRITE = "write"


class Traffic(NamedTuple):
    """Bytes between the accelerator and one memory."""

    area: Area
    purpose: Purpose
    direction: Direction
    size_bytes: float
    """A fraction where weights are refetched: the mean of a compressed weight is no whole byte."""
    busy_bytes: float
    """What the memory could have moved meanwhile; 0 for DMA, whose cycles the operator counts."""


class Bound(enum.Enum):
    """What an operator waits for."""

    NPU = "npu"
    SRAM = "sram"
    DRAM = "dram"
    ON_CHIP_FLASH = "on-chip flash"
    OFF_CHIP_FLASH = "off-chip flash"


class Term(enum.Enum):
    """What an operator can be slow for; most of these work side by side."""

    MACS = "MAC units"
    SRAM = "SRAM port"
    EXTERNAL = "external port"
    """Of the slowest memory that is not SRAM, with transfers that nothing hides."""
    DECODER = "weight decoder"
    OUTPUT = "output"
    COMMANDS = "commands"
    LATENCY = "latency"
    """Of memories, until blocks can start."""


Terms = tuple[float, ...]
"""Cycles that each takes by itself, in the order of `Term`."""
NO_TERMS: Terms = (0.0,) * len(Term)


_TERMS = tuple(Term)
_INSIDE = tuple(map(_TERMS.index, (Term.MACS, Term.DECODER, Term.OUTPUT, Term.LATENCY)))
_OWN = (*_INSIDE, _TERMS.index(Term.COMMANDS))


class CycleParts(Frozen):
    """Cycles of the accelerator, and those in which each memory is busy."""

    npu_cycles: int
    sram_cycles: float
    dram_cycles: float
    on_chip_flash_cycles: float
    off_chip_flash_cycles: float

    @property
    def parts(self) -> tuple[float, ...]:
        """Cycles in the order of `Bound`."""
        return (
            self.npu_cycles,
            self.sram_cycles,
            self.dram_cycles,
            self.on_chip_flash_cycles,
            self.off_chip_flash_cycles,
        )

    def busy_cycles(self, area: Area) -> float:
        """Cycles in which a memory is busy."""
        return dict(zip(Area, self.parts[1:], strict=True))[area]


class OperatorCost(CycleParts):
    """Cycles and bytes of one operator; its parts run side by side, so the slowest counts."""

    macs: int
    own_cycles: int
    """Of the accelerator, while all it needs is where it should be."""
    limit: Limit
    """What the blocks wait for inside the accelerator."""
    traffic: tuple[Traffic, ...]
    terms: Terms = NO_TERMS
    """What each would take if nothing else did; the ecosystem's estimate does not say."""

    @property
    def ranked(self) -> tuple[tuple[Term, float], ...]:
        """What it is slow for, and its cycles; what decides comes first, then what is next.

        Parts of the accelerator wait for each other, so the longest counts with all its own cycles.
        """
        told = (item for item in zip(_TERMS, self._term_cycles, strict=True) if item[1] > 0)
        return tuple(sorted(told, key=lambda item: -item[1]))

    @property
    def _term_cycles(self) -> list[float]:
        """In the order of `Term`."""
        cycles = list(self.terms)
        if any(cycles[at] for at in _INSIDE):
            longest = max(_OWN, key=cycles.__getitem__)
            cycles[longest] = max(cycles[longest], float(self.own_cycles))
        return cycles

    @property
    def decides(self) -> Term | None:
        """What it is slow for; None where it takes no cycles."""
        cycles = self._term_cycles
        most = max(cycles)
        return _TERMS[cycles.index(most)] if most > 0 else None

    def moved_bytes(self, area: Area) -> float:
        """Bytes that a memory moves for it."""
        return math.fsum(part.size_bytes for part in self.traffic if part.area is area)

    def term_share(self, cycles: float) -> float:
        """A term as a share of all cycles; what decides may have waited for others at times."""
        return min(cycles / self.total_cycles, 1.0) if self.total_cycles else 0.0

    @property
    def total_cycles(self) -> float:
        """Cycles until the slowest part is done."""
        return max(self.parts)

    @property
    def bound(self) -> Bound:
        """The slowest part; the accelerator where it ties."""
        parts = self.parts
        return tuple(Bound)[parts.index(max(parts))]


class EcosystemEstimate(Frozen, kw_only=False):
    """What the ecosystem's compiler would say that the same schedule takes; it knows no stripes."""

    cycles: tuple[float, ...]
    """By operator."""

    @property
    def total_cycles(self) -> float:
        """Cycles of one inference."""
        return math.fsum(self.cycles)


class Case(NamedTuple):
    """A schedule with other memories than those that it was made for."""

    title: str
    """Which of them is how much faster or slower."""
    cycles: float


class Spread(Frozen):
    """What a schedule takes, and would take with somewhat other memories."""

    nominal_cycles: float
    cases: tuple[Case, ...]

    @property
    def low_cycles(self) -> float:
        """The least of them."""
        return min(self.nominal_cycles, *(case.cycles for case in self.cases))

    @property
    def high_cycles(self) -> float:
        """The most of them."""
        return max(self.nominal_cycles, *(case.cycles for case in self.cases))


class TrafficTotal(Frozen):
    """Bytes of one purpose that one memory reads or writes in an inference."""

    area: Area
    purpose: Purpose
    direction: Direction
    size_bytes: float


class NetworkCost(CycleParts):
    """Sums over the operators of one inference."""

    macs: int
    total_cycles: float
    """Sum over operators of the slowest part of each."""
    bounds: tuple[tuple[Bound, int], ...]
    """How many operators each part bounds."""
    traffic: tuple[TrafficTotal, ...]
    clock_hz: float
    macs_per_cycle: int

    @property
    def seconds(self) -> float:
        """Time of one inference."""
        return self.total_cycles / self.clock_hz

    @property
    def inferences_per_second(self) -> float:
        """How often the network can run; infinite where it does nothing."""
        return 1 / self.seconds if self.total_cycles else math.inf

    @property
    def utilisation(self) -> float:
        """Share of the multiplications that the accelerator could have made meanwhile."""
        possible = self.total_cycles * self.macs_per_cycle
        return self.macs / possible if possible else 0.0

    def moved_bytes(
        self,
        area: Area,
        purpose: Purpose | None = None,
        direction: Direction | None = None,
    ) -> float:
        """Bytes that a memory moves, of one purpose or all, in one direction or both."""
        return math.fsum(
            total.size_bytes
            for total in self.traffic
            if total.area is area
            and purpose in (None, total.purpose)
            and direction in (None, total.direction)
        )
