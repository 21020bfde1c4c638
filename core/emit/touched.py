"""Which bytes a command reads and writes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.geometry import ceil_div, round_up
from core.ir.program import (
    AddressRange,
    Command,
    CommandStream,
    DmaTransfer,
    MapUse,
    NpuOperation,
    Program,
    ProgramPart,
    RegionRole,
    Strides,
)
from core.target.format import BRICK_DEPTH, Format


class Access(NamedTuple):
    """One operand of a command: the ranges that hold it, as tight as whole tiles allow."""

    ranges: tuple[AddressRange, ...]
    is_write: bool
    is_map: bool = False
    gaps: Strides | None = None
    """The steps of a map that leaves bytes out inside of its ranges."""


class Span(NamedTuple):
    """Bytes of a tile, from the first to the last, counted from its base."""

    tile: int
    start: int
    size_bytes: int


class Outline(NamedTuple):
    """A map wherever it lies."""

    spans: tuple[Span, ...]
    used_bytes: int
    has_gaps: bool
    """Its spans hold more than it uses."""

    def ranges(self, use: MapUse) -> tuple[AddressRange, ...]:
        """The bytes of a map that has this outline."""
        region, bases = use.region, use.bases
        return tuple(
            [AddressRange(region, bases[tile] + start, size) for tile, start, size in self.spans]
        )


class Outlines(NamedTuple):
    """The maps of an operation wherever they lie."""

    ifm: Outline
    ofm: Outline
    ifm2: Outline | None


class _Tile(NamedTuple):
    number: int
    rows: int
    columns: int


def accesses(command: Command) -> Iterator[Access]:
    """The operands of a command in memory, what it reads before what it writes."""
    match command:
        case NpuOperation():
            yield from operation_accesses(command, outlines(command))
        case DmaTransfer():
            yield from _of_transfer(command)
        case _:
            return


def operation_accesses(op: NpuOperation, known: Outlines) -> Iterator[Access]:
    """The operands of an operation of which the outlines are known."""
    yield _of_map(op.ifm, known.ifm, is_write=False)
    if known.ifm2 is not None and isinstance(op.ifm2, MapUse):
        yield _of_map(op.ifm2, known.ifm2, is_write=False)
    for streams in (op.weights, op.scales):
        if streams:
            yield Access(tuple(part for part in streams if part.size_bytes), is_write=False)
    yield _of_map(op.ofm, known.ofm, is_write=True)


def map_ranges(use: MapUse) -> tuple[AddressRange, ...]:
    """The bytes of a map, from the first to the last of each tile."""
    return outline(use).ranges(use)


def outlines(op: NpuOperation) -> Outlines:
    """The outlines of an operation's maps."""
    second = outline(op.ifm2) if isinstance(op.ifm2, MapUse) else None
    return Outlines(outline(op.ifm), outline(op.ofm), second)


def outline(use: MapUse) -> Outline:
    """What a map spans, whatever its addresses are."""
    spans = []
    column, deepest, last = _column_step(use), _deepest(use), _last_bytes(use)
    for tile in _tiles(use):
        steps = ((tile.rows - 1) * use.strides.y, (tile.columns - 1) * column, deepest)
        low = sum(step for step in steps if step < 0)
        high = sum(step for step in steps if step > 0)
        spans.append(Span(tile.number, low, high + last - low))
    is_bricks = use.format is Format.BRICKS
    stored = use.format.stored(use.shape) if is_bricks else use.shape
    used_bytes = stored.elements * use.dtype.size_bytes
    held_bytes = sum(span.size_bytes for span in spans)
    return Outline(tuple(spans), used_bytes, held_bytes > used_bytes)


def touches_fast_scratch(program: Program) -> bool:
    """Whether any command touches the region that only dedicated fast storage has."""
    return any(_touches_fast_scratch(part) for part in program.parts)


def regions_touched(stream: CommandStream) -> frozenset[int]:
    """The regions that any command reads or writes."""
    return frozenset(number for command in stream.commands for number in _regions(command))


def written_bytes(stream: CommandStream, region: int) -> int:
    """From the start of a region to the last byte of it that any command writes."""
    return max(
        (
            each.end
            for command in stream.commands
            if region in _regions(command)
            for access in accesses(command)
            if access.is_write
            for each in access.ranges
            if each.region == region
        ),
        default=0,
    )


def transferred_bytes(item: DmaTransfer) -> int:
    """Bytes that a transfer moves, all pieces together."""
    return item.size_bytes * math.prod(repeat.times for repeat in item.repeats)


def _touches_fast_scratch(part: ProgramPart) -> bool:
    fast = {
        number
        for number, region in enumerate(part.regions)
        if region.role is RegionRole.SCRATCH_FAST
    }
    return any(not fast.isdisjoint(_regions(command)) for command in part.stream.commands)


def _regions(command: Command) -> tuple[int, ...]:
    if isinstance(command, NpuOperation):
        streams = (*command.weights, *command.scales)
        return (*[use.region for use in command.maps], *[part.region for part in streams])
    if isinstance(command, DmaTransfer):
        ends = (command.source, command.destination)
        return tuple(end.region for end in ends if not end.is_internal)
    return ()


def _of_map(use: MapUse, known: Outline, *, is_write: bool) -> Access:
    ranges, has_gaps = known.ranges(use), known.has_gaps
    if is_write and use.format is Format.BRICKS:
        ranges = _with_whole_bricks(use, ranges)
        has_gaps = sum(part.size_bytes for part in ranges) > known.used_bytes
    return Access(ranges, is_write, is_map=True, gaps=use.strides if has_gaps else None)


def _with_whole_bricks(use: MapUse, ranges: tuple[AddressRange, ...]) -> tuple[AddressRange, ...]:
    """A brick belongs to whoever writes any of it, also where its last channels are not used."""
    brick = BRICK_DEPTH * use.dtype.size_bytes
    # Maps begin at multiples of 16 bytes, which need not be those of a brick.
    phase = use.bases[0] // BRICK_DEPTH * BRICK_DEPTH % brick
    return tuple(
        part._replace(size_bytes=round_up(part.end - phase, brick) + phase - part.address)
        for part in ranges
    )


def _tiles(use: MapUse) -> Iterator[_Tile]:
    """The tiles that have elements: left and right of the cut, each above and below one."""
    rows, columns, (height0, height1, width0) = use.shape.h, use.shape.w, use.tiles
    left = min(columns, width0)
    for first, width, height in ((0, left, height0), (1, columns - left, height1)):
        if not width:
            continue
        above = min(rows, height)
        yield _Tile(first, above, width)
        if rows > above:
            yield _Tile(first + 2, rows - above, width)


def _column_step(use: MapUse) -> int:
    is_bricks = use.format is Format.BRICKS
    return BRICK_DEPTH * use.dtype.size_bytes if is_bricks else use.strides.x


def _deepest(use: MapUse) -> int:
    """From the first to the last brick of channels."""
    if use.format is Format.LINEAR:
        return 0
    return (ceil_div(use.shape.c, BRICK_DEPTH) - 1) * use.strides.c


def _last_bytes(use: MapUse) -> int:
    """Bytes of the last element with the channels beside it."""
    depth = use.shape.c
    if use.format is Format.BRICKS:
        depth = (depth - 1) % BRICK_DEPTH + 1
    return depth * use.dtype.size_bytes


def _of_transfer(item: DmaTransfer) -> Iterator[Access]:
    size = transferred_bytes(item)
    skipped, pieces = 0, 1
    for repeat in reversed(item.repeats):
        pieces *= repeat.times
        skipped += max(repeat.skip_bytes, 0) * pieces
    if not item.source.is_internal:
        place = item.source
        yield Access((AddressRange(place.region, place.address, size + skipped),), is_write=False)
    if not item.destination.is_internal:
        place = item.destination
        yield Access((AddressRange(place.region, place.address, size),), is_write=True)
