"""Operators as a command stream shows them: operations that are stripes or slices of one another.

Stripes are operations alike in all but rows, where each writes the rows after those of the one
before, also around the end of a rolling buffer. Slices are neighbours that read the same input and
write channels one after the other. Operators whose stripes take turns are a cascade.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from core.emit.touched import map_ranges
from core.ir.program import (
    BufferUse,
    CommandStream,
    Job,
    MapUse,
    NpuOperation,
    ScalarUse,
    Tiles,
)
from core.target.format import BRICK_DEPTH, Format

_MOST_RIVALS = 4
"""Layers alike in all but addresses that can be under way at once."""
_LONG = 8
"""Stripes of a chain that is long."""
_FEW = 4
"""One in so many of its stripes is few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Operations that together make one output."""

    commands: tuple[int, ...]
    """Positions in the stream."""
    stripes: int
    slices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamCascade:
    """Layers whose stripes take turns."""

    layers: tuple[int, ...]
    """Positions among the layers."""
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What a stream shows of the schedule that it was made from."""

    layers: tuple[Layer, ...]
    """In order of their first operation."""
    cascades: tuple[StreamCascade, ...]


def structure(stream: CommandStream) -> Structure:
    """The layers and cascades of a stream."""
    chains = _chains(stream)
    groups = [_connected(group) for group in _taking_turns(chains)]
    in_turn = {chain for group in groups for chain in group}
    found: list[Layer] = []
    numbers: dict[_Chain, int] = {}
    for chain in chains:
        numbers[chain] = len(found)
        if chain in in_turn or chain.is_in_one_piece(stream):
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


def _chains(stream: CommandStream) -> list[_Chain]:
    found: list[_Chain] = []
    alike: dict[NpuOperation, list[_Chain]] = defaultdict(list)
    for position, command in enumerate(stream.commands):
        if not isinstance(command, NpuOperation):
            continue
        rivals = alike[_without_rows(command)]
        chain = next((item for item in rivals if item.is_continued_by(command)), None)
        if chain is not None:
            chain.add(position, command, is_slice=False)
        elif found and found[-1].is_sliced_by(command):
            found[-1].add(position, command, is_slice=True)
        else:
            found.append(_Chain(position, command))
            rivals.insert(0, found[-1])
            del rivals[_MOST_RIVALS:]
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
            if _follows(chain, maker):
                kept |= {chain, maker}
    return [chain for chain in group if chain in kept]


def _follows(chain: _Chain, maker: _Chain) -> bool:
    """Whether a chain starts with the rows that another has made, soon or when all are there."""
    start = chain.positions[0]
    left = sum(position > start for position in maker.positions)
    # An unrolled loop can show a chain that begins when another has nearly ended.
    is_late = maker.stripes >= _LONG and 0 < left * _FEW < maker.stripes
    return not is_late and any(_overlap(maker.first.ofm, use) for use in chain.first.maps[:-1])


class _Chain:
    """A layer that still grows."""

    def __init__(self, position: int, op: NpuOperation) -> None:
        self.positions = [position]
        self.first = self.last = op
        self.stripes = self.slices = 1

    @property
    def layer(self) -> Layer:
        """All of it as one value."""
        return Layer(commands=tuple(self.positions), stripes=self.stripes, slices=self.slices)

    def add(self, position: int, op: NpuOperation, *, is_slice: bool) -> None:
        """Take one more operation."""
        self.positions.append(position)
        self.last = op
        if is_slice:
            self.slices += 1
        else:
            self.stripes += 1

    def is_in_one_piece(self, stream: CommandStream) -> bool:
        """Whether no operation of another layer is between its first and its last."""
        between = stream.commands[self.positions[0] : self.positions[-1] + 1]
        return sum(isinstance(item, NpuOperation) for item in between) == len(self.positions)

    def is_continued_by(self, op: NpuOperation) -> bool:
        """Whether an operation writes the rows after the last ones."""
        if self.slices > 1 or _overlap(op.ofm, op.ifm) or _overlap(self.last.ofm, op.ifm):
            return False
        start, ring = op.ofm.bases[0], self.first.ofm.bases[0]
        is_next = start in {_next_row(self.last.ofm), ring}
        return is_next and (start != ring or _places(op.ifm) != _places(self.last.ifm))

    def is_sliced_by(self, op: NpuOperation) -> bool:
        """Whether an operation writes the channels after the last ones."""
        last = self.last
        if self.stripes > 1 or not op.job.has_weights:
            return False
        if _without_channels(op) != _without_channels(last):
            return False
        reads = last.ifm.bases[0] if op.job is Job.CONVOLUTION else _next_channel(last.ifm)
        return op.ofm.bases[0] == _next_channel(last.ofm) and op.ifm.bases[0] == reads


def _overlap(one: MapUse, other: MapUse) -> bool:
    """Whether two maps have bytes in common, taking all between the ends of a tile as theirs."""
    return any(
        part.region == piece.region and part.address < piece.end and piece.address < part.end
        for part in map_ranges(one)
        for piece in map_ranges(other)
    )


def _places(use: MapUse) -> tuple[object, ...]:
    return use.bases, use.tiles


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
    """What is equal in all stripes of a layer."""
    return replace(
        op,
        ifm=_rowless(op.ifm),
        ifm2=None if op.ifm2 is None else _rowless_second(op.ifm2),
        ofm=_rowless(op.ofm),
        padding=replace(op.padding, top=0, bottom=0),
        block_dependency=0,
    )


def _rowless(use: MapUse) -> MapUse:
    return replace(
        use,
        bases=(0, 0, 0, 0),
        tiles=Tiles(0, 0, use.tiles.width0),
        shape=use.shape.with_hw(0, use.shape.w),
    )


def _rowless_second(use: MapUse | ScalarUse) -> MapUse | ScalarUse:
    return _rowless(use) if isinstance(use, MapUse) else use


def _without_channels(op: NpuOperation) -> NpuOperation:
    """What is equal in all slices of a layer."""
    return replace(
        op,
        ifm=_channelless(op.ifm) if op.job is not Job.CONVOLUTION else op.ifm,
        ofm=_channelless(op.ofm),
        weights=(),
        scales=(),
        block_dependency=0,
        block=op.block._replace(c=0),
        buffer=BufferUse(0, 0),
    )


def _channelless(use: MapUse) -> MapUse:
    return replace(use, bases=(0, 0, 0, 0), shape=use.shape.with_depth(0))
