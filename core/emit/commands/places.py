"""Where everything lies that commands address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.base.ids import FmId, NpuOpId
from core.emit.regions import region_number
from core.ir.layout import MemoryLayout, Purpose
from core.target.target import Target


class Place(NamedTuple):
    """An address, counted from the start of a region of the stream."""

    region: int
    address: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The addresses of a memory layout, by what lies there."""

    maps: Mapping[FmId, Place]
    weights: Mapping[NpuOpId, Place]
    """Of streams where they are stored."""
    buffers: Mapping[tuple[NpuOpId, int], Place]
    """Of weight buffers in fast storage, by operator and number."""
    tables: Mapping[NpuOpId, Place]

    @classmethod
    def of(cls, layout: MemoryLayout, target: Target) -> Places:
        """Look up a layout from the other side."""
        maps, weights, buffers, tables = {}, {}, {}, {}
        for area in layout.areas:
            for item in area.placements:
                place = Place(region_number(item.region, target), item.address)
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
