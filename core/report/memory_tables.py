"""The memory of a schedule as tables: command streams, regions, evicted maps, traffic."""

from __future__ import annotations

from core.ir.cost import Direction, NetworkCost, Purpose
from core.ir.layout import AreaLayout
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_TITLES
from core.report.tables import Row, table, table_of_used
from core.report.words import KIB, Count, kib_text, ranges_text, shape_text
from core.target.region import memory_of
from core.target.target import Area

REGION_HEADERS = ("memory", "what", "bytes", "", "limit", "free", "least possible")
STREAM_HEADERS = ("stream", "operators", "schedule", "limit", "fast storage used")
EVICTED_HEADERS = ("map", "shape", "bytes", "from", "to", "lives in")
TRAFFIC_HEADERS = (
    "memory",
    "maps read",
    "maps written",
    "weights read",
    "weights written",
    "other",
    "bytes",
    "busy cycles",
)


def stream_table(material: Scheduled) -> str:
    """One row for each command stream: which schedule was taken, and for which limit."""
    rows = stream_rows(material)
    return table(STREAM_HEADERS, rows) if rows else ""


def stream_rows(material: Scheduled) -> list[Row]:
    """The cells of that table."""
    return [
        (
            int(island.island),
            ranges_text([plan.op for plan in island.ops]),
            island.candidate.value,
            Count(island.limit_bytes),
            Count(island.peak_bytes),
        )
        for island in material.schedule.islands
    ]


def region_table(material: Scheduled) -> str:
    """One row for each range of addresses that is used."""
    rows = region_rows(material)
    return table_of_used(REGION_HEADERS, rows) if rows else ""


def region_rows(material: Scheduled) -> list[Row]:
    """The cells of that table."""
    most = material.target.accelerator.max_address
    return [_region(area, most) for area in material.layout.areas if area.height_bytes]


def _region(area: AreaLayout, most_bytes: int) -> Row:
    """What can be addressed is not told as a limit: nobody asked for it."""
    limit = area.limit_bytes if area.limit_bytes != most_bytes else None
    is_least = area.height_bytes == area.lower_bound_bytes
    return (
        AREA_TITLES[area.area],
        " + ".join(region.value for region in area.regions),
        Count(area.height_bytes),
        kib_text(area.height_bytes) if area.height_bytes >= KIB else None,
        None if limit is None else Count(limit),
        None if limit is None else Count(limit - area.height_bytes),
        "this, proven" if is_least else f"{Count(area.lower_bound_bytes)} or more",
    )


def evicted_table(material: Scheduled) -> str:
    """One row for each map that found no room in fast storage."""
    rows = evicted_rows(material)
    return table(EVICTED_HEADERS, rows) if rows else ""


def evicted_rows(material: Scheduled) -> list[Row]:
    """The cells of that table."""
    rows: list[Row] = []
    for island in material.schedule.islands:
        start = material.start_time(island)
        for evicted in island.evicted:
            fm = material.graph.feature_maps[evicted.fms[0]]
            region = material.schedule.maps[evicted.fms[0]].region
            rows.append(
                (
                    fm.name,
                    shape_text(fm.shape),
                    Count(evicted.size_bytes),
                    start + evicted.start_time,
                    start + evicted.end_time,
                    AREA_TITLES[memory_of(material.target, region).area],
                )
            )
    return rows


def traffic_table(total: NetworkCost) -> str:
    """One row for each memory that is read or written."""
    rows = traffic_rows(total)
    return table_of_used(TRAFFIC_HEADERS, rows) if rows else ""


def traffic_rows(total: NetworkCost) -> list[Row]:
    """The cells of that table."""
    cycles = {
        Area.SRAM: total.sram_cycles,
        Area.DRAM: total.dram_cycles,
        Area.ON_CHIP_FLASH: total.on_chip_flash_cycles,
        Area.OFF_CHIP_FLASH: total.off_chip_flash_cycles,
    }
    return [_traffic(total, area, cycles[area]) for area in Area if total.moved_bytes(area)]


def _traffic(total: NetworkCost, area: Area, cycles: float) -> Row:
    parts = [
        total.moved_bytes(area, purpose, direction)
        for purpose in (Purpose.FEATURE_MAP, Purpose.WEIGHTS)
        for direction in Direction
    ]
    moved = total.moved_bytes(area)
    numbers = (*parts, moved - sum(parts), moved, cycles)
    return (AREA_TITLES[area], *(Count(round(number)) or None for number in numbers))
