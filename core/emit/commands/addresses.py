"""Where everything lies that commands address."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId, NpuOpId
from core.ir.layout import MemoryLayout, Purpose
from core.target.region import Region
from core.target.target import Target

_CONSTANTS = 0
_SCRATCH = 1
_SCRATCH_FAST = 2
"""The numbers of the regions of our streams: a driver binds them in the order of `RegionRole`."""

NONE_OF_ITS_OWN: Mapping[FmId, int] = {}


class Address(NamedTuple):
    """An address, counted from the start of a region of the stream."""

    region: int
    address: int


class Addresses(Frozen):
    """The addresses of a memory layout, by what lies there."""

    maps: Mapping[FmId, Address]
    weights: Mapping[NpuOpId, Address]
    """Of streams where they are stored."""
    buffers: Mapping[tuple[NpuOpId, int], Address]
    """Of weight buffers in fast storage, by operator and number."""
    tables: Mapping[NpuOpId, Address]

    @classmethod
    def of(
        cls, layout: MemoryLayout, target: Target, own: Mapping[FmId, int] = NONE_OF_ITS_OWN
    ) -> Addresses:
        """Look up a layout from the other side; some maps have regions of their own, if they are
        separate."""
        maps, weights, buffers, tables = {}, {}, {}, {}
        for area in layout.areas:
            for item in area.placements:
                if item.region is Region.SEPARATE_IO:
                    maps.update({fm: Address(own[fm], 0) for fm in item.fms if fm in own})
                    continue
                place = Address(_region_number(item.region, target), item.address)
                maps.update(dict.fromkeys(item.fms, place))
                if item.op is None:
                    continue
                if item.purpose is Purpose.TABLE:
                    tables[item.op] = place
                elif item.region.is_permanent:
                    weights[item.op] = place
                else:
                    buffers[item.op, item.buffer] = place
        return cls(maps=maps, weights=weights, buffers=buffers, tables=tables)


def _region_number(region: Region, target: Target) -> int:
    """The region of the stream in which bytes lie; both kinds of scratch may be one memory."""
    if region.is_permanent:
        return _CONSTANTS
    return _SCRATCH_FAST if region is Region.SCRATCH_FAST and target.is_spilling else _SCRATCH
