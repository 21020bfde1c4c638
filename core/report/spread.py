"""The range of an answer: what it would take with somewhat other memories."""

from __future__ import annotations

from typing import Any

from core.base.rough import rough_text
from core.cost.spread import spread_of
from core.ir.cost import Spread
from core.ir.scheduled import Scheduled
from core.report import schedule_json

Json = dict[str, Any]


def range_text(spread: Spread) -> str:
    """From the least to the most, with one letter where both have the same."""
    low, high = rough_text(spread.low_cycles), rough_text(spread.high_cycles)
    if low == high:
        return high
    (first, _, letter), (_, _, other) = low.partition(" "), high.partition(" ")
    return f"{first if letter == other else low} to {high}"


def cases_text(spread: Spread) -> str:
    """What each of the other memories comes to."""
    return ", ".join(f"{case.title} {rough_text(case.cycles)}" for case in spread.cases)


def describe(material: Scheduled) -> Json:
    """A schedule as it is written to a file: with its range."""
    return schedule_json.describe(material) | describe_spread(material)


def describe_spread(material: Scheduled) -> Json:
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
