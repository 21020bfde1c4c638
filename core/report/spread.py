"""The range of an answer: what it would take with somewhat other memories."""

from __future__ import annotations

from core.base.rough import rough_text
from core.ir.cost import Spread
from core.ir.robust_tried import Finalist, Regret, RobustTaken
from core.ir.scheduled import Scheduled


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


def robust_text(material: Scheduled) -> str:
    """Which finalist is taken where one was to be robust, what it loses at worst, and what the
    usual one would have; nothing where that was not asked for."""
    decisions = material.schedule.decisions
    records = (each for each in decisions if isinstance(each, RobustTaken))
    if (record := next(records, None)) is None:
        return ""
    text = f"the schedule of {record.taken.value} is taken: {_regret_text(record.of(record.taken))}"
    if record.taken is Finalist.USUAL:
        return text
    usual = _regret_text(record.of(Finalist.USUAL))
    return f"{text}; that of {Finalist.USUAL.value} takes {usual}"


def _regret_text(regret: Regret) -> str:
    crosses = ", and there is slower than it" if regret.crosses else ""
    return (
        f"{rough_text(regret.cycles)} cycles, at worst {regret.worst:.2f} of the compatible"
        f" schedule's (with {regret.memories.value}){crosses}"
    )
