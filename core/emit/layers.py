"""Operators as a command stream shows them: operations that are stripes or slices of one another.

Stripes are operations alike in all but rows, where each writes the rows after those of the one
before, also around the end of a rolling buffer. Where rings hold one stripe they may be alike in
all, and read further stripes of one maker. Slices are neighbours that read the same input and write
channels one after the other. Operators whose stripes take turns are a cascade.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from core.base.frozen import Frozen, NamedTuple, replace
from core.emit.touched import map_ranges, outlines
from core.emit.unplaced import NO_FORM, Forms, forms_of
from core.ir.program import (
    AddressRange,
    CommandStream,
    Job,
    MapUse,
    NpuOperation,
    Tiles,
)
from core.target.format import BRICK_DEPTH, Format


class Layer(Frozen):
    """Operations that together make one output."""

    commands: tuple[int, ...]
    """Positions in the stream."""
    stripes: int
    slices: int


class StreamCascade(Frozen):
    """Layers whose stripes take turns."""

    layers: tuple[int, ...]
    """Positions among the layers."""
    first: int
    last: int


class Structure(Frozen):
    """What a stream shows of the schedule that it was made from."""

    layers: tuple[Layer, ...]
    """In order of their first operation."""
    cascades: tuple[StreamCascade, ...]


def structure(stream: CommandStream, forms: Forms | None = None) -> Structure:
    """The layers and cascades of a stream; its forms, where they are known already."""
    forms = forms or forms_of(stream)
    chains = _chains(_operations(stream, forms))
    positions = [at for at, form in enumerate(forms.of) if form != NO_FORM]
    groups = [_connected(group) for group in _taking_turns(chains)]
    in_turn = {chain for group in groups for chain in group}
    found: list[Layer] = []
    numbers: dict[_Chain, int] = {}
    for chain in chains:
        numbers[chain] = len(found)
        if chain in in_turn or chain.is_in_one_piece(positions):
            found.append(chain.layer)
        else:
            # The same work again and again, as in an unrolled loop, is not one output.
            found += [Layer(commands=(at,), stripes=1, slices=1) for at in chain.positions]
    return _in_order(found, [[numbers[chain] for chain in group] for group in groups if group])


def _in_order(found: list[Layer], groups: list[list[int]]) -> Structure:
    order = sorted(range(len(found)), key=lambda number: found[number].commands[0])
    places = {number: place for place, number in enumerate(order)}
    return Structure(
        layers=tuple(found[number] for number in order),
        cascades=tuple(
            StreamCascade(
                layers=tuple(places[number] for number in group),
                first=found[group[0]].commands[0],
                last=max(found[number].commands[-1] for number in group),
            )
            for group in groups
        ),
    )


_Place = tuple[int, int]


class _Operation(NamedTuple):
    """An operation with what is asked of it again and again."""

    position: int
    op: NpuOperation
    reads: tuple[AddressRange, ...]
    """Of the first input."""
    writes: tuple[AddressRange, ...]
    rowless: int
    """Equal in all stripes of a layer."""
    channelless: Hashable
    """Equal in all slices of a layer."""


def _operations(stream: CommandStream, forms: Forms) -> Iterator[_Operation]:
    shapes = [outlines(op) for op in forms.examples]
    rowless = _numbered([_without_rows(op) for op in forms.examples])
    channelless = _numbered([_without_channels(op) for op in forms.examples])
    numbers: dict[Hashable, int] = {}
    for position, (op, form) in enumerate(zip(stream.commands, forms.of, strict=True)):
        if not isinstance(op, NpuOperation):
            continue
        reads, writes = shapes[form].ifm.ranges(op.ifm), shapes[form].ofm.ranges(op.ofm)
        rows = numbers.setdefault((rowless[form], op.weights, op.scales), len(numbers))
        channels = (channelless[form], op.ifm.bases if op.job is Job.CONVOLUTION else None)
        yield _Operation(position, op, reads, writes, rows, channels)


def _numbered(values: list[NpuOperation]) -> list[int]:
    """Equal values get equal numbers, which are quicker to compare."""
    numbers: dict[NpuOperation, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def _chains(operations: Iterable[_Operation]) -> list[_Chain]:
    found: list[_Chain] = []
    waiting: dict[tuple[int, int], _Chain] = {}
    """By what its stripes have in common, and an address at which it can go on."""
    writers: dict[_Place, _Chain] = {}
    """Who wrote last at an address."""
    for item in operations:
        start = item.op.ofm.bases[0]
        chain = waiting.get((item.rowless, start))
        if chain is not None and chain.is_continued_by(item, writers):
            chain.add(item, is_slice=False)
        elif found and found[-1].is_sliced_by(item):
            found[-1].add(item, is_slice=True)
            continue
        else:
            chain = waiting[item.rowless, start] = _Chain(item)
            found.append(chain)
        writers[_place(item.op.ofm)] = chain
        waiting[item.rowless, _next_row(item.op.ofm)] = chain
    return found


def _taking_turns(chains: list[_Chain]) -> list[list[_Chain]]:
    """Chains of several stripes, where one starts before another ends.

    One layer alone is no cascade, so the next may also start right after it: its window is high.
    """
    groups: list[list[_Chain]] = []
    end = place = -1
    for number, chain in enumerate(chains):
        if chain.stripes < 2:
            continue
        is_near = bool(groups) and len(groups[-1]) == 1 and number == place + 1
        if chain.positions[0] <= end or is_near:
            groups[-1].append(chain)
        else:
            groups.append([chain])
        end, place = max(end, chain.positions[-1]), number
    return groups


def _connected(group: list[_Chain]) -> list[_Chain]:
    """Those of a group that hand rows to each other."""
    kept = set[_Chain]()
    for at, chain in enumerate(group):
        for maker in group[:at]:
            if chain.starts_with_rows_of(maker):
                kept |= {chain, maker}
    return [chain for chain in group if chain in kept]


class _Chain:
    """A layer that still grows."""

    def __init__(self, first: _Operation) -> None:
        self.positions = [first.position]
        self.writes = [first.writes]
        self.first = self.last = first
        self.stripes = self.slices = 1

    @property
    def layer(self) -> Layer:
        """All of it as one value."""
        return Layer(commands=tuple(self.positions), stripes=self.stripes, slices=self.slices)

    def add(self, item: _Operation, *, is_slice: bool) -> None:
        """Take one more operation."""
        self.positions.append(item.position)
        self.writes.append(item.writes)
        self.last = item
        if is_slice:
            self.slices += 1
        else:
            self.stripes += 1

    def is_in_one_piece(self, operations: Sequence[int]) -> bool:
        """Whether no operation of another layer is between its first and its last."""
        first, last = (
            bisect_left(operations, at) for at in (self.positions[0], self.positions[-1])
        )
        return last - first + 1 == len(self.positions)

    def starts_with_rows_of(self, maker: _Chain) -> bool:
        """Whether it reads the first rows of another while they are there.

        In an unrolled loop it reads where they once were, and other rows are now.
        """
        rows, inputs = maker.first.writes, self.first.op.maps[:-1]
        if not any(_overlap(rows, map_ranges(use)) for use in inputs):
            return False
        made = bisect_left(maker.positions, self.positions[0])
        return not any(_overlap(rows, later) for later in maker.writes[1:made])

    def is_continued_by(self, item: _Operation, writers: Mapping[_Place, _Chain]) -> bool:
        """Whether an operation writes the rows after the last ones."""
        last, op = self.last, item.op
        start, ring = op.ofm.bases[0], self.first.op.ofm.bases[0]
        if self.slices > 1 or start not in (_next_row(last.op.ofm), ring):
            return False
        is_same_place = start == ring == last.op.ofm.bases[0]
        is_read_again = (op.ifm.bases, op.ifm.tiles) == (last.op.ifm.bases, last.op.ifm.tiles)
        if is_same_place and is_read_again and not self._is_fed_anew(item, writers):
            return False
        return not (_overlap(item.writes, item.reads) or _overlap(last.writes, item.reads))

    def _is_fed_anew(self, item: _Operation, writers: Mapping[_Place, _Chain]) -> bool:
        """Whether it reads further stripes of who made what it read before, and nothing of others.

        What goes round in an unrolled loop has no first stripe of which another is the next.
        """
        is_anew = False
        for use in item.op.maps[:-1]:
            maker = writers.get(_place(use))
            if maker is None or maker.positions[-1] < self.last.position:
                continue
            if maker.positions[0] > self.last.position:
                return False
            is_anew = True
        return is_anew

    def is_sliced_by(self, item: _Operation) -> bool:
        """Whether an operation writes the channels after the last ones."""
        last, op = self.last.op, item.op
        if self.stripes > 1 or not op.job.has_weights:
            return False
        if item.channelless != self.last.channelless:
            return False
        reads = last.ifm.bases[0] if op.job is Job.CONVOLUTION else _next_channel(last.ifm)
        return op.ofm.bases[0] == _next_channel(last.ofm) and op.ifm.bases[0] == reads


def _overlap(one: tuple[AddressRange, ...], other: tuple[AddressRange, ...]) -> bool:
    """Whether two maps have bytes in common, taking all between the ends of a tile as theirs."""
    for region, address, size in one:
        for piece in other:
            if piece.region == region and piece.address < address + size and address < piece.end:
                return True
    return False


def _place(use: MapUse) -> _Place:
    return use.region, use.bases[0]


def _next_row(use: MapUse) -> int:
    """Address of the row after the last."""
    above, rows = use.tiles.height0, use.shape.h
    if rows > above:
        return use.bases[2] + (rows - above) * use.strides.y
    return use.bases[0] + rows * use.strides.y


def _next_channel(use: MapUse) -> int:
    """Address of the channel after the last."""
    bricks, rest = divmod(use.shape.c, BRICK_DEPTH)
    if use.format is Format.BRICKS:
        return use.bases[0] + bricks * use.strides.c + rest * use.dtype.size_bytes
    return use.bases[0] + use.shape.c * use.dtype.size_bytes


def _without_rows(op: NpuOperation) -> NpuOperation:
    """What is equal in the forms of all stripes of a layer."""
    return replace(
        op,
        ifm=_rowless(op.ifm),
        ifm2=_rowless(op.ifm2) if isinstance(op.ifm2, MapUse) else op.ifm2,
        ofm=_rowless(op.ofm),
        padding=replace(op.padding, top=0, bottom=0),
        weights=(),
        scales=(),
        block_dependency=0,
    )


def _rowless(use: MapUse) -> MapUse:
    return replace(
        use,
        bases=(0, 0, 0, 0),
        tiles=Tiles(0, 0, use.tiles.width0),
        shape=use.shape.with_hw(0, use.shape.w),
    )


def _without_channels(op: NpuOperation) -> NpuOperation:
    """What is equal in the forms of all slices of a layer."""
    is_convolution = op.job is Job.CONVOLUTION
    return replace(
        op,
        ifm=_unplaced(op.ifm) if is_convolution else _channelless(op.ifm),
        ofm=_channelless(op.ofm),
        weights=(),
        scales=(),
        block_dependency=0,
        block=op.block._replace(c=0),
        buffer=None,
    )


def _channelless(use: MapUse) -> MapUse:
    return replace(_unplaced(use), shape=use.shape.with_depth(0))


def _unplaced(use: MapUse) -> MapUse:
    return replace(use, bases=(0, 0, 0, 0))
