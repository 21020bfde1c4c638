"""Which bytes a command touches while it is under way, in memory and in the shared buffer."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from core.base.frozen import NamedTuple
from core.base.geometry import Box
from core.ir.program import (
    Clip,
    Curve,
    DmaPlace,
    DmaTransfer,
    MapUse,
    NpuOperation,
)
from core.target.accelerator import Accelerator
from core.target.format import BRICK_DEPTH, Format

Axis = tuple[int, int]
"""Bytes from one run to the next, and how many there are."""
_SHARED_BUFFER = -1
"""Stands for the number of a region."""
_ENTRIES = 256
_WIDE_TABLE_BYTES = 2048
"""512 entries of four bytes each: a base and a slope."""
_Part = tuple[int, int, int]
"""The address of the first row and column of a part in one tile, and how many it has."""


class Lattice(NamedTuple):
    """Runs of neighbouring bytes; the distances along each axis add up."""

    low: int
    """The first byte."""
    high: int
    """The one after the last."""
    axes: tuple[Axis, ...]
    """With more than one run; distances are positive."""
    run: int
    """Neighbouring bytes."""


def lattice(address: int, axes: Iterable[Axis], run: int) -> Lattice:
    """Runs from an address on; negative distances lead to lower addresses."""
    kept, high = [], address + run
    for step, count in axes:
        if count > 1 and step:
            reach = step * (count - 1)
            if reach < 0:
                address += reach
                kept.append((-step, count))
            else:
                high += reach
                kept.append((step, count))
    return Lattice(address, high, tuple(kept), run)


def meet(one: Lattice, other: Lattice) -> bool:
    """Whether any byte is in both."""
    if one.high <= other.low or other.high <= one.low or not one.run or not other.run:
        return False
    if not one.axes and not other.axes:
        return True
    # Differences between bytes of the one and of the other are a lattice too; is 0 in it?
    counts: dict[int, int] = {}
    for step, count in (*one.axes, *other.axes):
        counts[step] = counts.get(step, 1) + count - 1
    return _has(one.high - 1 - other.low, sorted(counts.items()), one.run + other.run - 1)


def _has(offset: int, axes: list[Axis], run: int) -> bool:
    """Whether a lattice that starts at 0 has a byte; the longest distance is the last."""
    if not axes:
        return 0 <= offset < run
    (step, count), inner = axes[-1], axes[:-1]
    reach = run - 1 + sum(distance * (number - 1) for distance, number in inner)
    first = max(-((reach - offset) // step), 0)
    last = min(offset // step, count - 1)
    return any(_has(offset - step * number, inner, run) for number in range(first, last + 1))


class Touched(NamedTuple):
    """Bytes of one region."""

    region: int
    bytes: Lattice

    def meets(self, other: Touched) -> bool:
        """Whether any byte is in both."""
        return self.region == other.region and meet(self.bytes, other.bytes)


class Footprint(NamedTuple):
    """All that a command touches."""

    reads: list[Touched]
    writes: list[Touched]

    def disturbs(self, other: Footprint) -> bool:
        """Whether the order of the two commands matters: one writes what the other touches."""
        return any(
            mine.meets(theirs)
            for own, others in (
                (self.writes, other.reads),
                (self.reads, other.writes),
                (self.writes, other.writes),
            )
            for mine in own
            for theirs in others
        )


def footprint(command: NpuOperation | DmaTransfer, accelerator: Accelerator) -> Footprint:
    """What a command touches."""
    if isinstance(command, DmaTransfer):
        return _of_transfer(command)
    streams = (*command.weights, *command.scales)
    reads = [
        Touched(part.region, Lattice(part.address, part.end, (), part.size_bytes))
        for part in streams
    ]
    reads += whole(command.ifm)
    if isinstance(command.ifm2, MapUse):
        reads += whole(command.ifm2)
    writes = whole(command.ofm)
    if uses_table(command):
        reads.append(_table(command, accelerator))
    elif not accelerator.tables.is_apart:
        writes.append(_table_area(accelerator))
    return Footprint(reads, writes)


def uses_table(operation: NpuOperation) -> bool:
    """Whether it looks values up in the shared buffer."""
    return operation.activation.curve is Curve.TABLE


@functools.lru_cache(maxsize=4)
def _table_area(accelerator: Accelerator) -> Touched:
    """Where tables are; without banks of their own, operations that use none may write there."""
    tables = accelerator.tables
    return Touched(_SHARED_BUFFER, lattice(tables.start, (), tables.size_bytes))


def _table(operation: NpuOperation, accelerator: Accelerator) -> Touched:
    """The table that an operation reads.

    Tables are numbered in units of one size, or, as the ecosystem's compilers do with larger ones,
    in their own size.
    """
    ofm, activation = operation.ofm, operation.activation
    is_wide = activation.clip is Clip.INT16
    if is_wide or (activation.clip is Clip.OUTPUT and ofm.dtype.bits == 16):
        size = _WIDE_TABLE_BYTES
    else:
        size = _ENTRIES * ofm.dtype.size_bytes
    tables, number = accelerator.tables, activation.table or 0
    is_in_units = number * tables.unit_bytes % size == 0
    start = tables.start + number * (tables.unit_bytes if is_in_units else size)
    return Touched(_SHARED_BUFFER, lattice(start, (), size))


def whole(use: MapUse) -> list[Touched]:
    """All of a map."""
    shape = use.shape
    return places(use, Box(range(shape.h), range(shape.w), range(shape.c)))


def places(use: MapUse, box: Box) -> list[Touched]:
    """Where a part of a map lies; nowhere, where it is empty."""
    if not all(box):
        return []
    size, (y, x, c) = use.dtype.size_bytes, use.strides
    runs = [(0, 1, box.channels)]
    if use.format is Format.BRICKS:
        x, runs = BRICK_DEPTH * size, _in_bricks(box.channels)
    return [
        Touched(
            use.region,
            lattice(
                origin + first * c + channels.start * size,
                ((y, rows), (c, bricks), (x, columns)),
                len(channels) * size,
            ),
        )
        for origin, rows, columns in _in_tiles(use, box, y, x)
        for first, bricks, channels in runs
    ]


def _in_tiles(use: MapUse, box: Box, down: int, right: int) -> list[_Part]:
    """The part in each tile that has any."""
    (height0, height1, width0), bases = use.tiles, use.bases
    bottom, side = box.rows.stop, box.columns.stop
    if bottom <= height0 and side <= width0:
        origin = bases[0] + box.rows.start * down + box.columns.start * right
        return [(origin, len(box.rows), len(box.columns))]
    found = []
    for base, top, end, left, edge in (
        (bases[0], 0, height0, 0, width0),
        (bases[1], 0, height1, width0, side),
        (bases[2], height0, bottom, 0, width0),
        (bases[3], height1, bottom, width0, side),
    ):
        y, x = max(top, box.rows.start), max(left, box.columns.start)
        rows, columns = min(end, bottom) - y, min(edge, side) - x
        if rows > 0 and columns > 0:
            found.append((base + (y - top) * down + (x - left) * right, rows, columns))
    return found


def _in_bricks(channels: range) -> list[tuple[int, int, range]]:
    """Bricks of which the same channels are used: the first, how many, and those channels."""
    start, stop = channels.start, channels.stop
    first, skipped = divmod(start, BRICK_DEPTH)
    whole_bricks, rest = divmod(stop - start, BRICK_DEPTH)
    if not skipped and not rest:
        return [(first, whole_bricks, range(BRICK_DEPTH))]
    found = []
    while start < stop:
        brick, skipped = divmod(start, BRICK_DEPTH)
        bricks = 1 if skipped else max((stop - start) // BRICK_DEPTH, 1)
        end = min((brick + bricks) * BRICK_DEPTH, stop)
        found.append((brick, bricks, range(skipped, end - (brick + bricks - 1) * BRICK_DEPTH)))
        start = end
    return found


def _of_transfer(item: DmaTransfer) -> Footprint:
    """Pieces with gaps at the source become neighbours at the destination."""
    step, axes, total = item.size_bytes, [], item.size_bytes
    for repeat in item.repeats:
        step += repeat.skip_bytes
        axes.append((step, repeat.times))
        step *= repeat.times
        total *= repeat.times
    source = lattice(item.source.address, axes, item.size_bytes)
    destination = lattice(item.destination.address, (), total)
    return Footprint(
        [Touched(_region(item.source), source)],
        [Touched(_region(item.destination), destination)],
    )


def _region(place: DmaPlace) -> int:
    return _SHARED_BUFFER if place.is_internal else place.region
