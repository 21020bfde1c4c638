"""The memory that a driver binds to the regions of a part of a program."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.ids import TensorId
from core.ir.program import BoundTensor, ProgramPart, RegionRole, RegionUse
from core.simulate.memory import Memory, Piece, Region
from core.target.accelerator import Accelerator

Places = dict[TensorId, Region]
"""Where the tensors of a part are that its caller writes and reads."""


def bind(
    part: ProgramPart, accelerator: Accelerator, arena_addresses: tuple[int, ...]
) -> tuple[Memory, Places]:
    """Memory as it is before the first command; tensors of the arena share its bytes."""
    bound = {item.tensor: item for item in (*part.inputs, *part.outputs)}
    starts = {
        use.tensor: start
        for use in part.regions
        if (start := _start(use, bound.get(use.tensor), arena_addresses)) is not None
    }
    ends = (starts[use.tensor] + use.size_bytes for use in part.regions if use.tensor in starts)
    arena = Region.empty(max(ends, default=0))
    regions = []
    for use in part.regions:
        if use.role is RegionRole.CONSTANTS:
            regions.append(_constants(part))
        elif use.tensor in starts:
            regions.append(arena.part(starts[use.tensor], use.size_bytes))
        else:
            regions.append(Region.empty(use.size_bytes))
    tables = accelerator.tables
    inside = Region.empty(tables.start + tables.size_bytes)
    places = {use.tensor: region for use, region in zip(part.regions, regions, strict=True)}
    return Memory(regions=regions, shared_buffer=inside, tables=tables), places


def _start(
    use: RegionUse, bound: BoundTensor | None, arena_addresses: tuple[int, ...]
) -> int | None:
    """Where a region is in the tensor arena; fast scratch memory is a memory of its own."""
    if use.role is RegionRole.SCRATCH:
        given = arena_addresses[use.tensor] if use.tensor < len(arena_addresses) else 0
        return max(given, 0)
    return None if bound is None else bound.arena_address


def _constants(part: ProgramPart) -> Region:
    if part.constants is None:
        return Region.empty(0)
    data = np.ascontiguousarray(part.constants.array).reshape(-1).view(np.uint8)
    return Region.constant(data)


def output(memory: Memory, places: Places, item: BoundTensor) -> npt.NDArray[Any]:
    """What an output of a part holds."""
    region = places[item.tensor]
    if not region.written.all():
        number = next(n for n, other in enumerate(memory.regions) if other is region)
        memory.reading(number, Piece(0, (region.data.size,), (1,), 1), np.uint8, item.name)
    return held(places, item)


def held(places: Places, item: BoundTensor) -> npt.NDArray[Any]:
    """The bytes in a tensor's place, whoever wrote them."""
    region = places[item.tensor]
    return region.data.view(np.dtype(item.dtype.numpy)).reshape(item.shape).copy()
