"""How far an operation may run into the one before it, block by block.

Blocks are made for all channels of a place, then for the next column, then for the next row. One
that sums over input channels reads them in several steps, the others in one.

With a block dependency of n, the first step of an operation starts while up to n blocks of the one
before are unfinished, the second step while up to n - 1 are, and so on: steps and unfinished blocks
together are n at most. A block may always write what the operation before it reads or writes, as
the hardware works on blocks in their order.
"""

from __future__ import annotations

import functools

from core.base.frozen import NamedTuple
from core.base.geometry import Block, Box, Shape4, ceil_div
from core.emit.ordering.footprint import places, uses_table, whole
from core.ir.program import Job, MapUse, NpuOperation
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format
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


def block_dependency(
    before: NpuOperation | None, operation: NpuOperation, accelerator: Accelerator
) -> int:
    """The highest that is safe; `before` is None where nothing can be unfinished."""
    most = accelerator.family.concurrency.blocks
    if before is None:
        return most
    shares_banks = not accelerator.tables.is_apart
    if shares_banks and uses_table(before) and not uses_table(operation):
        # Its accumulators lie where the table is.
        return 0
    inputs = (operation.ifm, operation.ifm2)
    links = [_link(use, before.ofm) for use in inputs if isinstance(use, MapUse)]
    read = tuple(link for link in links if link is not None)
    if not read:
        return most
    steps = Steps.of(operation, most, accelerator.family.weights)
    return _depth(steps, Grid.of(before), read, most)


# Stripes of a cascade, and slices of an operation's depth, lie to each other as those before.
@functools.lru_cache(maxsize=4096)
def _depth(steps: Steps, last: Grid, read: tuple[_Link, ...], most: int) -> int:
    """Steps and blocks between the first pair of them that meet."""
    wanted: list[list[tuple[_Link, Box]]] = []
    made: list[Box] = []
    for apart in range(most):
        if apart < steps.total:
            wanted.append([(link, steps.box(apart, link.shape)) for link in read])
        if apart < last.total:
            made.append(last.box(last.total - 1 - apart))
        for number, boxes in enumerate(wanted):
            if apart - number < len(made):
                block = made[apart - number]
                if any(link.meets(box, block) for link, box in boxes):
                    return apart
    return most


class _Aligned(NamedTuple):
    """An input and an output with the same distances: places in the one are places in the other."""

    shape: Shape4
    """Of the input."""
    down: int
    """Rows from the start of the output to that of the input."""
    deeper: int
    """And channels."""

    def meets(self, wanted: Box, made: Box) -> bool:
        """Whether a part of the input has bytes of a part of the output."""
        rows, columns, channels = wanted
        return (
            rows.start + self.down < made.rows.stop
            and made.rows.start < rows.stop + self.down
            and columns.start < made.columns.stop
            and made.columns.start < columns.stop
            and channels.start + self.deeper < made.channels.stop
            and made.channels.start < channels.stop + self.deeper
        )


class _Scattered(NamedTuple):
    """An input and an output that have bytes in common somehow."""

    use: MapUse
    made: MapUse

    @property
    def shape(self) -> Shape4:
        """Of the input."""
        return self.use.shape

    def meets(self, wanted: Box, made: Box) -> bool:
        """Whether a part of the input has bytes of a part of the output."""
        theirs = places(self.made, made)
        return any(one.meets(other) for one in places(self.use, wanted) for other in theirs)


_Link = _Aligned | _Scattered


def _link(use: MapUse, made: MapUse) -> _Link | None:
    """How an input lies to an output; None where they have no byte in common."""
    if use.region != made.region:
        return None
    aligned = _aligned(use, made)
    if aligned is None:
        theirs = whole(made)
        shares = any(one.meets(other) for one in whole(use) for other in theirs)
        return _Scattered(use, made) if shares else None
    has_rows = -use.shape.h < aligned.down < made.shape.h
    return aligned if has_rows else None


def _aligned(use: MapUse, made: MapUse) -> _Aligned | None:
    """How two maps lie to each other where rows, columns and channels of both have one distance."""
    if (use.strides, use.format, use.dtype) != (made.strides, made.format, made.dtype):
        return None
    if not (_is_in_one_tile(use) and _is_in_one_tile(made)):
        return None
    rows = _Rows.of(use, max(use.shape.w, made.shape.w))
    if rows is None:
        return None
    distance = use.bases[0] - made.bases[0]
    upper, lower, sign = (use, made, 1) if distance >= 0 else (made, use, -1)
    down, rest = divmod(abs(distance), use.strides.y)
    deeper, between = divmod(rest, rows.step)
    deeper *= rows.channels
    if between or max(deeper + upper.shape.c, lower.shape.c) > rows.room:
        return None
    return _Aligned(use.shape, sign * down, sign * deeper)


def _is_in_one_tile(use: MapUse) -> bool:
    return use.shape.h <= use.tiles.height0 and use.shape.w <= use.tiles.width0


class _Rows(NamedTuple):
    """What fits between two rows of a map."""

    step: int
    """Bytes from some channels to the next."""
    channels: int
    """How many those are."""
    room: int
    """Channels that find place without touching the next column or row."""

    @classmethod
    def of(cls, use: MapUse, columns: int) -> _Rows | None:
        """For maps with so many columns; None where they do not fit between two rows."""
        size, (y, x, c) = use.dtype.size_bytes, use.strides
        if use.format is Format.LINEAR:
            return cls(size, 1, x // size) if 0 < columns * x <= y else None
        if columns * BRICK_DEPTH * size <= c <= y:
            return cls(c, BRICK_DEPTH, y // c * BRICK_DEPTH)
        return None
