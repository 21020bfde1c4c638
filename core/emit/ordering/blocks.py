"""The blocks in which an operation makes its output, and the steps in which it reads its inputs.

Blocks are made for all channels of a place, then for the next column, then for the next row. One
that sums over input channels reads them in several steps, the others in one.
"""

from __future__ import annotations

from typing import NamedTuple

from core.base.geometry import Block, Box, Shape4, ceil_div
from core.ir.program import Job, NpuOperation
from core.target.weight_format import WeightFormat

_SUMMING = frozenset({Job.CONVOLUTION, Job.REDUCE_SUM})


class Grid(NamedTuple):
    """The blocks in which an output is made, numbered in their order."""

    shape: Shape4
    block: Block
    columns: int
    layers: int
    """Blocks beside, and on top of, each other."""
    total: int

    @classmethod
    def of(cls, operation: NpuOperation) -> Grid:
        """The blocks of an operation."""
        shape, block = operation.ofm.shape, operation.block
        columns, layers = ceil_div(shape.w, block.w), ceil_div(shape.c, block.c)
        return cls(shape, block, columns, layers, ceil_div(shape.h, block.h) * columns * layers)

    def box(self, number: int) -> Box:
        """The elements of one of them."""
        (_, h, w, c), block, columns, layers, _ = self
        place, layer = divmod(number, layers)
        row, column = divmod(place, columns)
        y, x, z = row * block.h, column * block.w, layer * block.c
        return Box(
            range(y, min(y + block.h, h)),
            range(x, min(x + block.w, w)),
            range(z, min(z + block.c, c)),
        )


class Steps(NamedTuple):
    """The steps in which inputs are read, numbered in their order."""

    grid: Grid
    down: _Window | None
    right: _Window | None
    """None where an output element needs one element of each input."""
    segments: tuple[range, ...]
    """Input channels of the first steps of a block; an empty range where they are the block's."""
    total: int
    """Not less than there are, or than were asked for."""

    @classmethod
    def of(cls, operation: NpuOperation, most: int, order: WeightFormat) -> Steps:
        """So many steps of an operation, or all that it has."""
        grid, kernel = Grid.of(operation), operation.kernel
        segments = _segments(operation, most, order)
        total = grid.total * len(segments)
        if operation.job.is_elementwise:
            return cls(grid, None, None, segments, total)
        padding, factor = operation.padding, operation.upscale.factor
        down = _Window(kernel.stride_h, kernel.dilated_h, padding.top, factor)
        right = _Window(kernel.stride_w, kernel.dilated_w, padding.left, factor)
        return cls(grid, down, right, segments, total)

    def box(self, number: int, shape: Shape4) -> Box:
        """What one of them reads of an input of this shape."""
        block, segment = divmod(number, len(self.segments))
        (rows, columns, channels), (_, h, w, c) = self.grid.box(block), shape
        channels = self.segments[segment] or _of_element(channels, c)
        if self.down is None or self.right is None:
            return Box(_of_element(rows, h), _of_element(columns, w), channels)
        return Box(self.down.inputs(rows, h), self.right.inputs(columns, w), channels)


def _segments(operation: NpuOperation, most: int, order: WeightFormat) -> tuple[range, ...]:
    """Input channels in one step, as the order of weights in their stream shows."""
    if operation.job not in _SUMMING:
        return (range(0),)
    is_narrow = operation.ifm.dtype.bits <= 8 and not operation.is_part_kernel
    size = order.ifm_block_depth if is_narrow else order.short_ifm_block_depth
    channels = operation.ifm.shape.c
    starts = range(0, channels, size)[:most]
    return tuple(range(at, min(at + size, channels)) for at in starts)


def _of_element(outputs: range, size: int) -> range:
    """Along one axis of an element-wise operation; one element can stand for all."""
    return range(size) if size == 1 else range(outputs.start, min(outputs.stop, size))


class _Window(NamedTuple):
    """What outputs need along one axis."""

    stride: int
    size: int
    padding: int
    factor: int

    def inputs(self, outputs: range, size: int) -> range:
        """The elements under the windows of outputs; the padding's neighbour for the padding."""
        first = max(outputs.start * self.stride - self.padding, 0)
        last = max((outputs.stop - 1) * self.stride + self.size - 1 - self.padding, 0)
        return range(first // self.factor, min(last // self.factor + 1, size))
