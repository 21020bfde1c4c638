"""The cascades of a schedule as a table, buffer by buffer."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.geometry import ceil_div
from core.ir.schedule import Cascade, IslandSchedule, RollingBuffer
from core.ir.scheduled import Scheduled
from core.liveness.sizes import map_bytes
from core.report.tables import Row, table_of_used
from core.report.words import Count, ranges_text, shape_text

HEADERS = (
    "cascade",
    "operators",
    "stripes",
    "counted",
    "rolling map",
    "buffer",
    "bytes",
    "instead of",
)


def cascade_table(material: Scheduled) -> str:
    """One row for each rolling buffer; what holds for the whole cascade stands in its first row."""
    rows = cascade_rows(material)
    return table_of_used(HEADERS, rows) if rows else ""


def cascade_rows(material: Scheduled) -> list[Row]:
    """The cells of that table."""
    rows: list[Row] = []
    for (place, position), number in material.cascade_numbers().items():
        island = material.schedule.islands[place]
        rows += _rows(material, island, island.cascades[position], number)
    return rows


def _rows(
    material: Scheduled, island: IslandSchedule, cascade: Cascade, number: int
) -> Iterator[Row]:
    head: Row = (
        number,
        ranges_text(cascade.ops),
        _stripes(material, island, cascade),
        Count(cascade.size_bytes),
    )
    for buffer in cascade.buffers:
        yield (*head, *_buffer(material, buffer))
        head = (None, "", None, None)


def _stripes(material: Scheduled, island: IslandSchedule, cascade: Cascade) -> int:
    """In how many stripes the cascade makes its last map."""
    last = next(plan for plan in island.ops if plan.op == cascade.ops[-1])
    return ceil_div(material.op(last).ofm.touched.h, last.stripe.ofm.h)


def _buffer(material: Scheduled, buffer: RollingBuffer) -> Row:
    fm = material.graph.feature_maps[buffer.fm]
    return (
        fm.name,
        shape_text(buffer.shape),
        Count(buffer.size_bytes),
        Count(map_bytes(fm, material.schedule.maps[fm.id].format)),
    )
