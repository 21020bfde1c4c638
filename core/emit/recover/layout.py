"""Where a program has its bytes, and from when to when: live ranges at the addresses of streams."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field
from core.base.geometry import round_up
from core.base.ids import FmId, NpuOpId, SubgraphId, TensorId, TensorRef
from core.emit.lives import NOBODY
from core.emit.open import size_bytes
from core.emit.recover.always import permanent_areas
from core.emit.recover.found import Found, FoundOp, FoundPart
from core.emit.recover.maps import Atlas, key_of, region_of
from core.emit.recover.matching import arena_base
from core.emit.recover.plans import buffer_turns
from core.emit.recover.streamops import ends_of, operands_of
from core.emit.touched import touches_fast_scratch
from core.ir.layout import AreaLayout, MemoryLayout, Placement, Purpose
from core.ir.program import RegionRole
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region, memory_of


class _Range(NamedTuple):
    """What holds some bytes, wherever it is touched."""

    region: Region
    fm: FmId | None
    op: NpuOpId | None = None
    buffer: int = 0
    life: int = NOBODY
    """Of weights: in which live range of which part they are."""
    part: int = NOBODY


class _Extent(Changing):
    """Addresses and times of a range, as far as they are known."""

    name: str
    start_address: int
    end_address: int
    begin: int = sys.maxsize
    last: int = NOBODY
    may_last_until: int = NOBODY
    """For what nobody reads, and so may be a result."""

    def touch(self, time: int) -> None:
        """It is there at this time."""
        self.begin, self.last = min(self.begin, time), max(self.last, time)


def base_of(found: Found, part: FoundPart, region: int) -> int:
    """Where a region begins: those of fast storage are no part of the arena."""
    if region_of(part, region) is not Region.SCRATCH:
        return 0
    return arena_base(found.program, part.study, region) or 0


def placements_of(found: Found, maps: Atlas) -> tuple[Placement, ...]:
    """Placements of all that changes, in order of time."""
    draft = _Draft(found, maps)
    for part in found.parts:
        for op in part.ops:
            draft.touch(part, op)
        draft.close(part)
    draft.touch_outside()
    draft.end_where_others_begin()
    return tuple(sorted(draft.placements(), key=lambda each: (each.start_time, each.address)))


class _Draft(Changing):
    """Ranges that still grow."""

    found: Found
    maps: Atlas
    extents: dict[_Range, _Extent] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    """The last time of each."""
    _maps: dict[tuple[int, int], _Extent] = field(default_factory=dict)
    """By part and live range."""
    _weights: dict[tuple[int, int], _Extent] = field(default_factory=dict)
    """By part and live range."""
    _separate: dict[TensorRef, int] = field(default_factory=dict)
    """Where tensors begin that have buffers of the application's, as if these were in a row."""
    _of_map: defaultdict[FmId, list[_Extent]] = field(default_factory=lambda: defaultdict(list))

    def touch(self, part: FoundPart, op: FoundOp) -> None:
        """Whatever an operator reads and writes is there when it does."""
        if op.steps.is_copy:
            for life in ends_of(part.study, op.position):
                self._map(part, life, part.times[op.position])
            return
        for at, buffer in zip(op.steps.commands, buffer_turns(part, op), strict=True):
            lives, time = operands_of(part.study, at), part.times[at]
            for life in (lives.ifm, lives.ifm2, lives.ofm):
                self._map(part, life, time)
            for life in lives.streams:
                self._buffer(part, op, buffer, life).touch(time)
        for at in op.steps.loads:
            extent = self._weights.get((part.number, ends_of(part.study, at).destination))
            if extent is not None:
                extent.touch(min(part.times[at], extent.last))

    def _map(self, part: FoundPart, life: int, time: int) -> None:
        if life == NOBODY:
            return
        extent = self._maps.get((part.number, life))
        if extent is None:
            fm = self.maps.ids[key_of(part, life)]
            key = _Range(region_of(part, part.study.lives[life].region), fm)
            extent = self._grow(key, self.maps.maps[fm].name, part, life)
            self._maps[part.number, life] = extent
        extent.touch(time)

    def _buffer(self, part: FoundPart, op: FoundOp, buffer: int, life: int) -> _Extent:
        extent = self._weights.get((part.number, life))
        if extent is None:
            region = region_of(part, part.study.lives[life].region)
            key = _Range(region, None, op.id, buffer, life, part.number)
            name = f"{op.name}: weight buffer{' 2' if buffer else ''}"
            extent = self._weights[part.number, life] = self._grow(key, name, part, life)
        return extent

    def _grow(self, key: _Range, name: str, part: FoundPart, life: int) -> _Extent:
        found = part.study.lives[life]
        start = self._base(part, found.region) + found.address
        known = self._extent(key, _Extent(name, start, start + found.size_bytes))
        known.start_address = min(known.start_address, start)
        known.end_address = max(known.end_address, start + found.size_bytes)
        return known

    def _base(self, part: FoundPart, region: int) -> int:
        """Where a region begins."""
        if region_of(part, region) is not Region.SEPARATE_IO:
            return base_of(self.found, part, region)
        tensor = part.study.part.regions[region].tensor
        ref = TensorRef(part.study.part.op.subgraph, tensor)
        if ref not in self._separate:
            graph = self.found.network.subgraphs[ref.subgraph]
            sizes = (size_bytes(graph.tensors[each.tensor]) for each in self._separate)
            self._separate[ref] = sum(round_up(size, ALIGNMENT_BYTES) for size in sizes)
        return self._separate[ref]

    def _extent(self, key: _Range, new: _Extent) -> _Extent:
        """What is known of a range, or the beginning of it."""
        known = self.extents.setdefault(key, new)
        if known is new and key.fm is not None:
            self._of_map[key.fm].append(known)
        return known

    def close(self, part: FoundPart) -> None:
        """What comes from outside is there before, what nobody reads until the end."""
        for number, life in enumerate(part.study.lives):
            key = key_of(part, number)
            if isinstance(key, TensorRef) or key not in self.maps.ids:
                continue
            extent = self.extents.get(_Range(region_of(part, life.region), self.maps.ids[key]))
            if extent is not None and life.is_from_outside:
                extent.touch(part.start_time)
            if extent is not None and not life.reads:
                extent.may_last_until = max(part.end_time - 1, part.start_time)

    def touch_outside(self) -> None:
        """Tensors are there from whoever makes them to whoever reads them."""
        found = self.found
        for ref, time, _ in found.cpu_ops:
            op = found.network.operator(ref)
            for tensor in (*op.inputs, *op.outputs):
                if tensor is not None:
                    self._tensor(TensorRef(ref.subgraph, tensor), time)
        for number, graph in enumerate(found.network.subgraphs):
            for tensor in graph.inputs:
                self._tensor(_ref(number, tensor), 0)
            for tensor in graph.outputs:
                self._tensor(_ref(number, tensor), found.end_time)
            if number:
                for tensor in (*graph.inputs, *graph.outputs):
                    self._tensor(_ref(number, tensor), 0)
                    self._tensor(_ref(number, tensor), found.end_time)

    def _tensor(self, ref: TensorRef, time: int) -> None:
        fm, program = self.maps.ids[ref], self.found.program
        if not self._of_map[fm]:
            graphs = program.arena_addresses
            address = graphs[ref.subgraph][ref.tensor] if graphs else NOBODY
            tensor = self.found.network.subgraphs[ref.subgraph].tensors[ref.tensor]
            if address < 0 or tensor.data is not None:
                return
            size = tensor.elements * tensor.dtype.size_bytes
            extent = _Extent(self.maps.maps[fm].name, address, address + size)
            self._extent(_Range(Region.SCRATCH, fm), extent)
        for extent in self._of_map[fm]:
            extent.touch(time)

    def end_where_others_begin(self) -> None:
        """Bytes that another range takes over at its last touch are that one's from then on."""
        keys, extents = list(self.extents), list(self.extents.values())
        places = {region: number for number, region in enumerate(Region)}
        region = np.array([places[key.region] for key in keys])
        low = np.array([extent.start_address for extent in extents])
        high = np.array([extent.end_address for extent in extents])
        begin = np.array([extent.begin for extent in extents])
        for number, extent in enumerate(extents):
            last = extent.last
            takes = (begin >= last) & (begin > begin[number]) & (region == region[number])
            takes &= (low < high[number]) & (high > low[number])
            following = int(begin[takes].min()) if takes.any() else None
            # As in every layout, what one operator leaves is there until the next begins.
            end = max(min(last + 1, self.found.end_time), extent.may_last_until)
            if following is not None:
                end = min(end, following - 1)
            self.ends.append(end)

    def placements(self) -> Iterator[Placement]:
        """All ranges with their addresses and times."""
        for (key, extent), end in zip(self.extents.items(), self.ends, strict=True):
            yield Placement(
                name=extent.name,
                purpose=Purpose.FEATURE_MAP if key.op is None else Purpose.WEIGHTS,
                region=key.region,
                address=extent.start_address,
                size_bytes=extent.end_address - extent.start_address,
                start_time=extent.begin,
                end_time=end,
                fms=() if key.fm is None else (key.fm,),
                op=key.op,
                buffer=key.buffer,
                alignment=1,
            )


def _ref(subgraph: int, tensor: int) -> TensorRef:
    return TensorRef(SubgraphId(subgraph), TensorId(tensor))


def layout_of(found: Found, maps: Atlas) -> MemoryLayout:
    """The memories of a program."""
    ranges = placements_of(found, maps)
    areas = [_area(found, regions, ranges) for regions in _shared(found)]
    if any(each.region is Region.SEPARATE_IO for each in ranges):
        areas.append(_area(found, (Region.SEPARATE_IO,), ranges))
    return MemoryLayout(
        areas=(*areas, *permanent_areas(found, maps)),
        op_times=tuple(part.times[op.position] for part in found.parts for op in part.ops),
        end_time=found.end_time,
    )


def snapshots_of(found: Found, layout: MemoryLayout) -> tuple[tuple[int, ...], ...]:
    """Bytes that are live in fast storage at each time of each stream."""
    live = _live(layout.fast_area.placements, found.end_time)
    return tuple(
        tuple(int(size) for size in live[part.start_time : max(part.end_time, part.start_time + 1)])
        for part in found.parts
    )


def _shared(found: Found) -> tuple[tuple[Region, ...], ...]:
    """Regions that share addresses."""
    if found.target.is_spilling or touches_fast_scratch(found.program):
        return (Region.SCRATCH_FAST,), (Region.SCRATCH,)
    return ((Region.SCRATCH, Region.SCRATCH_FAST),)


def _area(found: Found, regions: tuple[Region, ...], ranges: Iterable[Placement]) -> AreaLayout:
    target = found.target
    placements = tuple(each for each in ranges if each.region in regions)
    top = max((each.address + each.size_bytes for each in placements), default=0)
    said = max((size for region, size in _said(found) if region in regions), default=0)
    live = int(_live(placements, found.end_time).max(initial=0))
    return AreaLayout(
        area=memory_of(target, regions[0]).area,
        regions=regions,
        placements=placements,
        height_bytes=max(top, said),
        lower_bound_bytes=top if Region.SEPARATE_IO in regions else live,
        limit_bytes=None,
    )


def _said(found: Found) -> Iterator[tuple[Region, int]]:
    """What the file sets aside for regions that streams touch."""
    for part in found.parts:
        for number, used in part.study.traffic:
            regions = part.study.part.regions
            if number < len(regions) and regions[number].role in _SCRATCHES:
                base = base_of(found, part, number)
                yield (
                    region_of(part, number),
                    base + max(regions[number].size_bytes, used.reach_bytes),
                )


_SCRATCHES = (RegionRole.SCRATCH, RegionRole.SCRATCH_FAST)


def _live(placements: Iterable[Placement], end_time: int) -> npt.NDArray[np.int64]:
    steps = np.zeros(end_time + 2, dtype=np.int64)
    for each in placements:
        steps[each.start_time] += each.size_bytes
        steps[each.end_time + 1] -= each.size_bytes
    return np.cumsum(steps)[:-1]
