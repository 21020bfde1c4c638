"""The decision log: what the scheduler tried, what it chose, the numbers, and the reason."""

from __future__ import annotations

import enum

from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import Block
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.addresses_tried import ArrivalsTried, LimitMet, TakenAsHigh
from core.ir.npugraph import LinearReason, LoweringChoice
from core.ir.options import Engine, EvictionPolicy, Strategy
from core.ir.robust_tried import RobustTaken
from core.ir.search_records import OrderTried, PartTaken
from core.target.format import Format
from core.target.region import Region


class FormatReason(enum.Enum):
    """Why a map is in bricks, or in rows although lowering does not demand it."""

    NOTHING_AGAINST_BRICKS = "nothing against bricks"
    OUTSIDE = "used outside its island"
    CONSTANT = "constant"
    KEPT = "kept between inferences"
    NOT_MADE = "not made by the NPU"
    INSIDE_BRICK = "touched inside a brick"
    OTHER_SHAPE = "seen in another shape"
    DMA = "moved by DMA"
    CHANNEL_SUM = "summed over channels"
    LIES_ON_ROWS = "lies on rows"
    FEWER_CYCLES = "fewer cycles"
    LESS_MEMORY = "less memory"
    NO_DIFFERENCE = "no difference"
    NEIGHBOURS = "as its neighbours"
    ASKED = "asked for"
    SHOWN = "as it was shown"
    """Edits are around a schedule that has it so."""


class FormatPrice(NamedTuple):
    """What a map in some format takes, and what the operators do that touch it."""

    size_bytes: int
    cycles: float


class FormatChosen(Frozen):
    """The order of elements of a feature map."""

    fm: FmId
    format: Format
    reason: FormatReason | LinearReason
    op: NpuOpId | None = None
    """The operator that cannot use bricks, or that can save memory with rows."""
    channel: int | None = None
    """From which on it touches the map, where that is inside a brick."""
    rows: FormatPrice | None = None
    """Where both are possible and the price decides."""
    bricks: FormatPrice | None = None


class Role(enum.Enum):
    """Which of an operator's feature maps."""

    IFM = "ifm"
    IFM2 = "ifm2"
    OFM = "ofm"


class WholeReason(enum.Enum):
    """Why a map cannot pass through a rolling buffer."""

    MADE_OUTSIDE = "made outside"
    READ_OUTSIDE = "read outside"
    IN_ROWS = "stored in rows"
    OUT_OF_ORDER = "rows out of order"
    KEPT = "kept between inferences"
    IN_PARTS = "made in parts"
    SEVERAL_READERS = "several readers"


class FullMapNeeded(Frozen):
    """An operator cannot work on a part of one of its feature maps."""

    op: NpuOpId
    role: Role
    reason: WholeReason


class UnstripedReason(enum.Enum):
    """Why an operator cannot work on some rows at a time, whatever its maps are like."""

    NO_ROWS = "no rows"
    CHANNEL_SUM = "sum over channels"
    DMA = "DMA"
    TRANSPOSED = "transpose convolution"
    EDGE_PADDING = "padding of the edge"
    READS_PART = "reads a part"
    FIRST_INPUT_NOT_MADE = "first input is not made"
    FIRST_INPUT_REPEATED = "first input is repeated"
    TWO_MAPS = "two maps"


class StripesImpossible(Frozen):
    """An operator makes its whole output at once, and so is in no cascade."""

    op: NpuOpId
    reason: UnstripedReason


class SmallestMemory(Frozen):
    """No schedule of an island, in the order of its operators, needs less than this.

    That is what the maps take that must exist whole and are live at one time.
    """

    island: IslandId
    size_bytes: int
    op: NpuOpId | None
    """The operator beside which they are live."""


class RoomGiven(Frozen):
    """Every island may take what some part of the network needs, whatever its schedule is.

    That is above the limit, or with Size above what some island itself needs.
    """

    size_bytes: int
    limit_bytes: int


class Candidate(enum.Enum):
    """A complete schedule of an island, by how it comes about."""

    WHOLE_MAPS = "max, buffered"
    WHOLE_WITHIN_LIMIT = "max for the limit"
    """With those maps and buffers in fast storage that have room there."""
    SMALLEST_STRIPES = "min"
    """With cascades as far as the strategy asks for them."""
    SMALLEST_WITHIN_LIMIT = "min for the limit"
    """The same again, with longer cascades, since buffers were above the limit."""
    CASCADES = "min, buffered"
    """With the highest stripes that fit."""
    FROM_FRONT = "pareto"
    AS_COMPILED = "as compiled"


class CandidateSized(Frozen):
    """A complete schedule of an island that the search has looked at."""

    island: IslandId
    candidate: Candidate
    peak_bytes: int
    limit_bytes: int
    is_taken: bool


class CascadeEnd(enum.Enum):
    """Why a cascade does not go on."""

    LAST = "last"
    """No operator follows, or not that one alone reads the output."""
    NEXT_IS_ELSEWHERE = "next is elsewhere"
    CANNOT = "next cannot be striped"
    WHOLE_MAP = "whole map between"
    SHAPES_DIFFER = "shapes differ"
    FITS_WHOLE = "fits whole"
    TOO_LARGE = "too large"
    ASKED = "asked for"
    NO_MAP_IN_COMMON = "no map in common"


class CascadeGrown(Frozen):
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


class StripeTried(Frozen):
    """A height for the last stripe of a cascade."""

    first: NpuOpId
    last: NpuOpId
    height: int
    size_bytes: int
    limit_bytes: int
    cascades: int
    """Into how many cascades the operators fall with this height."""
    fits: bool


class BlockChosen(Frozen):
    """An operator works in the block in which it costs least, and that fetches least of such."""

    op: NpuOpId
    height: int
    """Rows of a stripe, or of the whole output; cycles and bytes are of so many."""
    blocks: tuple[Block, ...]
    """The cheapest, of which the first was taken; the last is that for which least is fetched."""
    cycles: tuple[float, ...]
    fetched_bytes: tuple[float, ...]
    asked: int
    """How many blocks were compared."""


class Buffering(enum.Enum):
    """What becomes of an operator's weights."""

    DIRECT = "direct"
    SINGLE = "single"
    DOUBLE = "double"


class WeightsReason(enum.Enum):
    """Why weights go through buffers like these, or through none."""

    NEAR = "stored near enough"
    USED_ONCE = "used once"
    USED_IN_EVERY_STRIPE = "used in every stripe"
    NO_ROOM_BESIDE_CASCADE = "no room beside the cascade"
    FITS_WHOLE = "fits whole"
    FASTEST = "the fastest way"
    """And not what its place in the schedule asks for."""
    ONE_SLICE = "one slice"
    SLICE_BY_SLICE = "slice by slice"
    NO_ROOM = "no room"
    NO_ROOM_FOR_BUFFER = "no room for any buffer"
    NO_ROOM_FOR_SLICE = "no room for the smallest slice"
    WHOLE_AHEAD = "whole, several operators ahead"
    ASKED = "asked for"
    SHOWN = "as it was shown"
    IN_BLOCKS = "slices as deep as a block"
    """This and those below are of the Pareto engine."""
    INPUT_PASSES = "kept while the input passes"
    NOTHING_BETTER = "no buffer is better"
    LARGER_THAN_PRICED = "larger than priced"


class WeightsBuffered(Frozen):
    """Whether and how weights are brought to fast storage."""

    op: NpuOpId
    buffering: Buffering
    reason: WeightsReason
    depth_slices: tuple[int, ...]
    stream_bytes: int
    buffer_bytes: int
    limit_bytes: int
    """What the buffers may take."""
    slack_cycles: int
    """Cycles of the operator before, under which the first slice can arrive."""
    transfer_cycles: int
    is_prefetched: bool
    tried: tuple[Buffering, ...] = ()
    """Ways that were compared, and in `cycles` what the operator costs with each."""
    cycles: tuple[float, ...] = ()


class Fate(enum.Enum):
    """Why a contender for fast storage stays or goes."""

    NEVER_FITS = "never fits"
    """At some time of its life it is above the limit with nothing but what cannot leave."""
    ALWAYS_FITS = "always fits"
    """The limit holds throughout its life even when everything stays."""
    WON = "won"
    LOST = "lost"
    ASKED = "asked for"
    """An edit says where it is."""
    SHOWN = "as it was shown"
    COUNTED_ON = "counted on"
    """The cuts into cascades were found with it there."""
    CASCADED = "made by a cascade"
    """The search leaves where it lives what a cascade makes whole."""
    FASTER_AWAY = "faster away"
    """There is room for it, but what reads and writes it would take longer."""


class Worth(enum.Enum):
    """By what it is told which maps should be in fast storage."""

    ACCESSES = "accesses"
    """Elements that are read and written."""
    CYCLES = "cycles"


class MapPlaced(Frozen):
    """Where feature maps that share their bytes live, and what that is worth."""

    fms: tuple[FmId, ...]
    region: Region
    reason: Fate
    size_bytes: int
    start_time: int
    end_time: int
    accesses: int
    """Elements that are read and written there."""
    within_bytes: int
    """Fast storage that was contested; a search that draws a front aims below the limit too."""


class SpillSolved(Frozen):
    """How well the contest for fast storage of one group of feature maps was solved."""

    island: IslandId
    fms: tuple[FmId, ...]
    unit: Worth
    worth_kept: int
    worth_bound: int
    """Proven: no choice keeps more."""

    @property
    def is_proven_optimal(self) -> bool:
        """Whether no other choice is better."""
        return self.worth_kept >= self.worth_bound


class BuffersReduced(Frozen):
    """Weight buffers were made smaller by what was evicted beside them, to see whether it pays."""

    island: IslandId
    ops: tuple[NpuOpId, ...]
    evicted_bytes: int
    evicted_bytes_before: int
    cycles: float
    cycles_before: float
    dram_cycles: float
    """In which DRAM is busy."""
    dram_cycles_before: float
    is_kept: bool


class ConstantReason(enum.Enum):
    """Why a constant is moved or stays."""

    LOOKED_UP = "looked up in the shared buffer"
    IN_COMMAND = "part of the command"
    READ_IN_PLACE = "read in place"


class ConstantPlaced(Frozen):
    """Where a constant is read from."""

    op: NpuOpId
    fm: FmId | None
    """None for the table of an activation."""
    is_moved: bool
    reason: ConstantReason


class FrontAnswered(Frozen):
    """One front answers every limit: how that which was taken of it was found."""

    limit_bytes: int
    engine: Engine
    strategy: Strategy
    eviction: EvictionPolicy
    searched_bytes: int | None
    """The limit of that search; None is all that the accelerator can address."""
    changes: int
    """Parts that were searched again after that, while all others stayed as they were."""
    cycles: float
    direct_cycles: float | None
    """What the direct search finds for the limit itself; None where it was not asked."""
    least_cycles: float
    """No schedule takes fewer, in whatever memory."""
    least_bytes: int
    """No schedule takes less fast storage."""
    points: int
    searches: int
    """Those for limits that somebody has asked for not among them."""
    is_done: bool
    """Nothing was left to ask that promised anything."""

    @property
    def times_least(self) -> float:
        """How near the limit it is: 1 is the best there can be."""
        return self.cycles / self.least_cycles if self.least_cycles else 1.0


class Streaming(enum.Enum):
    """What goes through fast storage in parts while an operator runs."""

    WEIGHTS = "weights"
    """Weights pass through two buffers, each as deep as a block."""
    FEATURE_MAP = "feature map"
    """All weights are kept, and the input passes by in rows of blocks."""
    NOTHING = "nothing"
    """Weights are read from where they are stored, if there are any."""


class StrategyTaken(Frozen):
    """How the Pareto engine lets one operator run, or some in a cascade."""

    ops: tuple[NpuOpId, ...]
    streaming: tuple[Streaming, ...]
    blocks: tuple[Block, ...]
    size_bytes: int
    """Fast storage while it runs, with all that is live beside it."""


class FrontFound(Frozen):
    """How the Pareto engine searched an island."""

    island: IslandId
    combinations: int
    """Pairs of a partial schedule and a strategy for the next operator."""
    smallest_bytes: int
    """No combination of the strategies needs less, nor any other schedule that was found."""
    limit_bytes: int
    is_above_limit: bool
    """Nothing fits, so that the smallest was looked for."""
    sizes: tuple[int, ...]
    """Of the schedules found, from the smallest to the fastest."""
    cycles: tuple[float, ...]
    taken_of: Engine
    """Who has found the one that is taken of them."""


Decision = (
    FormatChosen
    | FullMapNeeded
    | StripesImpossible
    | SmallestMemory
    | RoomGiven
    | CandidateSized
    | CascadeGrown
    | StripeTried
    | BlockChosen
    | WeightsBuffered
    | MapPlaced
    | SpillSolved
    | BuffersReduced
    | ConstantPlaced
    | FrontAnswered
    | PartTaken
    | OrderTried
    | RobustTaken
    | LimitMet
    | TakenAsHigh
    | ArrivalsTried
    | StrategyTaken
    | FrontFound
    | LoweringChoice
)
