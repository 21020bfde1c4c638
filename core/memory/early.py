"""Addresses of fast storage beside which weights arrive earlier; the rest of a layout stays."""

from __future__ import annotations

from core.base.frozen import replace
from core.base.progress import Progress
from core.ir.layout import MemoryLayout, Placement
from core.ir.options import Options
from core.ir.schedule import Schedule
from core.liveness.lives import TIMES_PER_STEP
from core.memory.packing import AllocationOptions, Packing, Range
from core.memory.run import ALLOCATORS
from core.memory.trails import common_of, trails_of

_PATIENCE = 16
"""What such addresses gain is worth a few orders of ranges, not hundreds."""


def with_room_ahead(
    schedule: Schedule, layout: MemoryLayout, options: Options, progress: Progress
) -> MemoryLayout:
    """The layout in which weights that come ahead have their bytes for one operator longer.

    A transfer waits for all that still read or write where it goes. What these addresses are does
    not depend on the limit.
    """
    own = layout.fast_area
    search = AllocationOptions(iteration_limit=options.hill_climb_orders, patience=_PATIENCE)
    places = [_longer(schedule, place) for place in own.placements]
    trails = trails_of(schedule, layout.op_times, places)
    asked = Packing(ranges=tuple(_range(place) for place in places), trails=trails)
    found = ALLOCATORS[options.allocator](asked, search, progress)
    placements = tuple(
        replace(place, address=address)
        for place, address in zip(places, found.addresses, strict=True)
    )
    ahead = replace(
        own,
        placements=placements,
        height_bytes=found.height_bytes,
        lower_bound_bytes=found.lower_bound_bytes,
        common=common_of(trails, placements),
    )
    areas = tuple(ahead if area is own else area for area in layout.areas)
    return replace(layout, areas=areas, allocator=options.allocator)


def _longer(schedule: Schedule, place: Placement) -> Placement:
    """With the time before, in which nobody else has what weights ahead come to."""
    weights = None if place.op is None else schedule.ops[place.op].weights
    if weights is None or not weights.is_prefetched or place.buffer:
        return place
    return replace(place, start_time=max(place.start_time - TIMES_PER_STEP, 0))


def _range(place: Placement) -> Range:
    return Range(
        name=place.name,
        size_bytes=place.size_bytes,
        start_time=place.start_time,
        end_time=place.end_time,
        alignment=place.alignment,
    )
