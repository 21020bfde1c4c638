"""How a lowered network runs: stripes, cascades, weight buffers, and what lives where.

Everything is keyed by the ids of the NPU graph, and nothing has an address yet. Times are counted
from the start of an island, two for each operator or cascade: the odd one between two operators is
when the next one's weights may arrive. A range of time includes both its ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.base.frozen import Frozen, NamedTuple, replace
from core.base.geometry import Shape4
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.cost import NetworkCost
from core.ir.decisions import Candidate, Decision, Fate, MapPlaced, StrategyTaken, Streaming
from core.ir.options import Engine
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.region import Region


class Stripe(NamedTuple):
    """What is made at once of an output, and what of the inputs that takes."""

    ofm: Shape4
    ifm: Shape4
    ifm2: Shape4 | None


class MapPlan(Frozen):
    """In which order the elements of a feature map lie, and in which region."""

    format: Format
    region: Region
    rolling: Shape4 | None = None
    """What exists of it at once, where a cascade hands it on through a rolling buffer."""


class WeightPlan(Frozen, cache_hash=True):
    """The weight stream of an operator: its slices, and the buffers that they go through."""

    encoding: str
    """Digest of all that decides about the bytes of the stream; where it is equal, they are."""
    depth_slices: tuple[int, ...]
    """Output channels at which slices begin, and the end: 0, ..., depth."""
    slice_bytes: tuple[int, ...]
    """Scales and weights of each slice, all cores together."""
    buffer_bytes: tuple[int, ...] = ()
    """Sizes of no, one, or two buffers in fast storage, which take the slices in turn."""
    lead_steps: int = 0
    """How many operators or cascades before its own the first buffer may be filled beside; it is
    not before its own where that is none."""
    transfer_cycles: int = 0
    """Cycles in which the whole stream can be brought to fast storage."""

    @property
    def stream_bytes(self) -> int:
        """Bytes of all slices."""
        return sum(self.slice_bytes)

    @property
    def is_double_buffered(self) -> bool:
        """Whether one slice can arrive while another is used."""
        return len(self.buffer_bytes) > 1

    @property
    def is_prefetched(self) -> bool:
        """Whether the first buffer is filled while operators before run."""
        return self.lead_steps > 0

    @property
    def early_text(self) -> str:
        """Whether and how far it is ahead, behind a word for its buffers."""
        far = f" by {self.lead_steps}" if self.lead_steps > 1 else ""
        return f", early{far}" if self.is_prefetched else ""


class OpPlan(Frozen):
    """How one operator runs."""

    op: NpuOpId
    stripe: Stripe
    block: BlockConfig
    cascade: int | None
    """Position in the island's cascades, where it runs stripe by stripe with others."""
    weights: WeightPlan | None
    macs: int
    cycles: int
    """Of the accelerator, while all it needs is where it should be."""
    slack_cycles: int
    """Cycles under which DMA for the next operator can run."""
    slack_bytes: int
    """Fast storage that is free while it runs; negative where the limit is not met."""
    time: int
    """When it runs."""

    @property
    def commands(self) -> tuple[object, ...]:
        """All of it that its commands follow from."""
        weights = None if self.weights is None else replace(self.weights, transfer_cycles=0)
        return self.op, self.stripe, self.block, self.cascade, weights, self.time


def steps_of(plans: Sequence[OpPlan]) -> Iterator[tuple[OpPlan, ...]]:
    """What runs at one time after the other: the operators of a cascade, or one that is in none."""
    for cascade, members in groupby(plans, key=lambda plan: plan.cascade):
        if cascade is not None:
            yield tuple(members)
        else:
            yield from ((plan,) for plan in members)


def brought_ahead(steps: Sequence[Sequence[OpPlan]]) -> dict[int, list[OpPlan]]:
    """By step: whose first slice is brought right before it, in this order; it may be its own."""
    found: dict[int, list[OpPlan]] = {}
    for number, (plan, *_) in enumerate(steps):
        weights = plan.weights
        if weights is not None and weights.is_prefetched and plan.cascade is None:
            found.setdefault(max(number - weights.lead_steps + 1, 0), []).append(plan)
    return found


class RollingBuffer(Frozen):
    """Rows of a map that operators of a cascade hand to each other: a ring."""

    fm: FmId
    shape: Shape4
    size_bytes: int


class Overlay(NamedTuple):
    """A whole map that a cascade writes over rows of another that it has read for the last time."""

    given: FmId
    made: FmId
    lead_bytes: int
    """By how much it has to begin before the other, at least, so that it never reaches rows that
    are still to be read."""

    def saved_bytes(self, given_bytes: int, made_bytes: int) -> int:
        """What both take less together, which have so many bytes by themselves."""
        return min(given_bytes, made_bytes - self.lead_bytes)


class Cascade(Frozen):
    """Neighbours in the order of an island that run stripe by stripe, handing rows to each other.

    In which order their stripes run is not stored: a rule decides it (`liveness/stripes.py`).
    """

    ops: tuple[NpuOpId, ...]
    buffers: tuple[RollingBuffer, ...]
    """One for each map that is made and last read inside, by who first makes it."""
    size_bytes: int
    """What the search counted for it: buffers, and whole maps at its ends where they count."""
    overlays: tuple[Overlay, ...] = ()
    """Pairs of whole maps at its ends that may share bytes; each map is in one of them at most."""


class Evicted(Frozen):
    """Feature maps that could be in fast storage and are not, in bytes that they could share."""

    fms: tuple[FmId, ...]
    start_time: int
    end_time: int
    size_bytes: int


class IslandSchedule(Frozen):
    """How the operators of one island run."""

    island: IslandId
    candidate: Candidate
    """Which of the candidates of the search it is."""
    ops: tuple[OpPlan, ...]
    """In order of execution."""
    cascades: tuple[Cascade, ...]
    limit_bytes: int
    """Fast storage that the search was allowed to use."""
    snapshot: tuple[int, ...]
    """Bytes of fast storage that are live at each time."""
    evicted: tuple[Evicted, ...]
    """None are told of a compiled file."""

    @property
    def peak_bytes(self) -> int:
        """Most bytes of fast storage that are live at once."""
        return max(self.snapshot, default=0)


class FrontPoint(Frozen):
    """A schedule that was found beside the one taken: none of them is both smaller and faster."""

    cost: NetworkCost
    peak_bytes: int
    """Most bytes of fast storage that are live at once; on a front of several searches all that
    its addresses take."""
    cascades: int
    cascaded_ops: int
    evicted_bytes: int
    is_taken: bool
    ecosystem_cycles: float | None = None
    """By the ecosystem's estimate, where the search went by that."""
    engine: Engine | None = None
    """Who found it, on a front of several searches."""
    searched_bytes: int | None = None
    """The limit of that search; None is all that the accelerator can address."""
    changes: int = 0
    """Parts that were searched again after that, while all others stayed as they were."""

    @property
    def cycles(self) -> float:
        """Of the whole network, as the cost model counts them."""
        return self.cost.total_cycles

    def is_like(self, other: FrontPoint) -> bool:
        """Whether both take the same time and memory: of these a front has one."""
        return (self.cycles, self.peak_bytes) == (other.cycles, other.peak_bytes)


def priced_front(front: tuple[FrontPoint, ...], cost: NetworkCost) -> tuple[FrontPoint, ...]:
    """A front whose taken schedule costs so much with its addresses; what has no advantage over
    others then is left out."""
    best, kept = math.inf, []
    for point in front:
        priced = replace(point, cost=cost) if point.is_taken else point
        if priced.is_taken or priced.cycles < best:
            kept.append(priced)
        best = min(best, priced.cycles)
    return tuple(kept)


class Schedule(Frozen):
    """How a whole network runs."""

    network: str
    """Digest of the network that was lowered."""
    maps: tuple[MapPlan, ...]
    """By feature map."""
    islands: tuple[IslandSchedule, ...]
    decisions: tuple[Decision, ...]
    """What was tried, what was chosen, and why."""
    front: tuple[FrontPoint, ...] = ()
    """From the smallest to the fastest, where the search finds more than one schedule."""

    @property
    def peak_bytes(self) -> int:
        """The most of fast storage that is live in one of its command streams."""
        return max((island.peak_bytes for island in self.islands), default=0)

    @property
    def evicted(self) -> tuple[Evicted, ...]:
        """All that could be in fast storage and is not."""
        return tuple([each for island in self.islands for each in island.evicted])

    @property
    def fates(self) -> dict[FmId, Fate]:
        """Why maps are in fast storage or not, as far as records tell."""
        placed = [each for each in self.decisions if isinstance(each, MapPlaced)]
        return {fm: each.reason for each in placed for fm in each.fms}

    @property
    def streaming(self) -> dict[NpuOpId, Streaming]:
        """What passes through fast storage in parts, where the Pareto engine has decided it."""
        taken = [each for each in self.decisions if isinstance(each, StrategyTaken)]
        return {
            op: streaming
            for each in taken
            for op, streaming in zip(each.ops, each.streaming, strict=True)
        }

    @property
    def has_no_room(self) -> bool:
        """Whether maps that competed for fast storage are not there."""
        return not {Fate.NEVER_FITS, Fate.LOST}.isdisjoint(self.fates.values())

    @property
    def evicted_bytes(self) -> int:
        """What that would take there."""
        return sum(each.size_bytes for each in self.evicted)

    @property
    def commands(self) -> tuple[object, ...]:
        """All of it that its commands follow from."""
        islands = (
            (each.cascades, tuple([plan.commands for plan in each.ops])) for each in self.islands
        )
        return self.maps, *islands

    def runs_as(self, other: Schedule) -> bool:
        """Whether both are the same commands, whatever they were searched for and why."""
        return self.commands == other.commands

    @property
    def ops(self) -> tuple[OpPlan, ...]:
        """The plans of all operators, in the order of their ids."""
        found = [plan for island in self.islands for plan in island.ops]
        return tuple(sorted(found, key=lambda plan: plan.op))
