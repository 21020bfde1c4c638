"""A schedule as it is written to a file: with the range of its answer."""

from __future__ import annotations

from typing import Any

from core.cost.spread import spread_of
from core.ir.scheduled import Scheduled
from core.report import schedule_json

Json = dict[str, Any]


def describe(material: Scheduled) -> Json:
    """All of a schedule, and what it would take with somewhat other memories."""
    return schedule_json.describe(material) | _describe_spread(material)


def _describe_spread(material: Scheduled) -> Json:
    """The range as a part of a schedule's JSON."""
    spread = spread_of(material)
    if spread is None:
        return {"range": None}
    return {
        "range": {
            "low_cycles": spread.low_cycles,
            "high_cycles": spread.high_cycles,
            "cases": [{"memories": case.title, "cycles": case.cycles} for case in spread.cases],
        }
    }
