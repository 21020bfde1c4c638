"""A compiled model: what the accelerator is told to do, in the order in which it is told.

Everything here is what registers say when an operation starts, and nothing is left to a history of
writes: an operation can be executed, drawn or compared on its own. Addresses count from the start
of their region; an accelerator of two cores has two ranges of weights.
"""

from __future__ import annotations

import enum
from typing import ClassVar

from core.base.dtype import DType
from core.base.fixedpoint import Multiplier
from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import (
    NO_PADDING,
    ONE_ELEMENT,
    Block,
    Kernel,
    Padding,
    Resampling,
    Shape4,
)
from core.base.ids import OpRef, TensorId
from core.ir.constdata import ConstData
from core.ir.network import Tensor
from core.ir.npugraph import Rounding
from core.ir.pools import Pools
from core.target.format import Format
from core.target.shram import Accumulator


class Job(enum.Enum):
    """What the accelerator computes."""

    CONVOLUTION = "convolution"
    DEPTHWISE = "depthwise"
    MAX_POOL = "max pool"
    AVERAGE_POOL = "average pool"
    REDUCE_SUM = "reduce sum"
    MUL = "mul"
    ADD = "add"
    SUB = "sub"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    LEAKY_RELU = "leaky relu"
    ABS = "abs"
    COUNT_LEADING_ZEROS = "count leading zeros"
    SHIFT_RIGHT = "shift right"
    SHIFT_LEFT = "shift left"

    @property
    def has_weights(self) -> bool:
        """Whether it reads a stream of weights."""
        return self in _WEIGHTED

    @property
    def is_pooling(self) -> bool:
        """Whether it has a window and no weights."""
        return self in _POOLING

    @property
    def is_elementwise(self) -> bool:
        """Whether each output element needs one element of each input."""
        return not self.has_weights and not self.is_pooling

    @property
    def is_binary(self) -> bool:
        """Whether it has two inputs."""
        return self.is_elementwise and self not in _UNARY

    @property
    def scales_inputs(self) -> bool:
        """Whether it has a scale for each of its inputs."""
        return self in {Job.ADD, Job.SUB}


_WEIGHTED = frozenset({Job.CONVOLUTION, Job.DEPTHWISE})
_POOLING = frozenset({Job.MAX_POOL, Job.AVERAGE_POOL, Job.REDUCE_SUM})
_UNARY = frozenset({Job.LEAKY_RELU, Job.ABS, Job.COUNT_LEADING_ZEROS})


class AddressRange(NamedTuple):
    """Bytes of a region."""

    region: int
    address: int
    size_bytes: int

    @property
    def end(self) -> int:
        """The first byte after it."""
        return self.address + self.size_bytes


class Tiles(NamedTuple):
    """Where a map is cut: columns from `width0` on are in tiles 1 and 3, lower rows in 2 and 3."""

    height0: int
    height1: int
    width0: int


class Strides(NamedTuple):
    """Bytes from a row, a column, and a brick of channels to the next; negative ones mirror."""

    y: int
    x: int
    c: int


class Broadcast(NamedTuple):
    """Axes along which one element of the second input stands for all."""

    h: bool = False
    w: bool = False
    c: bool = False


NO_BROADCAST = Broadcast()


class MapUse(Frozen):
    """A feature map as one operation reads or writes it."""

    region: int
    bases: tuple[int, int, int, int]
    """Address of the first element of each tile; a map in one piece needs the first only."""
    tiles: Tiles
    strides: Strides
    shape: Shape4
    """What the operation touches; that of inputs follows from output, kernel and padding."""
    dtype: DType
    zero_point: int
    format: Format


class ScalarUse(Frozen):
    """A second input that is one number in the command stream itself."""

    value: int
    dtype: DType
    zero_point: int


class Curve(enum.Enum):
    """What happens to a value between scaling and clamping."""

    NONE = "none"
    TANH = "tanh"
    SIGMOID = "sigmoid"
    TABLE = "table"


class Clip(enum.Enum):
    """The range that a value has to be in before anything else is done to it."""

    OUTPUT = "as the output"
    UINT8 = "uint8"
    INT8 = "int8"
    INT16 = "int16"


class ActivationUse(Frozen):
    """What an operation does to a value before it is written; bounds are quantised."""

    minimum: int
    maximum: int
    curve: Curve = Curve.NONE
    table: int | None = None
    """Which of the tables in the shared buffer it looks values up in."""
    clip: Clip = Clip.OUTPUT


class OperandScaling(enum.Enum):
    """Which inputs of an addition are scaled, and how widely."""

    BOTH = "both, 16 bit"
    FIRST = "first, 32 bit"
    SECOND = "second, 32 bit"


class BufferUse(NamedTuple):
    """Banks at which the parts of the shared buffer end or start, in accelerators that have one."""

    ifm_end: int
    accumulators_start: int
    ifm2_start: int | None = None
    """None without a second input that is a map."""


class NpuOperation(Frozen):
    """One operation with all the registers that have an effect on it."""

    job: Job
    ifm: MapUse
    ofm: MapUse
    ifm2: MapUse | ScalarUse | None = None
    broadcast: Broadcast = NO_BROADCAST
    operands_swapped: bool = False
    """The first input of the arithmetic is `ifm2`."""
    operand_scaling: OperandScaling = OperandScaling.BOTH
    operand_rounding: Rounding = Rounding.DOUBLE
    """Of the input of an addition that is scaled in 32 bits."""
    kernel: Kernel = ONE_ELEMENT
    padding: Padding = NO_PADDING
    upscale: Resampling = Resampling.NONE
    is_part_kernel: bool = False
    """Traversal: some taps of the kernel over a few channels at a time, instead of depth first."""
    weights: tuple[AddressRange, ...] = ()
    """One for each core."""
    scales: tuple[AddressRange, ...] = ()
    """Records of bias, multiplier and shift, one for each core; none where one scale is for all."""
    ofm_scale: Multiplier | None = None
    """The scale that holds for all channels, where there is one."""
    has_global_scale: bool = False
    """The hardware is told to use `ofm_scale`."""
    ifm_scales: tuple[Multiplier, Multiplier] | None = None
    """Scales of the inputs of an addition or subtraction."""
    rounding: Rounding = Rounding.DOUBLE
    activation: ActivationUse
    block: Block
    """Of the output."""
    accumulator: Accumulator
    buffer: BufferUse | None = None
    """None where input and accumulators have memories of their own."""
    block_dependency: int = 0
    """Blocks that may be under way of this operation and the one before it."""
    cores: int = 1
    """Cores that work on it side by side."""

    @property
    def maps(self) -> tuple[MapUse, ...]:
        """Inputs and output that are in memory."""
        return tuple(use for use in (self.ifm, self.ifm2, self.ofm) if isinstance(use, MapUse))


class DmaPlace(NamedTuple):
    """One end of a transfer."""

    region: int
    """Inside of the accelerator, a bit for each core."""
    address: int
    is_internal: bool = False
    """It is in the shared buffer."""


class DmaRepeat(NamedTuple):
    """One more dimension of a transfer."""

    times: int
    skip_bytes: int
    """Between two pieces at the source."""


class DmaTransfer(Frozen):
    """Bytes that are copied beside the operations."""

    source: DmaPlace
    destination: DmaPlace
    size_bytes: int
    """Of each piece, where it repeats."""
    repeats: tuple[DmaRepeat, ...] = ()
    """None, one or two; the inner first."""


class Engine(enum.Enum):
    """What can be waited for."""

    KERNEL = "kernel"
    DMA = "dma"


class Wait(Frozen):
    """Go on when no more than so many operations or transfers are unfinished."""

    engine: Engine
    outstanding: int


class Interrupt(Frozen):
    """Tell the processor, and go on."""

    mask: int = 0


class CountEvents(Frozen):
    """Switch the counters of the performance monitor."""

    enabled: int


class Stop(Frozen):
    """The end of the stream; the processor is told."""

    mask: int = 0xFFFF


Command = NpuOperation | DmaTransfer | Wait | Interrupt | CountEvents | Stop


class StreamProblem(NamedTuple):
    """Why a stream could not be read further."""

    word: int
    """Where in the stream, counted in words of four bytes."""
    reason: str


class CommandStream(Frozen, eq=False):
    """The commands of one `ethos-u` operator; equal wherever they are laid out."""

    UNCOMPARED: ClassVar = frozenset({"positions", "size_words"})

    commands: tuple[Command, ...]
    problem: StreamProblem | None = None
    positions: tuple[int, ...] = ()
    """By command: the word that starts it; empty where the stream has not been laid out."""
    size_words: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CommandStream) and (
            (self.commands, self.problem) == (other.commands, other.problem)
        )

    def __hash__(self) -> int:
        return hash((self.commands, self.problem))

    @property
    def operations(self) -> tuple[NpuOperation, ...]:
        """The operations alone."""
        return tuple(item for item in self.commands if isinstance(item, NpuOperation))

    @property
    def transfers(self) -> tuple[DmaTransfer, ...]:
        """The transfers alone."""
        return tuple(item for item in self.commands if isinstance(item, DmaTransfer))


class AcceleratorWord(NamedTuple):
    """The configuration that a stream was made for, as the driver compares it with the hardware."""

    macs: int
    """Of all cores in one cycle."""
    shram_kib: int
    """Of all cores."""
    product: int
    """0 for Ethos-U55, 1 for U65."""
    stream_version: int = 0


class Architecture(NamedTuple):
    """The version of the hardware's architecture that a stream asks for."""

    major: int
    minor: int
    patch: int
    hardware: int = 0
    """Product and version of the hardware itself, which most compilers leave open."""


class RegionRole(enum.Enum):
    """What a driver binds a region to: tensors of the custom operator in their order."""

    CONSTANTS = "constants"
    SCRATCH = "scratch"
    SCRATCH_FAST = "scratch fast"
    INPUT = "input"
    OUTPUT = "output"


class RegionUse(Frozen):
    """A region of memory that addresses of a stream can count from; its number is its position."""

    role: RegionRole
    tensor: TensorId
    name: str
    size_bytes: int


class BoundTensor(Frozen):
    """A tensor that the interpreter hands over."""

    tensor: TensorId
    name: str
    shape: tuple[int, ...]
    dtype: DType
    size_bytes: int
    arena_address: int | None = None
    """Where the file places it in the tensor arena; None where it leaves that to the runtime."""
    scale: float | None = None
    """Of all its elements; None where the file has none, or more than one."""
    zero_point: int = 0

    @classmethod
    def of(
        cls, number: TensorId, tensor: Tensor, size_bytes: int, arena_address: int | None
    ) -> BoundTensor:
        """A tensor of a file."""
        scale, zero_point = tensor.one_scale
        return cls(
            tensor=number,
            name=tensor.name,
            shape=tensor.shape,
            dtype=tensor.dtype,
            size_bytes=size_bytes,
            arena_address=arena_address,
            scale=scale,
            zero_point=zero_point,
        )


class ProgramPart(Frozen):
    """One `ethos-u` operator: its commands, and the memory that they work on."""

    op: OpRef
    accelerator: AcceleratorWord
    architecture: Architecture
    stream: CommandStream
    regions: tuple[RegionUse, ...]
    constants: ConstData | None
    """Bytes of region 0."""
    inputs: tuple[BoundTensor, ...]
    outputs: tuple[BoundTensor, ...]
    title: str = ""
    """What its program calls it; empty where that has no name for it."""

    def constant_bytes(self, address: int, size_bytes: int) -> ConstData | None:
        """Some bytes of the constants; None where the file does not have all of them."""
        if self.constants is None:
            return None
        data = self.constants.array.reshape(-1)
        if address < 0 or address + size_bytes > data.nbytes or data.itemsize != 1:
            return None
        return ConstData.of(data[address : address + size_bytes])


class Program(Frozen):
    """A compiled model, as far as the accelerator is concerned."""

    parts: tuple[ProgramPart, ...]
    compiler: str
    """What the file says of its origin."""
    cpu_ops: tuple[str, ...] = ()
    """Kinds of the operators that an interpreter runs beside the accelerator."""
    arena_addresses: tuple[tuple[int, ...], ...] = ()
    """By subgraph and tensor, as the file's offline allocation has them; -1 where it has none."""
    system_config: str = ""
    """What the file says it was compiled for; empty where it does not."""
    memory_mode: str = ""
    """The same of its memory mode."""
    misfits: tuple[str, ...] = ()
    """What streams and those who hand them their tensors do not agree on."""
    pools: tuple[Pools, ...] = ()
    """The RAM that each plan takes; nothing where the file has no plans."""
