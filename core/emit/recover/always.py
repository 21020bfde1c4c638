"""What does not change: weights and tables where the file has them, constants of the CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import NamedTuple
from core.base.geometry import round_up
from core.base.ids import FmId, NpuOpId, TensorRef
from core.emit.recover.found import Found, FoundOp, FoundPart
from core.emit.recover.maps import Atlas, ConstantKey
from core.ir.layout import AreaLayout, Placement, Purpose
from core.ir.program import AddressRange, DmaTransfer, NpuOperation, RegionRole
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region, memory_of


class _Piece(NamedTuple):
    """Bytes of a part's constants that an operator reads."""

    name: str
    purpose: Purpose
    address: int
    size_bytes: int
    op: NpuOpId | None = None
    fm: FmId | None = None


def permanent_areas(found: Found, maps: Atlas) -> tuple[AreaLayout, ...]:
    """The constants of the streams, and those of the CPU."""
    npu = tuple(_npu_placements(found, maps))
    cpu = tuple(_cpu_placements(found, maps))
    said = sum(_constants_bytes(found).values())
    return (
        _area(found, Region.PERMANENT_NPU, npu, said),
        _area(found, Region.PERMANENT_CPU, cpu, 0),
    )


def _area(
    found: Found, region: Region, placements: tuple[Placement, ...], said_bytes: int
) -> AreaLayout:
    sizes = {(each.content or each.address, each.size_bytes) for each in placements}
    top = max((each.address + each.size_bytes for each in placements), default=0)
    return AreaLayout(
        area=memory_of(found.target, region).area,
        regions=(region,),
        placements=placements,
        height_bytes=max(top, said_bytes),
        lower_bound_bytes=min(sum(size for _, size in sizes), max(top, said_bytes)),
        limit_bytes=None,
    )


def _constants_bytes(found: Found) -> dict[TensorRef, int]:
    """The tensors that hold constants of streams, in their order, with their sizes."""
    sizes = {}
    for part in found.parts:
        for region in part.study.part.regions:
            if region.role is RegionRole.CONSTANTS:
                sizes[TensorRef(part.study.part.op.subgraph, region.tensor)] = region.size_bytes
    return sizes


def _npu_placements(found: Found, maps: Atlas) -> Iterator[Placement]:
    bases: dict[TensorRef, int] = {}
    top = 0
    for ref, size in _constants_bytes(found).items():
        bases[ref] = top
        top += round_up(size, ALIGNMENT_BYTES)
    for part in found.parts:
        regions, subgraph = part.study.part.regions, part.study.part.op.subgraph
        base = next(
            (
                bases[TensorRef(subgraph, region.tensor)]
                for region in regions
                if region.role is RegionRole.CONSTANTS
            ),
            0,
        )
        for piece in _pieces(maps, part):
            data = part.study.part.constant_bytes(piece.address, piece.size_bytes)
            yield Placement(
                name=piece.name,
                purpose=piece.purpose,
                region=Region.PERMANENT_NPU,
                address=base + piece.address,
                size_bytes=piece.size_bytes,
                start_time=0,
                end_time=found.end_time,
                fms=() if piece.fm is None else (piece.fm,),
                op=piece.op,
                alignment=1,
                content=None if data is None else data.digest,
            )


def _pieces(maps: Atlas, part: FoundPart) -> Iterator[_Piece]:
    for key, fm in maps.ids.items():
        if isinstance(key, ConstantKey) and key.part == part.number:
            name = maps.maps[fm].name
            yield _Piece(name, Purpose.FEATURE_MAP, key.address, key.size_bytes, fm=fm)
    for op in part.ops:
        for start, end in _joined(_weight_ranges(part, op)):
            yield _Piece(f"{op.name}: weights", Purpose.WEIGHTS, start, end - start, op.id)
        for at in op.steps.tables:
            item = part.study.part.stream.commands[at]
            assert isinstance(item, DmaTransfer)
            size = item.size_bytes
            name = f"{op.name}: table"
            yield _Piece(name, Purpose.TABLE, item.source.address, size, op.id)


def _weight_ranges(part: FoundPart, op: FoundOp) -> Iterator[AddressRange]:
    """Where its weights are in the region of constants, brought from there or read in place."""
    commands, regions = part.study.part.stream.commands, part.study.part.regions
    for at in op.steps.loads:
        item = commands[at]
        assert isinstance(item, DmaTransfer)
        yield AddressRange(item.source.region, item.source.address, item.size_bytes)
    for at in op.steps.commands:
        item = commands[at]
        if isinstance(item, NpuOperation):
            for each in (*item.weights, *item.scales):
                if each.region < len(regions) and (
                    regions[each.region].role is RegionRole.CONSTANTS
                ):
                    yield each


def _joined(ranges: Iterator[AddressRange]) -> Sequence[tuple[int, int]]:
    """Ranges that follow each other, but for what aligns them, as one."""
    found: list[tuple[int, int]] = []
    for each in sorted(set(ranges)):
        if found and each.address <= round_up(found[-1][1], ALIGNMENT_BYTES):
            found[-1] = (found[-1][0], max(found[-1][1], each.end))
        elif each.size_bytes:
            found.append((each.address, each.end))
    return found


def _cpu_placements(found: Found, maps: Atlas) -> Iterator[Placement]:
    """One behind the other: the file does not say where a runtime has them."""
    address = 0
    for fm in maps.maps:
        if fm.data is None or fm.source is None:
            continue
        yield Placement(
            name=fm.name,
            purpose=Purpose.FEATURE_MAP,
            region=Region.PERMANENT_CPU,
            address=address,
            size_bytes=fm.data.size_bytes,
            start_time=0,
            end_time=found.end_time,
            fms=(fm.id,),
            content=fm.data.digest,
        )
        address += round_up(fm.data.size_bytes, ALIGNMENT_BYTES)
