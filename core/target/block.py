"""A block of work, and what has to be known of an operator to choose one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, replace
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


class ManyBlocks(Frozen, kw_only=False, eq=False):
    """Blocks that an operator can work in, as columns of a table."""

    sides: npt.NDArray[np.int64]
    """Height, width and depth of what a block makes, then of what it reads, and 1 where traversal
    is by part-kernel."""

    @classmethod
    def of(cls, block: BlockConfig) -> ManyBlocks:
        """One."""
        return cls(np.array([(*block.ofm_block, *block.ifm_block, block.is_part_kernel)]).T)

    @classmethod
    def joined(cls, parts: Iterable[ManyBlocks]) -> ManyBlocks:
        """Many after many others."""
        return cls(np.concatenate([each.sides for each in parts], axis=1))

    @property
    def count(self) -> int:
        return len(self.sides[0])

    def at(self, places: Sequence[int]) -> list[tuple[Block, bool]]:
        """What some make, and whether traversal is by part-kernel."""
        some = self.sides[:, places].T.tolist()
        return [(Block(*sides[:3]), bool(sides[-1])) for sides in some]

    def instead_of(self, block: BlockConfig) -> BlockConfig:
        """All in the place of one, as formulas take them that answer for many at once."""
        made, read, is_part = self.sides[:3], self.sides[3:6], self.sides[6] > 0
        return replace(
            block,
            ofm_block=Block(*cast("tuple[int, int, int]", tuple(made))),
            ifm_block=Block(*cast("tuple[int, int, int]", tuple(read))),
            is_part_kernel=cast("bool", is_part),
            layout=None,
        )
