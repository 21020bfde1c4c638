"""The decision log: what the scheduler tried, what it chose, the numbers, and the reason."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from core.base.ids import FmId, IslandId, NpuOpId
from core.target.format import Format
from core.target.region import Region


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatChosen:
    """The order of elements of a feature map."""

    fm: FmId
    format: Format
    reason: str


class Role(enum.Enum):
    """Which of an operator's feature maps."""

    IFM = "ifm"
    IFM2 = "ifm2"
    OFM = "ofm"


@dataclass(frozen=True, slots=True, kw_only=True)
class FullMapNeeded:
    """An operator cannot work on a part of one of its feature maps."""

    op: NpuOpId
    role: Role
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallestMemory:
    """No schedule of an island, in the order of its operators, needs less than this.

    That is what the maps take that must exist whole and are live at one time.
    """

    island: IslandId
    size_bytes: int
    op: NpuOpId | None
    """The operator beside which they are live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomGiven:
    """Every island may take what some part of the network needs, whatever its schedule is.

    That is above the limit, or with Size above what some island itself needs.
    """

    size_bytes: int
    limit_bytes: int


class Candidate(enum.Enum):
    """A complete schedule of an island, by how it comes about."""

    WHOLE_MAPS = "max, buffered"
    SMALLEST_STRIPES = "min"
    """With cascades as far as the strategy asks for them."""
    SMALLEST_WITHIN_LIMIT = "min for the limit"
    """The same again, with longer cascades, since buffers were above the limit."""
    CASCADES = "min, buffered"
    """With the highest stripes that fit."""
    FROM_FRONT = "pareto"
    AS_COMPILED = "as compiled"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSized:
    """A complete schedule of an island that the search has looked at."""

    island: IslandId
    candidate: Candidate
    peak_bytes: int
    limit_bytes: int
    is_taken: bool


class CascadeEnd(enum.Enum):
    """Why a cascade does not go on."""

    LAST = "the last operator, or its output is read elsewhere too"
    NEXT_IS_ELSEWHERE = "the reader is not the next operator"
    CANNOT = "the next operator cannot be cascaded"
    WHOLE_MAP = "the map between must exist whole"
    SHAPES_DIFFER = "the two operators see the map between in different shapes"
    FITS_WHOLE = "the next operator fits without a cascade"
    TOO_LARGE = "the buffers would take more than they save"


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeGrown:
    """How far a cascade was grown from an operator, and how far it pays."""

    first: NpuOpId
    last: NpuOpId
    """The last operator of the best cascade; the first itself where none pays."""
    tried_until: NpuOpId
    size_bytes: int
    uncascaded_bytes: int
    """What the first operator needs on its own."""
    limit_bytes: int
    end: CascadeEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeTried:
    """A height for the last stripe of a cascade."""

    first: NpuOpId
    last: NpuOpId
    height: int
    size_bytes: int
    limit_bytes: int
    cascades: int
    """Into how many cascades the operators fall with this height."""
    fits: bool


class Buffering(enum.Enum):
    """What becomes of an operator's weights."""

    DIRECT = "read from permanent storage"
    SINGLE = "one buffer"
    DOUBLE = "two buffers in turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsBuffered:
    """Whether and how weights are brought to fast storage."""

    op: NpuOpId
    buffering: Buffering
    reason: str
    depth_slices: tuple[int, ...]
    stream_bytes: int
    buffer_bytes: int
    limit_bytes: int
    """What the buffers may take."""
    slack_cycles: int
    """Cycles of the operator before, under which the first slice can arrive."""
    transfer_cycles: int
    is_prefetched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPlaced:
    """Where feature maps that share their bytes live, and what that is worth."""

    fms: tuple[FmId, ...]
    region: Region
    reason: str
    size_bytes: int
    start_time: int
    end_time: int
    accesses: int
    """Elements that are read and written there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpillSolved:
    """How well the contest for fast storage of one group of feature maps was solved."""

    island: IslandId
    fms: tuple[FmId, ...]
    accesses_kept: int
    accesses_bound: int
    """Proven: no choice keeps more."""

    @property
    def is_proven_optimal(self) -> bool:
        """Whether no other choice is better."""
        return self.accesses_kept >= self.accesses_bound


@dataclass(frozen=True, slots=True, kw_only=True)
class BuffersReduced:
    """Weight buffers were made smaller by what was evicted beside them, to see whether it pays."""

    island: IslandId
    ops: tuple[NpuOpId, ...]
    evicted_bytes: int
    evicted_bytes_before: int
    cycles: float
    cycles_before: float
    is_kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantPlaced:
    """Where a constant is read from."""

    op: NpuOpId
    fm: FmId | None
    """None for the table of an activation."""
    is_moved: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitTried:
    """The search was given less than the limit, because less memory sometimes makes it faster."""

    island: IslandId
    limit_bytes: int
    cycles: float
    is_taken: bool


class Streaming(enum.Enum):
    """What goes through fast storage in parts while an operator runs."""

    WEIGHTS = "weights"
    """Weights pass through two buffers, each as deep as a block."""
    FEATURE_MAP = "feature map"
    """All weights are kept, and the input passes by in rows of blocks."""
    NOTHING = "nothing"
    """Weights are read from where they are stored, if there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyTaken:
    """How the Pareto engine lets one operator run, or some in a cascade."""

    ops: tuple[NpuOpId, ...]
    streaming: tuple[Streaming, ...]
    blocks: tuple[tuple[int, int, int], ...]
    """Height, width and depth."""
    size_bytes: int
    """Fast storage while it runs, with all that is live beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontFound:
    """How the Pareto engine searched an island."""

    island: IslandId
    combinations: int
    """Pairs of a partial schedule and a strategy for the next operator."""
    smallest_bytes: int
    """No combination of the strategies needs less."""
    limit_bytes: int
    is_above_limit: bool
    """Nothing fits, so that the smallest was looked for."""
    sizes: tuple[int, ...]
    """Of the schedules found, from the smallest to the fastest."""
    cycles: tuple[float, ...]


Decision = (
    FormatChosen
    | FullMapNeeded
    | SmallestMemory
    | RoomGiven
    | CandidateSized
    | CascadeGrown
    | StripeTried
    | WeightsBuffered
    | MapPlaced
    | SpillSolved
    | BuffersReduced
    | ConstantPlaced
    | LimitTried
    | StrategyTaken
    | FrontFound
)
