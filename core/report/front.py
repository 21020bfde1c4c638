"""The front of a schedule: what could be taken instead, smaller or faster."""

from __future__ import annotations

from typing import Any

from core.base.rough import rough_text
from core.ir.cost import Bound
from core.ir.decisions import FrontAnswered
from core.ir.options import Engine
from core.ir.schedule import FrontPoint
from core.ir.scheduled import Scheduled
from core.report.tables import Listing
from core.report.words import Count, counted, kib_text, seconds_text
from core.target.target import Area

Json = dict[str, Any]

_HEADERS = ("taken", "fast storage", "cycles", "inference", "cascades", "in them", "evicted")
_ECOSYSTEM, _FOUND_BY = "ecosystem", "found by"


def found_text(engine: Engine, searched_bytes: int | None, changes: int) -> str:
    """By which engine a schedule was found, for which limit, and what was searched again then."""
    where = "without a limit" if searched_bytes is None else f"at {kib_text(searched_bytes)}"
    return f"{engine.value} {where}" + (f", then {counted(changes, 'part')}" if changes else "")


def answer_lines(material: Scheduled) -> tuple[str, ...]:
    """How a schedule was taken of a front of several searches, where it was."""
    return tuple(
        f"found by {found_text(each.engine, each.searched_bytes, each.changes)}, one of"
        f" {counted(each.points, 'schedule')} after {each.searches:,} searches"
        + (
            ""
            if each.direct_cycles is None
            else f"; {rough_text(each.direct_cycles)} cycles with the direct search"
        )
        + f"; no schedule takes fewer than {rough_text(each.least_cycles)},"
        f" and this one {each.times_least:.2f} times as many"
        for each in material.schedule.decisions
        if isinstance(each, FrontAnswered)
    )


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
            **_found(point),
        }
        for point in material.schedule.front
    ]


def front_note(material: Scheduled) -> str:
    """Why a schedule that takes more memory can take more cycles, where the search went by another
    price than the one that is shown."""
    if not any(point.ecosystem_cycles for point in material.schedule.front):
        return ""
    return (
        "The search goes by the ecosystem's estimate (ecosystem), by which each of these is faster"
        " than those that take less; cycles are our price, which it has not seen."
    )


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
    estimates = [point.ecosystem_cycles for point in front if point.ecosystem_cycles is not None]
    if estimates:
        both = [(*row, Count(round(each))) for row, each in zip(rows, estimates, strict=True)]
        return Listing((*_HEADERS, _ECOSYSTEM), both)
    if not any(point.engine for point in front):
        return Listing(_HEADERS, rows)
    makers = [
        found_text(point.engine, point.searched_bytes, point.changes)
        for point in front
        if point.engine
    ]
    named = [(*row, maker) for row, maker in zip(rows, makers, strict=True)]
    return Listing((*_HEADERS, _FOUND_BY), named)


def _found(point: FrontPoint) -> Json:
    """How a point was found, where a front is of several searches or goes by another price."""
    if point.ecosystem_cycles is not None:
        return {"ecosystem_cycles": point.ecosystem_cycles}
    if point.engine is None:
        return {}
    return {
        "engine": point.engine.value,
        "searched_bytes": point.searched_bytes,
        "changes": point.changes,
    }


def _seconds(material: Scheduled, point: FrontPoint) -> float:
    return point.cycles / material.total.clock_hz
