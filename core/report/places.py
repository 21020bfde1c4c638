"""Addresses by what lies there: feature maps, weight streams, weight buffers, tables."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.ids import FmId, NpuOpId
from core.ir.layout import MemoryLayout, Placement, Purpose


class Places(Frozen):
    """A memory layout as a look-up; what the layout does not name has no place."""

    maps: dict[FmId, Placement]
    streams: dict[NpuOpId, Placement]
    tables: dict[NpuOpId, Placement]
    buffers: dict[tuple[NpuOpId, int], Placement]
    """By operator and number of the buffer."""


def places_of(layout: MemoryLayout) -> Places:
    """Where everything of a layout lies."""
    found = Places(maps={}, streams={}, tables={}, buffers={})
    for area in layout.areas:
        for place in area.placements:
            for fm in place.fms:
                found.maps.setdefault(fm, place)
            if place.op is None:
                continue
            if place.purpose is Purpose.TABLE:
                found.tables.setdefault(place.op, place)
            elif place.region.is_permanent:
                found.streams.setdefault(place.op, place)
            else:
                found.buffers.setdefault((place.op, place.buffer), place)
    return found


def address_of(place: Placement | None) -> int | None:
    """The address of a place, where there is one."""
    return None if place is None else place.address
