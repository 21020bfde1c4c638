"""The memory that a driver binds to the regions of a part of a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import TensorId
from core.ir.program import BoundTensor, ProgramPart, RegionRole
from core.simulate.memory import Memory, Piece, Region
from core.target.accelerator import Accelerator


class Place(NamedTuple):
    """Where a tensor of a part is that its caller writes and reads."""

    memory: Region
    number: int
    """Of the region that it is in."""
    address: int


Places = dict[TensorId, Place]


class Arena(Frozen):
    """The tensor arena of one inference: what is written there stays until its end."""

    memory: Region
    addresses: tuple[int, ...]
    """Where each tensor of the subgraph is, as the file plans it; below zero where it does not."""

    @classmethod
    def of(cls, parts: Iterable[ProgramPart], addresses: tuple[int, ...] = ()) -> Arena:
        """Room for all that parts have there, to which nothing has been written."""
        starts = ((part, _starts(part, addresses)) for part in parts)
        ends = (
            found[use.tensor] + use.size_bytes
            for part, found in starts
            for use in part.regions
            if use.tensor in found
        )
        return cls(memory=Region.empty(max(ends, default=0)), addresses=addresses)

    def keep(self, values: Mapping[TensorId, npt.NDArray[Any]]) -> None:
        """Write tensors that no stream makes where the file plans them, as far as streams reach."""
        planned = dict(enumerate(self.addresses))
        for tensor, value in values.items():
            start = planned.get(tensor, -1)
            if start >= 0:
                place = self.memory.part(start, value.nbytes)
                place.fill(
                    np.ascontiguousarray(value).reshape(-1).view(np.uint8)[: place.data.size]
                )


def bind(part: ProgramPart, accelerator: Accelerator, arena: Arena) -> tuple[Memory, Places]:
    """Memory as it is before the first command; tensors of the arena share its bytes."""
    starts = _starts(part, arena.addresses)
    regions = []
    for use in part.regions:
        if use.role is RegionRole.CONSTANTS:
            regions.append(_constants(part))
        elif use.tensor in starts:
            regions.append(arena.memory.part(starts[use.tensor], use.size_bytes))
        else:
            regions.append(Region.empty(use.size_bytes))
    tables = accelerator.tables
    inside = Region.empty(tables.start + tables.size_bytes)
    memory = Memory(regions=regions, shared_buffer=inside, tables=tables)
    return memory, dict(_places(part, regions))


def _places(part: ProgramPart, regions: Sequence[Region]) -> Iterator[tuple[TensorId, Place]]:
    """Tensors that are regions, and those that a runtime copies into scratch memory and out."""
    own = {use.tensor: number for number, use in enumerate(part.regions)}
    scratch = next(
        (at for at, use in enumerate(part.regions) if use.role is RegionRole.SCRATCH), None
    )
    for item in (*part.inputs, *part.outputs):
        if item.tensor in own:
            number = own[item.tensor]
            yield item.tensor, Place(regions[number], number, 0)
        elif scratch is not None and item.arena_address is not None:
            memory = regions[scratch].part(item.arena_address, item.size_bytes)
            yield item.tensor, Place(memory, scratch, item.arena_address)


def _starts(part: ProgramPart, addresses: tuple[int, ...]) -> dict[TensorId, int]:
    """Where regions are in the tensor arena; fast scratch memory is a memory of its own."""
    starts = {
        item.tensor: item.arena_address
        for item in (*part.inputs, *part.outputs)
        if item.arena_address is not None
    }
    for use in part.regions:
        if use.role is RegionRole.SCRATCH:
            given = addresses[use.tensor] if use.tensor < len(addresses) else 0
            starts[use.tensor] = max(given, 0)
    return starts


def _constants(part: ProgramPart) -> Region:
    if part.constants is None:
        return Region.empty(0)
    data = np.ascontiguousarray(part.constants.array).reshape(-1).view(np.uint8)
    return Region.constant(data)


def output(memory: Memory, places: Places, item: BoundTensor) -> npt.NDArray[Any]:
    """What an output of a part holds."""
    region, number, address = places[item.tensor]
    if not region.written.all():
        piece = Piece(address, (region.data.size,), (1,), 1)
        memory.reading(number, piece, np.uint8, item.name)
    return held(places, item)


def held(places: Places, item: BoundTensor) -> npt.NDArray[Any]:
    """The bytes in a tensor's place, whoever wrote them."""
    region = places[item.tensor].memory
    return region.data.view(np.dtype(item.dtype.numpy)).reshape(item.shape).copy()
