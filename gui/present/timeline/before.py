"""The lanes of A under those of B: in cycles of their own, or with equal operators aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from core.api.comparisons import Comparison
from core.base.frozen import Frozen, replace
from core.ir.trace import NOTHING, Lane, Trace
from gui.document.answer import Answer
from gui.present.rects import Floats, Ints
from gui.present.timeline.data import TimelineData, timeline_data
from gui.present.timeline.memory import Usage, usage_of
from gui.present.timeline.picture import label_of
from gui.present.timeline.text import Scale

_OVERLAP = 0.1
"""So much of an operator may run beside its neighbour that they still count as apart."""
_MOMENT = 1e-3
"""Whatever ends is drawn as of so many cycles before: others may lie there before the next."""


class Before(Frozen, eq=False):
    """What is drawn of A."""

    data: TimelineData
    """With its cycles, or those of B where operators are aligned."""
    own: Trace
    """With its own cycles."""
    lanes: tuple[Lane, ...]
    """Those in which something happens."""
    partner: Ints
    """By operator of A, its partner in B; -1 for none."""
    usage: Usage
    """Its fast storage in use, over the cycles that are drawn."""

    def slices_of(self, ops: frozenset[int]) -> frozenset[int]:
        """Positions of the slices whose partners in B are these."""
        if not ops or not len(self.partner):
            return frozenset()
        op = self.own.op
        of_slice = np.where(op == NOTHING, NOTHING, self.partner[op])
        return frozenset(np.flatnonzero(np.isin(of_slice, sorted(ops))).tolist())

    def tip(self, position: int, scale: Scale) -> str:
        """What is told of a slice: its own cycles, wherever it is drawn."""
        start, end = float(self.own.start_cycle[position]), float(self.own.end_cycle[position])
        return f"A: {label_of(self.data, position)}\n{scale.time(end - start)}: " + (
            scale.stretch(start, end)
        )


def before_of(
    before: Answer, answer: Answer, found: Comparison | None, *, is_aligned: bool
) -> Before:
    """The lanes of A; until both are compared, nothing has a partner and nothing is aligned."""
    data = timeline_data(before)
    own = data.trace
    partner = np.full(len(own.op_start_cycle), NOTHING, dtype=np.int32)
    for pair in () if found is None else found.operators:
        if pair.a is not None and pair.b is not None:
            partner[list(pair.a.numbers)] = pair.b.numbers[0]
    if is_aligned and found is not None:
        data = replace(data, trace=_aligned(own, answer.analysis.trace, partner))
    busy = np.bincount(own.lane, minlength=len(Lane))
    lanes = tuple(lane for lane in Lane if busy[lane])
    usage = replace(usage_of(before), edge_cycle=data.trace.time_cycle)
    return Before(data=data, own=own, lanes=lanes, partner=partner, usage=usage)


def _aligned(own: Trace, other: Trace, partner: Ints) -> Trace:
    """A's cycles stretched, so that operators begin and end where their partners do.

    What runs at once on either side, as a cascade does, is stretched as a whole; an operator that
    runs earlier or later there is drawn there.
    """
    ops = np.flatnonzero(partner != NOTHING)
    ops = ops[np.argsort(own.op_start_cycle[ops], kind="stable")]
    in_order = _in_order(ops, own, other.op_start_cycle[partner[ops]])
    here, there = [0.0], [0.0]
    for ours, theirs in _groups(own, other, partner, in_order):
        here += ours
        there += theirs
    knots = np.maximum.accumulate(np.array(here))
    places = np.maximum.accumulate(np.array(there))

    def stretched(starts: Floats, ends: Floats, op: Ints) -> tuple[Floats, Floats]:
        first = _moved(starts, knots, places)
        last = np.maximum(_moved(ends - _MOMENT, knots, places), first)
        for each in sorted({*ops.tolist()}.difference(in_order)):
            ours, theirs = _stretch(own, each), _stretch(other, int(partner[each]))
            mine = op == each
            first[mine] = np.interp(starts[mine], ours, theirs)
            last[mine] = np.interp(ends[mine], ours, theirs)
        return first, last

    start, end = stretched(own.start_cycle, own.end_cycle, own.op)
    every = np.arange(len(own.op_start_cycle), dtype=np.int32)
    op_start, op_end = stretched(own.op_start_cycle, own.op_end_cycle, every)
    return replace(
        own,
        start_cycle=start,
        end_cycle=end,
        op_start_cycle=op_start,
        op_end_cycle=op_end,
        time_cycle=_moved(own.time_cycle, knots, places),
        end_cycle_of_all=float(_moved(np.array([own.end_cycle_of_all]), knots, places)[0]),
    )


Stretch = tuple[float, float]


def _stretch(trace: Trace, op: int) -> Stretch:
    return float(trace.op_start_cycle[op]), float(trace.op_end_cycle[op])


def _groups(
    own: Trace, other: Trace, partner: Ints, in_order: Sequence[int]
) -> Iterator[tuple[Stretch, Stretch]]:
    """From when to when operators run here and there, those that overlap together."""
    found: tuple[Stretch, Stretch] | None = None
    for op in in_order:
        ours, theirs = _stretch(own, op), _stretch(other, int(partner[op]))
        if found is None:
            found = ours, theirs
        elif _is_after(ours, found[0]) and _is_after(theirs, found[1]):
            yield found
            found = ours, theirs
        else:
            found = _joined(found[0], ours), _joined(found[1], theirs)
    if found is not None:
        yield found


def _in_order(ops: npt.NDArray[np.intp], own: Trace, starts: Floats) -> list[int]:
    """Operators that begin in this order on the other side as well, with the most cycles in all."""
    cycles = own.op_end_cycle[ops] - own.op_start_cycle[ops] + 1.0
    total, before = np.zeros(len(ops)), np.full(len(ops), NOTHING)
    for at, start in enumerate(starts.tolist()):
        upto = np.where(starts[:at] <= start, total[:at], 0.0)
        if upto.any():
            before[at] = upto.argmax()
        total[at] = cycles[at] + upto.max(initial=0.0)
    found = []
    at = int(total.argmax()) if len(ops) else NOTHING
    while at != NOTHING:
        found.append(int(ops[at]))
        at = int(before[at])
    return found[::-1]


def _is_after(later: Stretch, before: Stretch) -> bool:
    """Whether one begins when the other has ended, but for a small part of it."""
    return later[0] >= before[1] - _OVERLAP * min(later[1] - later[0], before[1] - before[0])


def _joined(one: Stretch, other: Stretch) -> Stretch:
    return min(one[0], other[0]), max(one[1], other[1])


def _moved(cycles: Floats, knots: Floats, places: Floats) -> Floats:
    """Between two knots in proportion; after the last one as far from it as before."""
    beyond = np.maximum(cycles - knots[-1], 0.0)
    moved: Floats = np.interp(cycles, knots, places) + beyond
    return moved
