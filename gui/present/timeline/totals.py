"""What happens in a stretch of time, in sum."""

from __future__ import annotations

import numpy as np

from core.base.frozen import Frozen
from core.ir.trace import NOTHING, Activity, Lane, Trace
from core.target.target import Area
from gui.document.answer import Answer
from gui.document.display import Span
from gui.present.rects import Floats


class Totals(Frozen):
    """Sums over a stretch of time."""

    span: Span
    ops: int
    """NPU operators that run in it, wholly or in part."""
    cpu_ops: int
    lane_cycles: tuple[float, ...]
    """Cycles in which each lane works, in the order of `Lane`; stalls are not work."""
    stall_cycles: float
    moved_bytes: tuple[tuple[Area, float], ...]
    """By memory; an operator that is partly inside counts by its share of time."""
    share: float
    """Of the whole run."""


def totals_of(answer: Answer, span: Span) -> Totals:
    """The sums over a stretch of an answer's trace."""
    trace = answer.analysis.trace
    inside = _inside(trace.start_cycle, trace.end_cycle, span)
    is_stall = trace.activity == Activity.STALL
    work = np.bincount(trace.lane, weights=np.where(is_stall, 0.0, inside), minlength=len(Lane))
    is_marker = (trace.cpu_op != NOTHING) & (trace.start_cycle >= span.start_cycle)
    is_marker &= trace.start_cycle <= span.end_cycle
    shares = op_shares(trace, span)
    whole = trace.end_cycle_of_all
    return Totals(
        span=span,
        ops=int(np.count_nonzero(shares)),
        cpu_ops=len(np.unique(trace.cpu_op[is_marker])),
        lane_cycles=tuple(float(cycles) for cycles in work),
        stall_cycles=float(inside[is_stall].sum()),
        moved_bytes=_moved(answer, shares),
        share=float(_inside(np.zeros(1), np.full(1, whole), span)[0]) / whole if whole else 0.0,
    )


def op_shares(trace: Trace, span: Span) -> Floats:
    """By operator, which part of its time is inside a stretch."""
    lengths = trace.op_end_cycle - trace.op_start_cycle
    inside = _inside(trace.op_start_cycle, trace.op_end_cycle, span)
    is_in = (trace.op_start_cycle >= span.start_cycle) & (trace.op_end_cycle <= span.end_cycle)
    partly = inside / np.maximum(lengths, np.finfo(float).tiny)
    shares: Floats = np.where(is_in, 1.0, partly)
    return shares


def _inside(start: Floats, end: Floats, span: Span) -> Floats:
    lengths: Floats = np.minimum(end, span.end_cycle) - np.maximum(start, span.start_cycle)
    return np.maximum(lengths, 0.0)


def _moved(answer: Answer, shares: Floats) -> tuple[tuple[Area, float], ...]:
    moved = dict.fromkeys(Area, 0.0)
    for op in np.flatnonzero(shares):
        for part in answer.scheduled.costs[op].traffic:
            moved[part.area] += part.size_bytes * float(shares[op])
    return tuple((area, size_bytes) for area, size_bytes in moved.items() if size_bytes)
