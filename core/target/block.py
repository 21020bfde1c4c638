"""A block of work, and what has to be known of an operator to choose one."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.geometry import Block, Kernel, Resampling, Shape4
from core.target.shram import Accumulator, Sharing, ShramLayout
from core.target.unit import Unit

_EQUAL_DEPTH = frozenset({Unit.ELEMENTWISE, Unit.POOLING, Unit.DEPTHWISE})


class BlockQuery(Frozen):
    """What decides the blocks of an operator; shapes are those of one stripe."""

    unit: Unit
    ifm: Shape4
    ofm: Shape4
    ifm_bits: int
    kernel: Kernel
    ifm2: Shape4 | None = None
    uses_table: bool = False
    has_scaling: bool = True
    """All feature maps are quantised."""
    uses_scalar: bool = False
    """One of the inputs of an element-wise operator is a single element."""
    resampling: Resampling = Resampling.NONE

    @property
    def volume(self) -> Shape4:
        """The larger of the inputs; the first where they are equal."""
        if self.ifm2 is not None and self.ifm2.elements > self.ifm.elements:
            return self.ifm2
        return self.ifm

    @property
    def accumulator(self) -> Accumulator:
        """The accumulators that the operator needs."""
        is_wide = self.ifm_bits == 16 and self.has_scaling and self.unit is not Unit.POOLING
        return Accumulator.ACC40 if is_wide else Accumulator.ACC32

    @property
    def sharing(self) -> Sharing:
        """What the shared buffer holds besides the first input."""
        if self.unit is not Unit.ELEMENTWISE:
            return Sharing.ACCUMULATORS
        return Sharing.NOTHING if self.uses_scalar else Sharing.SECOND_INPUT

    @property
    def has_equal_depth(self) -> bool:
        """Whether a channel of the output needs the same channel of the input only."""
        return self.unit in _EQUAL_DEPTH

    @property
    def has_kernel_weights(self) -> bool:
        """Whether weights are read tap by tap, and their order can be chosen."""
        return self.unit is Unit.CONVOLUTION or self.unit is Unit.DEPTHWISE


class BlockConfig(Frozen, cache_hash=True):
    """A block, and how an operator works in it."""

    ofm_block: Block
    ifm_block: Block
    ofm_ublock: Block
    """What the MAC array makes of it at once."""
    accumulator: Accumulator
    is_part_kernel: bool
    """Traversal: some taps of the kernel over a few channels at a time, instead of depth first."""
    layout: ShramLayout | None = None
    """How the shared buffer is divided, where the family has one."""
