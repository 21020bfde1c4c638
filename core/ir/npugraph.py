"""A lowered network: NPU operators over feature maps, beside what stays on the CPU.

Nothing here says where a feature map lives, in which format, or in which stripes it is made; that
is the schedule's and the memory layout's to say, keyed by the ids of this value.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from functools import cached_property

from core.base.dtype import DType
from core.base.frozen import Frozen
from core.base.geometry import NO_PADDING, ONE_ELEMENT, ORIGIN, Kernel, Padding, Resampling, Shape4
from core.base.ids import FmId, IslandId, NpuOpId, OpRef, SubgraphId, TensorRef
from core.base.named import Named
from core.ir.constdata import ConstData
from core.ir.rewritten import RewriteTried
from core.ir.titles import Called, Titles, titles_of
from core.target.unit import Unit


class OpKind(Named):
    """What an NPU operator computes."""

    CONV_2D = "conv2d"
    TRANSPOSE_CONV_2D = "transpose conv2d"
    DEPTHWISE_CONV_2D = "depthwise conv2d"
    FULLY_CONNECTED = "fully connected"
    AVERAGE_POOL = "average pool"
    MAX_POOL = "max pool"
    RESIZE_BILINEAR = "resize bilinear"
    RESIZE_NEAREST = "resize nearest"
    REDUCE_SUM = "reduce sum"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    SHIFT_LEFT = "shift left"
    SHIFT_RIGHT = "shift right"
    ABS = "abs"
    LEAKY_RELU = "leaky relu"
    COUNT_LEADING_ZEROS = "count leading zeros"
    COPY = "copy"

    @property
    def unit(self) -> Unit:
        """The part of the hardware that runs this kind."""
        return _UNITS.get(self, Unit.ELEMENTWISE)

    @property
    def is_binary(self) -> bool:
        """Whether it is an element-wise operator of two inputs."""
        return self in _BINARY

    @property
    def is_elementwise(self) -> bool:
        """Whether each output element needs one element of each input."""
        return self.unit is Unit.ELEMENTWISE


_UNITS = {
    OpKind.CONV_2D: Unit.CONVOLUTION,
    OpKind.TRANSPOSE_CONV_2D: Unit.CONVOLUTION,
    OpKind.DEPTHWISE_CONV_2D: Unit.DEPTHWISE,
    OpKind.FULLY_CONNECTED: Unit.VECTOR_PRODUCT,
    OpKind.AVERAGE_POOL: Unit.POOLING,
    OpKind.MAX_POOL: Unit.POOLING,
    OpKind.RESIZE_BILINEAR: Unit.POOLING,
    OpKind.RESIZE_NEAREST: Unit.POOLING,
    OpKind.REDUCE_SUM: Unit.REDUCE_SUM,
    OpKind.COPY: Unit.DMA,
}
_BINARY = frozenset(
    {
        OpKind.ADD,
        OpKind.SUB,
        OpKind.MUL,
        OpKind.MINIMUM,
        OpKind.MAXIMUM,
        OpKind.SHIFT_LEFT,
        OpKind.SHIFT_RIGHT,
    }
)


class Rounding(enum.Enum):
    """How a scaled accumulator becomes an integer."""

    DOUBLE = "double"
    """As TensorFlow Lite: twice, in its multiplier and in its shift."""
    TRUNCATE = "truncate"
    NATURAL = "natural"
    """Halves go up."""
    AWAY_FROM_ZERO = "away from zero"
    """Halves go away from zero; made of NATURAL by a nudge in the scales."""


class ActivationKind(enum.Enum):
    """What happens to a value after scaling."""

    CLAMP = "clamp"
    TANH = "tanh"
    SIGMOID = "sigmoid"
    LUT = "lut"


class Activation(Frozen):
    """A fused activation; the bounds are real numbers, not quantised ones."""

    kind: ActivationKind
    minimum: float | None = None
    maximum: float | None = None
    table: ConstData | None = None
    stands_alone: bool = False
    """It is an operator of its own in the source, and not a part of another."""


class Quant(Frozen):
    """real = scale x (stored - zero point); without a scale the value is taken as it is."""

    scale: float | None
    zero_point: int = 0


class ExplicitScaling(Frozen):
    """Multiplier and right shift that replace those which the quantisations would give."""

    multiplier: int
    shift: int


class View(Frozen):
    """How one operator reads or writes a feature map.

    The operator takes the map to have `shape`. Where `offset` is given, it touches only the box of
    `extent` elements from there on. Steps along height and width may be multiplied (to skip or,
    when negative, to mirror), and `base_offset_bytes` moves the first element.
    """

    fm: FmId
    shape: Shape4
    quant: Quant | None = None
    offset: Shape4 | None = None
    extent: Shape4 | None = None
    step_h: int = 1
    step_w: int = 1
    base_offset_bytes: int = 0
    is_transposed: bool = False
    """Height and width change places on the way to memory."""
    is_raw: bool = False
    """Elements are taken as they are stored, without the zero point."""
    cut_by: str = ""
    """Kind of the source operator that cut this part out, where it is no operator of its own."""
    is_joined: bool = False
    """The part that is written is all that the operator makes, and no copy brings it there."""

    @property
    def touched(self) -> Shape4:
        """The box of elements that the operator touches."""
        return self.extent if self.extent is not None else self.shape

    @property
    def start(self) -> Shape4:
        """The first element that the operator touches."""
        return self.offset if self.offset is not None else ORIGIN


class Weights(Frozen):
    """Weights in OHWI order (I is 1 for a depthwise operator), with zero points and scales."""

    values: ConstData
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    bias: ConstData
    """One integer for each output channel, of the bits in which the reference sums."""

    @property
    def has_wide_sums(self) -> bool:
        """Whether sums have 64 bits; of a 16-bit input these are scaled by 15 bits, in one step."""
        return self.bias.array.dtype.itemsize == 8


class LinearReason(enum.Enum):
    """Why lowering demands that a map is stored row by row."""

    WRITTEN_BY_COLUMNS = "written by columns"
    WRITTEN_BACKWARDS = "written backwards"
    BORDERS_BACKWARDS = "borders written backwards"
    WRITTEN_IN_STEPS = "written in steps"
    READ_IN_STEPS = "read in steps"
    VARIABLE = "variable"


class FeatureMap(Frozen):
    """Elements that operators hand to each other, or a constant that one of them reads."""

    id: FmId
    name: str
    shape: tuple[int, ...]
    dtype: DType
    data: ConstData | None = None
    source: TensorRef | None = None
    storage: FmId
    """The feature map whose bytes these are: itself, but for the states of recurrent operators."""
    is_variable: bool = False
    linear_reason: LinearReason | None = None
    """Why the map must be stored row by row, where an operator demands it."""

    @property
    def is_scalar(self) -> bool:
        """Whether commands hold its one element: it has no dimension, and fits their 16 bits."""
        if self.shape != ():
            return False
        if self.data is None or not self.dtype.is_integer:
            return True
        least, most = (DType.INT16 if self.dtype.is_signed else DType.UINT16).limits
        return bool(least <= self.data.array.item() <= most)


class NpuOp(Frozen, dict=True):
    """One operator as the hardware knows it."""

    id: NpuOpId
    kind: OpKind
    name: str
    ifm: View
    ofm: View
    ifm2: View | None = None
    operands_swapped: bool = False
    """The first input of the arithmetic is `ifm2`."""
    kernel: Kernel = ONE_ELEMENT
    padding: Padding = NO_PADDING
    pads_with_edge: bool = False
    """Padding repeats the edge instead of the zero point."""
    resampling: Resampling = Resampling.NONE
    weights: Weights | None = None
    activation: Activation | None = None
    scaling: ExplicitScaling | None = None
    rounding: Rounding | None = None
    alpha: float | None = None
    """Slope below zero of a leaky relu."""
    is_in_place: bool = False
    """A pooling that may write each element over the one that it was made of."""
    origin: str = ""
    """Kind of the source operator that gave this one its arithmetic."""
    sources: tuple[OpRef, ...] = ()

    @property
    def may_lie_on_input(self) -> bool:
        """Whether each element is read before the one in its place is written."""
        return self.kind.is_elementwise or self.is_in_place

    @property
    def made(self) -> Shape4:
        """What it makes at most, as searches take it.

        A copy into a part counts as the whole map, as it does in the ecosystem's compiler.
        """
        return self.ofm.touched if self.ofm.is_joined else self.ofm.shape

    @cached_property
    def views(self) -> tuple[View, ...]:
        """Inputs and output."""
        return (self.ifm, self.ofm) if self.ifm2 is None else (self.ifm, self.ifm2, self.ofm)


class CpuOp(Frozen):
    """A source operator that an interpreter on the CPU runs."""

    source: OpRef
    kind: str
    name: str
    inputs: tuple[FmId, ...]
    outputs: tuple[FmId, ...]


class Island(Frozen):
    """NPU operators that run one after the other without the CPU: one command stream."""

    id: IslandId
    subgraph: SubgraphId
    ops: tuple[NpuOpId, ...]
    inputs: tuple[FmId, ...]
    """What it reads, maps of which it only makes what an island before has left open, and states of
    which it leaves a value."""
    outputs: tuple[FmId, ...]
    """What is needed after it."""


ON_PURPOSE = "Nobody asked for it to run on the CPU"
"""The rule that an operator breaks which is put on the CPU."""
HAS_OPERATOR = "The NPU has the operator"
"""The rule that is broken by an operator of another kind."""


class Rejection(Frozen):
    """Why an operator stays on the CPU."""

    op: OpRef
    rule: str
    found: str
    accepted: str


class SourceFate(enum.Enum):
    """What became of a source operator."""

    NPU = "npu"
    CPU = "cpu"
    FUSED = "fused"
    """It is part of an NPU operator that another source operator gave rise to."""
    REMOVED = "removed"
    """Nothing is left to compute: another view of the same bytes, or a constant."""


class Lineage(Frozen):
    """From a source operator to the NPU operators that do its work."""

    op: OpRef
    fate: SourceFate
    npu_ops: tuple[NpuOpId, ...] = ()
    name: str = ""
    """Of what it makes first, by which users know it."""


class FoldReason(enum.Enum):
    """Why operators see their maps in another shape, or would have and do not."""

    CHEAPER = "cheaper"
    STRIPES_ARE_WORTH_MORE = "stripes are worth more"


class ShapeFolded(Frozen):
    """Operators that treat all elements alike, in the cheapest shape of as many elements."""

    ops: tuple[NpuOpId, ...]
    shape: Shape4
    """As the file has it."""
    seen_as: Shape4
    cycles: float
    """Of these operators and those beside them, as if memories were as fast as the port."""
    cycles_folded: float
    reason: FoldReason


LoweringChoice = ShapeFolded | RewriteTried
"""What lowering writes down of what it decides."""

Step = CpuOp | IslandId


class NpuGraph(Frozen, dict=True):
    """All subgraphs of a network after lowering; ids are positions in these tuples."""

    network: str
    """Digest of the network that was lowered."""
    feature_maps: tuple[FeatureMap, ...]
    ops: tuple[NpuOp, ...]
    islands: tuple[Island, ...]
    steps: tuple[tuple[Step, ...], ...]
    """For each subgraph, islands and CPU operators in order of execution."""
    inputs: tuple[tuple[FmId, ...], ...]
    outputs: tuple[tuple[FmId, ...], ...]
    rejections: tuple[Rejection, ...]
    lineage: tuple[Lineage, ...]
    folds: tuple[ShapeFolded, ...] = ()
    rewrites: tuple[RewriteTried, ...] = ()
    warnings: tuple[str, ...] = ()

    def fm(self, view: View) -> FeatureMap:
        """The feature map behind a view."""
        return self.feature_maps[view.fm]

    def lives_on(self, fms: Iterable[FmId]) -> bool:
        """Whether bytes of these maps are kept from one inference to the next."""
        maps = self.feature_maps
        return any(maps[maps[fm].storage].is_variable for fm in fms)

    @property
    def cpu_ops(self) -> tuple[CpuOp, ...]:
        """Every operator that stays on the CPU."""
        return tuple(step for steps in self.steps for step in steps if isinstance(step, CpuOp))

    @cached_property
    def makers(self) -> dict[FmId, NpuOpId]:
        """By map, the first operator that makes some of it."""
        return {op.ofm.fm: op.id for op in reversed(self.ops)}

    @cached_property
    def titles(self) -> Titles:
        """Short names of operators and maps, no two of them the same."""
        return titles_of(
            [Called(f"{op.id} {op.kind.value}", op.name) for op in self.ops],
            [
                Called(head, fm.name)
                for fm, head in zip(self.feature_maps, self._heads(), strict=True)
            ],
            [Called(f"CPU {at} {op.kind}", op.name) for at, op in enumerate(self.cpu_ops)],
        )

    def _heads(self) -> list[str]:
        """By map: who makes it, or else what it is to whom."""
        heads = [""] * len(self.feature_maps)

        def call(fms: Iterable[FmId], head: str) -> None:
            for fm in fms:
                heads[fm] = heads[fm] or head

        for fm, op_id in self.makers.items():
            call((fm,), f"{op_id} output")
        for at, cpu_op in enumerate(self.cpu_ops):
            call(cpu_op.outputs, f"CPU {at} output")
        for fms in self.inputs:
            call(fms, "input")
        for op in self.ops:
            constants = [view.fm for view in op.views if self.fm(view).data is not None]
            call(constants, f"{op.id} constant")
            call((view.fm for view in op.views), f"{op.id} input")
        for at, cpu_op in enumerate(self.cpu_ops):
            call(cpu_op.inputs, f"CPU {at} input")
        return [head or f"map {fm}" for fm, head in enumerate(heads)]
