"""A few operators of a schedule are searched again, while all others stay as they are.

Both engines decide about one operator after the other, or for all at once by sums; what is left for
the better is often a matter of two or three neighbours.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence

from core.base.frozen import members, replace
from core.base.ids import FmId, NpuOpId
from core.edits.freeze import freeze
from core.ir.decisions import (
    CascadeGrown,
    Decision,
    FormatChosen,
    FormatReason,
    MapPlaced,
    SpillSolved,
    StripeTried,
)
from core.ir.edits import Edit
from core.ir.front import Point, Windows
from core.ir.schedule import Schedule
from core.ir.scheduled import Scheduled

Searching = Callable[[tuple[Edit, ...], Schedule], Scheduled | None]
"""One search with these decisions taken; None where it finds a schedule that is known."""


def searched_again(
    point: Point, windows: Windows, limit_bytes: int, search: Searching
) -> Iterator[Point]:
    """All that is faster after one more of the point's windows was searched again, each from the
    best within the limit: what has no addresses there is of use to whoever has more memory."""
    order = [plan.op for plan in point.scheduled.plans()]
    for window in windows.of(order):
        before = point.scheduled
        rest = [op for op in order if op not in window]
        edits = freeze(before.graph, before.schedule, before.target, rest)
        found = search(edits, before.schedule)
        if found is None or found.total.total_cycles >= point.cycles:
            continue
        faster = Point(
            scheduled=as_one(before, found, window), ask=point.ask, changes=point.changes + 1
        )
        yield faster
        if faster.fast_bytes <= max(limit_bytes, point.fast_bytes):
            point = faster


def as_one(before: Scheduled, found: Scheduled, window: Sequence[NpuOpId]) -> Scheduled:
    """What was found, with reasons of before for all that was only kept."""
    decisions = tuple(_decisions(before, found, frozenset(window)))
    return replace(
        found,
        options=before.options,
        edits=before.edits,
        schedule=replace(found.schedule, decisions=decisions),
    )


def _decisions(
    before: Scheduled, found: Scheduled, window: frozenset[NpuOpId]
) -> Iterator[Decision]:
    made = frozenset(found.graph.ops[op].ofm.fm for op in window)
    formats = {
        each.fm: each for each in before.schedule.decisions if isinstance(each, FormatChosen)
    }
    for each in found.schedule.decisions:
        if isinstance(each, FormatChosen):
            known = formats.get(each.fm)
            if each.reason is not FormatReason.ASKED or known is None:
                yield each
            elif known.format is each.format:
                yield known
            else:
                is_faster = found.total.total_cycles < before.total.total_cycles
                reason = FormatReason.FEWER_CYCLES if is_faster else FormatReason.LESS_MEMORY
                yield replace(each, reason=reason)
        elif _is_about(each, window, made) is not False and not _was_asked(each):
            yield each
    for each in before.schedule.decisions:
        is_format = isinstance(each, FormatChosen)
        if not is_format and _is_about(each, window, made) is False:
            yield each


def _was_asked(decision: Decision) -> bool:
    """Whether it is as it is because the parts beside it were to stay; nobody's edit did that."""
    values = members(decision).values()
    return any(isinstance(value, enum.Enum) and value.name == "ASKED" for value in values)


def _is_about(decision: Decision, window: frozenset[NpuOpId], made: frozenset[FmId]) -> bool | None:
    """Whether it is about a part of the window; None where it is about no operator or map."""
    match decision:
        case MapPlaced(fms=fms) | SpillSolved(fms=fms):
            return not made.isdisjoint(fms)
        case CascadeGrown(first=first, last=last) | StripeTried(first=first, last=last):
            return not window.isdisjoint((first, last))
        case _:
            pass
    ops = getattr(decision, "ops", None)
    if ops is not None:
        return not window.isdisjoint(ops)
    op = getattr(decision, "op", None)
    return None if op is None else op in window
