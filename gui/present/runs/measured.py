"""Measured cycles beside estimated ones: a lane, and what is told of an import; no Qt."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.problem import Lasts, Problem
from gui.present import units
from gui.present.rects import Floats, Ints

KEY = "measured"
"""Of the message about the last import."""
_MOST_TOLD = 12


class MeasuredLane(Frozen, eq=False):
    """Measured operators one after the other; what was not measured leaves its estimate free."""

    op: Ints
    start_cycle: Floats
    end_cycle: Floats


def measured_lane(answer: Answer) -> MeasuredLane | None:
    """The lane of an answer; None where nothing was measured."""
    if answer.measured is None or not answer.measured.rows:
        return None
    cycles = answer.measured.cycles_of
    order = [plan.op for plan in answer.scheduled.plans()]
    lasts = np.array(
        [cycles.get(op, answer.scheduled.costs[op].total_cycles) for op in order],
        dtype=np.float64,
    )
    ends = np.cumsum(lasts)
    known = np.array([op in cycles for op in order], dtype=np.bool_)
    return MeasuredLane(
        op=np.array(order, dtype=np.int32)[known],
        start_cycle=(ends - lasts)[known],
        end_cycle=ends[known],
    )


def ratio_text(answer: Answer, op: NpuOpId) -> str:
    """How a measurement stands to its estimate; empty where there is none."""
    measured = None if answer.measured is None else answer.measured.cycles_of.get(op)
    estimate = answer.scheduled.costs[op].total_cycles
    if measured is None:
        return ""
    told = f"measured {units.count(measured)} cycles"
    return f"{told}, {units.share(measured / estimate)} of the estimate" if estimate else told


def imported(name: str, answer: Answer) -> Problem:
    """What an import came to: a note where every row is a measurement of an operator."""
    measured = answer.measured
    assert measured is not None
    count = units.counted(len(measured.rows), "operator")
    parts = [f"{name}: cycles of {count} of {len(answer.scheduled.run.graph.ops):,}"]
    if measured.unmatched:
        parts.append(
            f"{units.counted(len(measured.unmatched), 'row')} could not be matched:"
            f" {'; '.join(_unmatched(answer))}"
        )
    return Problem(
        key=KEY,
        message=f"{'. '.join(parts)}.",
        is_note=not measured.unmatched,
        lasts=Lasts.MODEL,
    )


def _unmatched(answer: Answer) -> Iterator[str]:
    assert answer.measured is not None
    rows = answer.measured.unmatched
    for row in rows[:_MOST_TOLD]:
        yield f"line {row.line}, '{row.label}': {row.reason}"
    if len(rows) > _MOST_TOLD:
        yield f"and {len(rows) - _MOST_TOLD:,} more"


def refused(name: str, reason: str) -> Problem:
    """Why a file has no measurements."""
    return Problem(key=KEY, message=f"{name}: {reason}.", lasts=Lasts.MODEL)
