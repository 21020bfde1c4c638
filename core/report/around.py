"""What edits around a schedule that was shown have changed: the price, and what had to follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from core.base.harmless import visible
from core.edits.plain import subject_to_plain, value_to_plain
from core.ir.edits import OpsNamed, What
from core.ir.scheduled import Scheduled
from core.ir.shown import Around, Cause, Decided, Followed, Sum
from core.report.edits import subject_text, value_text
from core.report.naming import Call, titled
from core.report.words import counted

Json = dict[str, Any]

CAUSES: Mapping[Cause, str] = {
    Cause.SAME_OPERATOR: "it is the operator that is edited",
    Cause.SAME_BYTES: "it shares bytes with the map that is edited",
    Cause.TOUCHES: "it makes or reads the map that is edited",
    Cause.RING: "its cascade hands on other rows",
    Cause.REGROUPED: "its cascade is another one",
    Cause.BESIDE: "it runs beside what is decided anew",
    Cause.ORDER: "it stands beside an operator that runs at another time",
    Cause.ROOM: "its address makes room",
}
"""Why something has followed."""
_MOST_ROWS = 12


def describe_around(around: Around) -> Json:
    """What was shown took, what has followed, and what a new search comes to."""
    return {
        **_describe_sum(around.ground),
        "followed": [
            {
                "subject": subject_to_plain(each.subject),
                "what": each.what.value,
                "before": _plain(each.before),
                "now": _plain(each.now),
                "because": each.cause.value,
            }
            for each in around.followed
        ],
        "anew": None if around.anew is None else _describe_sum(around.anew),
    }


def _describe_sum(found: Sum) -> Json:
    return {
        "cycles": found.cycles,
        "fast_storage_bytes": found.fast_bytes,
        "evicted_bytes": found.evicted_bytes,
        "is_within_limits": found.is_within_limits,
    }


def _plain(value: Decided) -> Any:
    if value is None:
        return None
    return subject_to_plain(value) if isinstance(value, OpsNamed) else value_to_plain(value)


def around_text(material: Scheduled) -> str:
    """The same in a few lines; nothing of a schedule that edits are not around."""
    around = material.around
    return "" if around is None else "\n".join(map(visible, _lines(material, around)))


def _lines(material: Scheduled, around: Around) -> Iterator[str]:
    cycles, before = material.total.total_cycles, around.ground.cycles
    yield (
        f"{cycles_against(cycles, before)} against what was shown"
        f" ({round(before):,} to {round(cycles):,}),"
        f" fast storage {around.ground.fast_bytes:,} to {material.fast_bytes:,} bytes"
    )
    yield from followed_lines(around.followed, titled(material.graph))
    if around.anew is not None:
        yield anew_text(cycles, around.anew)


def cycles_against(now: float, before: float) -> str:
    """A difference in cycles, with its share."""
    change = round(now) - round(before)
    if not change:
        return "no cycle more or less"
    share = f" ({(now - before) / before:+.2%})" if before else ""
    return f"{change:+,} cycles{share}"


def followed_lines(followed: tuple[Followed, ...], call: Call) -> Iterator[str]:
    """What had to follow, first how much that is; addresses are counted alone."""
    moved = sum(each.what is What.ADDRESS for each in followed)
    rest = [each for each in followed if each.what is not What.ADDRESS]
    counts = Counter(each.cause for each in rest)
    because = "; ".join(f"{counts[cause]:,} since {CAUSES[cause]}" for cause in counts)
    yield f"what followed: {counted(len(rest), 'decision')}" + (f" ({because})" if rest else "")
    for each in rest[:_MOST_ROWS]:
        yield f"   {followed_text(each, call)}"
    if len(rest) > _MOST_ROWS:
        yield f"   and {len(rest) - _MOST_ROWS:,} more"
    if moved:
        yield f"addresses that made room: {moved:,}"
    yield "all else is as it was shown"


def followed_text(each: Followed, call: Call) -> str:
    """One decision that followed, before and now."""
    before, now = (_words(each.what, value, call) for value in (each.before, each.now))
    return f"{each.what.value} of {subject_text(each.subject, call)}: {before}, now {now}"


def _words(what: What, value: Decided, call: Call) -> str:
    if value is None:
        return "none"
    if isinstance(value, OpsNamed):
        return subject_text(value, call)
    return value_text(what, value, call)


def anew_text(cycles: float, anew: Sum) -> str:
    """What it would bring to search the rest anew."""
    over = "" if anew.is_within_limits else ", above the limit"
    against = cycles_against(anew.cycles, cycles)
    return f"with the rest searched anew: {against}, {anew.fast_bytes:,} bytes{over}"
