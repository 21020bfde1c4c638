"""Slices of a cascade: the stripes of its operators in the order in which they run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import NamedTuple
from core.cost.trace_dma import DmaIn, Stretch
from core.cost.trace_operator import Member, bring_first
from core.cost.trace_slices import Cycles
from core.ir.schedule import OpPlan
from core.ir.trace import Activity, CascadeSteps, Lane
from core.target.unit import Unit

Integers = npt.NDArray[np.int64]


class _Stripes(NamedTuple):
    """The stripes of a cascade in their order."""

    member: Integers
    stripe: Integers
    share: Cycles
    """Of the rows of its operator."""
    starts: Cycles
    ends: Cycles


def is_traceable(members: Sequence[Member], steps: CascadeSteps) -> bool:
    """Whether each operator makes something; what is empty has no stripes."""
    return {step.op for step in steps.steps if step.end_row > step.first_row} == {
        member.op.id for member in members
    }


def trace_cascade(
    dma: DmaIn, members: Sequence[Member], steps: CascadeSteps, window: Stretch
) -> list[Stretch]:
    """Write down all that happens while a cascade runs; from when to when each operator does."""
    stripes = _stripes(members, steps, window)
    count = len(members)
    _, firsts = np.unique(stripes.member, return_index=True)
    _, lasts = np.unique(stripes.member[::-1], return_index=True)
    starts = stripes.starts[firsts].tolist()
    ends = stripes.ends[::-1][lasts].tolist()
    windows = [Stretch(starts[place], ends[place]) for place in range(count)]
    copying = np.array([member.op.kind.unit is Unit.DMA for member in members])
    lanes = np.array([int(member.lane) for member in members])
    arriving = (copying & (lanes == Lane.DMA_IN))[stripes.member]
    dma.keep_off(stripes.starts[arriving], stripes.ends[arriving])
    for member, own in zip(members, windows, strict=True):
        bring_first(dma, member.op, member.plan, own)
    _add(dma, members, stripes, lanes, copying)
    if arriving.any():
        dma.occupy(float(stripes.ends[arriving][-1]))
    return windows


def _stripes(members: Sequence[Member], steps: CascadeSteps, window: Stretch) -> _Stripes:
    table = np.array(steps.steps, dtype=np.int64)
    places = {member.op.id: place for place, member in enumerate(members)}
    member = np.array([places[op] for op in table[:, 0].tolist()])
    rows = (table[:, 3] - table[:, 2]).astype(np.float64)
    share = rows / np.bincount(member, rows)[member]
    totals = np.array([each.total_cycles for each in members])
    edges = window.start + np.concatenate([[0.0], np.cumsum(totals[member] * share)])
    # Sums of fractions can miss the end by a little.
    edges = np.minimum(edges, window.end)
    edges[-1] = window.end
    return _Stripes(member, table[:, 1], share, edges[:-1], edges[1:])


def _add(
    dma: DmaIn, members: Sequence[Member], stripes: _Stripes, lanes: Integers, copying: Cycles
) -> None:
    """Each stripe computes and waits for its share of both; the first one waits for weights."""
    member, starts, ends = stripes.member, stripes.starts, stripes.ends
    totals = np.array([each.total_cycles for each in members])
    own = np.where(copying, totals, [each.own_cycles for each in members])
    waits = (totals - own > 1e-6)[member]
    awaited = [_awaits_weights(each.plan) for each in members]
    waits_first = waits & (stripes.stripe == 0) & np.array(awaited)[member]
    waiting = np.where(waits, (totals - own)[member] * stripes.share, 0.0)
    middle = np.where(waits_first, starts + waiting, ends - waiting)
    middle = np.clip(middle, starts, ends)
    ops = np.array([each.op.id for each in members])[member]
    activity = np.where(copying, int(Activity.COPY), int(Activity.COMPUTE))[member]
    dma.slices.add_stripes(
        lanes[member],
        activity,
        np.where(waits_first, middle, starts),
        np.where(waits_first, ends, middle),
        ops,
        stripes.stripe,
    )
    dma.slices.add_stripes(
        lanes[member][waits],
        np.full(int(waits.sum()), int(Activity.STALL)),
        np.where(waits_first, starts, middle)[waits],
        np.where(waits_first, middle, ends)[waits],
        ops[waits],
        stripes.stripe[waits],
    )


def _awaits_weights(plan: OpPlan) -> bool:
    weights = plan.weights
    return weights is not None and bool(weights.buffer_bytes) and not weights.is_prefetched
