"""What has to be known of an operator, in its place in a schedule, to say what it costs."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.geometry import Shape4
from core.target.block import BlockConfig
from core.target.format import Format
from core.target.target import Area
from core.target.throughput import Arithmetic, Finish
from core.target.unit import Unit


class FmUse(Frozen, kw_only=False):
    """A feature map as one operator reads or writes it: the part that it touches, and where."""

    shape: Shape4
    bits: int
    format: Format
    area: Area
    pitch: int = 0
    """Channels of the whole map, where this is some of them: so far is it from column to column."""

    @property
    def is_whole_depth(self) -> bool:
        """Whether its columns lie one after the other in a map of rows."""
        return (self.pitch == 0) | (self.pitch == self.shape.c)

    @property
    def element_bytes(self) -> int:
        return self.bits // 8


class Work(Frozen, kw_only=False):
    """One operator over its whole output, in the blocks that were chosen for it."""

    unit: Unit
    arithmetic: Arithmetic
    """`MULTIPLY`, `ADD`, `MAXIMUM` or `OTHER`; widths of elements refine it."""
    finish: Finish
    kernel_h: int
    kernel_w: int
    ifm: FmUse
    ofm: FmUse
    ifm2: FmUse | None
    block: BlockConfig
    constants: Area | None
    """Where weights, scales and biases are read from, if there are any."""

    @property
    def maps(self) -> tuple[FmUse | None, ...]:
        """All that it reads and writes but constants."""
        return self.ifm, self.ifm2, self.ofm


class WeightBuffer(Frozen, kw_only=False):
    """Fast storage that weights are brought to before they are used."""

    area: Area
    is_double: bool
    first_bytes: int
    """The first transfer, of all cores, in whole multiples of 16 for each."""
    whole_cycles: int
    """Cycles in which all weights can be transferred."""
    last_slice_cycles: int
    """Cycles of the last depth slice, under which nothing of this operator is transferred."""


class WeightUse(Frozen, kw_only=False):
    """The weight stream of an operator: encoded weights and scales."""

    area: Area
    stream_bytes: int
    elements: int
    """Weights before encoding."""
    scale_bytes: int
    """What one scale and bias is taken to be."""
    buffer: WeightBuffer | None


class Table(Frozen, kw_only=False):
    """A look-up table, which DMA brings to the shared buffer before the operator."""

    area: Area
    size_bytes: int


class Step(Frozen, kw_only=False):
    """An operator in its place in the schedule."""

    work: Work
    weights: WeightUse | None = None
    table: Table | None = None
    copied_bytes: int = 0
    """What a copy copies, as it is allocated."""
    slack_cycles: int = 0
    """Cycles of the operator before, under which DMA for this one can run."""

    @property
    def is_moving(self) -> bool:
        """Whether a copy takes elements to another memory; inside one it is free."""
        return self.copied_bytes > 0 and self.work.ifm.area is not self.work.ofm.area
