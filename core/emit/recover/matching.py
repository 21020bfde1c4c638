"""Which live ranges of a stream are the tensors that an interpreter hands over."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.geometry import round_up
from core.base.ids import TensorRef
from core.emit.lives import Life
from core.emit.study import PartStudy
from core.ir.program import BoundTensor, Program, RegionRole
from core.target.format import ALIGNMENT_BYTES


class _Place(NamedTuple):
    """Where a tensor is, as the stream sees it."""

    tensor: BoundTensor
    region: int
    address: int

    def holds(self, life: Life) -> bool:
        """Whether bytes are all of this tensor."""
        # Up to the next place at which something else may begin.
        end = self.address + round_up(self.tensor.size_bytes, ALIGNMENT_BYTES)
        return life.region == self.region and self.address <= life.address and _end(life) <= end


def arena_base(program: Program, study: PartStudy, region: int) -> int | None:
    """Where the file places a region in the tensor arena; None where it does not say."""
    addresses, part = program.arena_addresses, study.part
    if not addresses or region >= len(part.regions):
        return None
    tensor = part.regions[region].tensor
    graph = addresses[part.op.subgraph]
    address = graph[tensor] if tensor < len(graph) else -1
    return address if address >= 0 else None


def tensors_of(program: Program, study: PartStudy) -> dict[int, TensorRef]:
    """By live range: the tensor that it is, or a part of."""
    found: dict[int, TensorRef] = {}
    subgraph = study.part.op.subgraph
    inputs = tuple(_places(program, study, RegionRole.INPUT))
    outputs = tuple(_places(program, study, RegionRole.OUTPUT))
    for number, life in enumerate(study.lives):
        place = next((each for each in inputs if each.holds(life)), None)
        if life.is_from_outside and place is not None:
            found[number] = TensorRef(subgraph, place.tensor.tensor)
    for place in outputs:
        # Of several that were there one after the other, what is there in the end.
        held = [number for number, life in enumerate(study.lives) if place.holds(life)]
        last = max((study.lives[number].first for number in held), default=0)
        unread = [number for number in held if not study.lives[number].reads]
        for number in unread or [at for at in held if study.lives[at].first == last]:
            found.setdefault(number, TensorRef(subgraph, place.tensor.tensor))
    return found


def _places(program: Program, study: PartStudy, role: RegionRole) -> Iterator[_Place]:
    part = study.part
    tensors = part.inputs if role is RegionRole.INPUT else part.outputs
    own = {region.tensor: at for at, region in enumerate(part.regions) if region.role is role}
    for tensor in tensors:
        if tensor.tensor in own:
            yield _Place(tensor, own[tensor.tensor], 0)
        for at, region in enumerate(part.regions):
            base = arena_base(program, study, at)
            is_arena = region.role is RegionRole.SCRATCH and base is not None
            if is_arena and tensor.arena_address is not None:
                yield _Place(tensor, at, tensor.arena_address - (base or 0))


def _end(life: Life) -> int:
    return life.address + life.size_bytes
