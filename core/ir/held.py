"""Addresses that something has, and keeps wherever it can."""

from __future__ import annotations

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.layout import MemoryLayout
from core.target.region import Region


class Spot(NamedTuple):
    """Where something lies, and how large it is there."""

    address: int
    size_bytes: int
    ahead_times: int = 0
    """How long before its operator a weight buffer is kept free."""


class Held(Frozen):
    """Spots of one schedule, for the layout of another one that is much like it."""

    maps: dict[tuple[FmId, bool], Spot]
    """By map, and whether it is in fast storage there."""
    buffers: dict[tuple[NpuOpId, int], Spot]
    """By operator, and which of its weight buffers it is."""

    @classmethod
    def maps_of(cls, layout: MemoryLayout) -> Held:
        """Where maps lie in a layout; weight buffers are free."""
        spots = {
            (fm, Region.SCRATCH_FAST in area.regions): Spot(item.address, item.size_bytes)
            for area in layout.areas
            for item in area.placements
            if item.op is None
            for fm in item.fms
        }
        return cls(maps=spots, buffers={})


NOTHING_HELD = Held(maps={}, buffers={})
