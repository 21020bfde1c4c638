"""The front of a schedule: what could be taken instead, smaller or faster."""

from __future__ import annotations

from typing import Any

from core.ir.cost import Bound
from core.ir.schedule import FrontPoint
from core.ir.scheduled import Scheduled
from core.report.tables import Listing
from core.report.words import Count, seconds_text
from core.target.target import Area

Json = dict[str, Any]

_HEADERS = ("taken", "fast storage", "cycles", "inference", "cascades", "in them", "evicted")


def describe_front(material: Scheduled) -> list[Json]:
    """Every point from the smallest to the fastest; `--pareto-point` takes one by its bytes."""
    return [
        {
            "fast_storage_peak_usage": point.peak_bytes,
            "cycles": point.cycles,
            "cycles_by_bound": dict(
                zip((bound.value for bound in Bound), point.cost.parts, strict=True)
            ),
            "macs": point.cost.macs,
            "traffic_bytes": {area.value: point.cost.moved_bytes(area) for area in Area},
            "seconds": _seconds(material, point),
            "cascades": point.cascades,
            "cascaded_ops": point.cascaded_ops,
            "evicted_bytes": point.evicted_bytes,
            "is_taken": point.is_taken,
        }
        for point in material.schedule.front
    ]


def front_listing(material: Scheduled) -> Listing:
    """The same as a table, which has no row where there is no choice."""
    front = material.schedule.front if len(material.schedule.front) > 1 else ()
    rows = [
        (
            "x" if point.is_taken else "",
            Count(point.peak_bytes),
            Count(round(point.cycles)),
            seconds_text(_seconds(material, point)),
            point.cascades,
            point.cascaded_ops,
            Count(point.evicted_bytes),
        )
        for point in front
    ]
    return Listing(_HEADERS, rows)


def _seconds(material: Scheduled, point: FrontPoint) -> float:
    return point.cycles / material.total.clock_hz
