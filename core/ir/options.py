"""What a user asks of the compiler besides the target."""

from __future__ import annotations

import enum
from typing import Annotated, Self

from core.base.checked import Bounds, Checked, Count
from core.base.frozen import replace
from core.ir.edits import Edit, OpNamed
from core.ir.freedoms import ALL, NONE, Freedoms
from core.target.format import ALIGNMENT_BYTES


class Choice(enum.Enum):
    """One of several values: what users name it by, and what they are told that it means."""

    meaning: str

    def __new__(cls, name: str, meaning: str) -> Self:
        """A member whose value is its name alone."""
        member = object.__new__(cls)
        member._value_, member.meaning = name, meaning
        return member


class Strategy(Choice):
    """What the schedule is to be good at."""

    PERFORMANCE = "Performance", "as fast as the limit allows"
    SIZE = "Size", "as little fast storage as possible"


class Allocator(Choice):
    """How addresses are found."""

    LINEAR = "LinearAlloc", "one behind the other, whenever they are live"
    GREEDY = "Greedy", "in order of time, each into the tightest gap"
    HILL_CLIMB = "HillClimb", "tries other orders until everything fits or nothing helps"
    OPTIMAL = "Optimal", "searches until it is proven that none is lower, or for long enough"


class EvictionPolicy(Choice):
    """How it is decided which feature maps stay in fast storage where not all can."""

    COMPONENT = "component", "what is read and written most stays in fast storage"
    OVER_LIMIT = "over-limit", "in order of time, whatever stands above the limit goes"
    LIFETIME = "lifetime", "what lives shortest moves in first, then the largest"


class Search(Choice):
    """What may be decided otherwise than elsewhere, and by how many searches."""

    COMPATIBLE = "compatible", "what the ecosystem's compiler would decide: slower, to compare with"
    DIRECT = "direct", "whatever costs least, for this limit alone"
    BEST = "best", "both engines for many limits; one front answers all, more memory costs nothing"


class Engine(Choice):
    """Who searches schedules."""

    CASCADING = "cascading", "one schedule for one limit: whole maps, then cascades in high stripes"
    PARETO = "pareto", "several schedules, from the smallest to the fastest: see the view Front"


class Container(Choice):
    """The form in which a compiled file hands command streams to the driver."""

    COP1 = "COP1", "the older form, which every driver reads"
    COP2 = "COP2", "the newer form, which says what its regions are"


class ParetoMetric(Choice):
    """What a partial schedule has to be better at, so that it stays in the race."""

    MEMORY = "BwCycMem", "partial schedules are compared by cost and memory"
    MEMORY_AND_HEIGHT = "BwCycMemBlkH", "and by the height of their last block"


class ParetoWeights(Checked):
    """What schedules are compared by in place of cycles; with none, nothing is weighed."""

    cycle: Count = 0
    traffic_cycle: Count = 0
    """A cycle in which a memory is busy."""
    kib: Count = 0
    """A KiB of fast storage."""

    @property
    def are_given(self) -> bool:
        """Whether anything is weighed."""
        return self != ParetoWeights()


class ParetoOptions(Checked):
    """What the Pareto engine may do, and which of its schedules is taken."""

    metric: ParetoMetric = ParetoMetric.MEMORY
    cascading: bool = True
    """Operators may run in cascades."""
    overlap: bool = True
    """An operator may write over its input where that is possible."""
    ifm_streaming: bool = True
    """Operators may run block row by block row with all weights kept; cascades need that."""
    most_bytes: Count | None = None
    """Take the fastest schedule of the front that needs no more than this; None leaves the choice
    to the strategy."""
    blocks_per_end: Count = 8
    """Blocks that are tried of an operator, from the largest downwards and the smallest upwards; 0
    is all of them."""
    weights: ParetoWeights = ParetoWeights()


class LoweringOptions(Checked):
    """All choices that a lowered network depends on."""

    force_symmetric_int_weights: bool = False
    to_cpu: tuple[str, ...] = ()
    on_cpu: tuple[OpNamed, ...] = ()
    """The same by edits."""
    freedoms: Freedoms = ALL
    saves_memory: bool = False
    """Little is made at once, though it takes more commands: of networks that can."""


ORDERS = Bounds(least=1)
"""How many orders HillClimb may try."""
ALIGNMENTS = Bounds(least=ALIGNMENT_BYTES, is_power_of_two=True)


class Options(Checked):
    """Choices that change the result; limits of the memory are the target's."""

    strategy: Strategy = Strategy.PERFORMANCE
    allocator: Allocator = Allocator.HILL_CLIMB
    eviction: EvictionPolicy = EvictionPolicy.COMPONENT
    search: Search = Search.DIRECT
    effort: Count = 60
    """Searches that the front of the best search may take."""
    robust: bool = False
    """Take the schedule that loses least against the compatible one, whatever memories are."""
    as_first: bool = False
    """Decide as the ecosystem's first cascading scheduler did, where its releases differ."""
    engine: Engine = Engine.CASCADING
    pareto: ParetoOptions = ParetoOptions()
    force_symmetric_int_weights: bool = False
    """Take signed weights as symmetric even where the file gives them a zero point."""
    to_cpu: tuple[str, ...] = ()
    """Operators that are put on the CPU on purpose, by kind, name or number."""
    hill_climb_orders: Annotated[int, ORDERS] = 99_999
    """Orders that HillClimb may try."""
    cpu_alignment: Annotated[int, ALIGNMENTS] = ALIGNMENT_BYTES
    """Of the addresses of maps that the CPU reads or writes."""
    container: Container = Container.COP1
    separate_io_regions: bool = False
    """Inputs and outputs have buffers of the application's, and no place in the arena."""
    edits: tuple[Edit, ...] = ()
    """Decisions that are not the compiler's to take."""

    @property
    def is_best(self) -> bool:
        """Whether a front of both engines answers."""
        return self.search is Search.BEST and self.engine is Engine.CASCADING

    @property
    def is_robust(self) -> bool:
        """Whether finalists are compared; fronts are chosen of, and the compatible schedule is what
        others are held against."""
        is_held = self.search is Search.COMPATIBLE or self.engine is Engine.PARETO
        return self.robust and not is_held

    @property
    def is_as_first(self) -> bool:
        """Whether the first scheduler's rules hold; who has freedoms follows nobody."""
        is_compatible = self.search is Search.COMPATIBLE and self.engine is Engine.CASCADING
        return self.as_first and is_compatible

    @property
    def is_newer_container(self) -> bool:
        """Whether a compiled file is of the newer form, which alone has regions for each tensor."""
        return self.separate_io_regions or self.container is Container.COP2

    @property
    def freedoms(self) -> Freedoms:
        """What the level of the search may decide otherwise than the ecosystem's compiler."""
        return NONE if self.search is Search.COMPATIBLE else ALL

    @property
    def lowering(self) -> LoweringOptions:
        """What of them a lowered network depends on."""
        # The application's buffers are no part of the arena, and what is made there needs none.
        has_near = self.freedoms.near_results and not self.separate_io_regions
        return LoweringOptions(
            force_symmetric_int_weights=self.force_symmetric_int_weights,
            to_cpu=self.to_cpu,
            freedoms=replace(self.freedoms, near_results=has_near),
        )
