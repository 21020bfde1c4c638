"""Where a program has its bytes: live ranges with the addresses that the streams name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from core.emit.recover.always import permanent_areas
from core.emit.recover.extents import base_of, placements_of
from core.emit.recover.found import Found
from core.emit.recover.maps import Atlas, region_of
from core.emit.touched import touches_fast_scratch
from core.ir.layout import AreaLayout, MemoryLayout, Placement
from core.ir.program import RegionRole
from core.target.region import Region, memory_of


def layout_of(found: Found, maps: Atlas) -> MemoryLayout:
    """The memories of a program."""
    ranges = placements_of(found, maps)
    areas = [_area(found, regions, ranges) for regions in _shared(found)]
    return MemoryLayout(
        areas=(*areas, *permanent_areas(found, maps)),
        op_times=tuple(part.times[op.position] for part in found.parts for op in part.ops),
        end_time=found.end_time,
    )


def snapshots_of(found: Found, layout: MemoryLayout) -> tuple[tuple[int, ...], ...]:
    """Bytes that are live in fast storage at each time of each stream."""
    area = next(each for each in layout.areas if Region.SCRATCH_FAST in each.regions)
    live = _live(area.placements, found.end_time)
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
    return AreaLayout(
        area=memory_of(target, regions[0]).area,
        regions=regions,
        placements=placements,
        height_bytes=max(top, said),
        lower_bound_bytes=int(_live(placements, found.end_time).max(initial=0)),
        limit_bytes=target.fast_limit_bytes if Region.SCRATCH_FAST in regions else None,
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
