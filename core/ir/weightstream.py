"""Weights and scales of one operator as the hardware reads them, and what is where in them."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.frozen import Frozen
from core.ir.constdata import ConstData


class WeightLayout(Frozen):
    """What a schedule decides about an operator's weights."""

    block_depth: int
    is_part_kernel: bool
    depth_slices: tuple[int, ...]
    """Output channels at which slices begin, and the end: 0, ..., depth."""


class WeightRange(Frozen):
    """What one core reads for one depth slice: its scales, then its weights."""

    core: int
    slice_index: int
    offset: int
    """Of the scales, in the buffer."""
    scale_bytes: int
    """Without the padding behind them."""
    weight_offset: int
    """Of the weights, in the buffer."""
    weight_bytes: int

    @property
    def end(self) -> int:
        """Offset behind the weights."""
        return self.weight_offset + self.weight_bytes

    @property
    def size_bytes(self) -> int:
        """Bytes of scales and weights, padding included."""
        return self.end - self.offset


class EncodedWeights(Frozen):
    """Weights and scales of one operator, depth slice by depth slice and core by core."""

    data: ConstData
    layout: WeightLayout
    ranges: tuple[WeightRange, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of all slices."""
        return self.data.size_bytes

    def of_slice(self, slice_index: int) -> tuple[WeightRange, ...]:
        """The ranges of one depth slice, by core; they follow each other in the buffer."""
        return tuple(part for part in self.ranges if part.slice_index == slice_index)

    @property
    def slice_bytes(self) -> tuple[int, ...]:
        """Bytes of each depth slice, all cores together."""
        return bytes_by_slice(self.layout, self.ranges)

    @property
    def buffer_bytes(self) -> tuple[int, int]:
        """Room that two buffers need which take slices in turn; the second may be none."""
        sizes = self.slice_bytes
        return max(sizes[0::2], default=0), max(sizes[1::2], default=0)


def bytes_by_slice(layout: WeightLayout, ranges: Iterable[WeightRange]) -> tuple[int, ...]:
    """Bytes of each depth slice, all cores together."""
    sizes = [0] * (len(layout.depth_slices) - 1)
    for part in ranges:
        sizes[part.slice_index] += part.size_bytes
    return tuple(sizes)
