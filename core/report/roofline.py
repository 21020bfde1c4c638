"""The roofline of a schedule as a table and as JSON: what operators compute with what they move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.cost.roofline import Roofline, Workload, roofline_of
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_COLUMNS, AREA_TITLES
from core.report.tables import Listing, Row
from core.report.words import Count
from core.target.target import Area

Json = dict[str, Any]

ROOFS = {
    "macs_per_cycle": "multiplications that the accelerator can make in a cycle",
    **{
        f"{name}_bytes_per_cycle": f"bytes that {AREA_TITLES[area]} can move in a cycle, or null"
        " where nothing is moved in it"
        for area, name in AREA_COLUMNS.items()
    },
}
WORK = {
    "macs_per_cycle": "multiplications in each cycle that it takes",
    **{
        f"{name}_moved_bytes": f"bytes that {AREA_TITLES[area]} reads and writes for it"
        for area, name in AREA_COLUMNS.items()
    },
}
"""Of an operator."""
_DECIMALS = 2


def describe_roofs(roofline: Roofline) -> Json:
    """What the accelerator and its memories can do at most."""
    rates = _by_area(roofline, _rates(roofline), None)
    return dict(zip(ROOFS, (roofline.macs_per_cycle, *rates), strict=True))


def describe_work(roofline: Roofline, workload: Workload) -> Json:
    """What an operator does of that."""
    moved = _by_area(roofline, workload.moved_bytes, 0.0)
    return dict(zip(WORK, (workload.macs_per_cycle, *moved), strict=True))


def _rates(roofline: Roofline) -> tuple[float, ...]:
    return tuple(roof.bytes_per_cycle for roof in roofline.roofs)


def _by_area(
    roofline: Roofline, figures: tuple[float, ...], nothing: float | None
) -> Iterator[float | None]:
    """Figures by roof as figures of all memories, in their order."""
    by_area: dict[Area, float] = {
        roof.area: figure for roof, figure in zip(roofline.roofs, figures, strict=True)
    }
    return (by_area.get(area, nothing) for area in AREA_COLUMNS)


def roofline_listing(material: Scheduled) -> Listing:
    """What can be done at most, and then a row for each operator on the NPU."""
    roofline = roofline_of(material)
    titles = [AREA_TITLES[roof.area] for roof in roofline.roofs]
    headers = (
        *("#", "name", "MACs", "cycles", "MACs/cycle"),
        *(f"{title} {what}" for title in titles for what in ("bytes", "bytes/cycle", "MACs/byte")),
        "decides",
    )
    most = (part for rate in _rates(roofline) for part in (None, round(rate, _DECIMALS), None))
    head = (None, "at most", None, None, float(roofline.macs_per_cycle), *most, None)
    return Listing(headers, [head, *(_row(material, each) for each in roofline.workloads)])


def _row(material: Scheduled, workload: Workload) -> Row:
    ports: list[object] = []
    for size, intensity in zip(workload.moved_bytes, workload.macs_per_byte, strict=True):
        rate = size / workload.cycles if workload.cycles else 0.0
        ports += [
            Count(round(size)),
            round(rate, _DECIMALS),
            None if intensity is None else round(intensity, _DECIMALS),
        ]
    return (
        int(workload.op),
        material.graph.titles.op(workload.op),
        Count(workload.macs),
        Count(round(workload.cycles)),
        round(workload.macs_per_cycle, _DECIMALS),
        *ports,
        None if workload.decides is None else workload.decides.value,
    )
