"""What sets how high a rolling buffer is, in a sentence."""

from __future__ import annotations

from core.base.ids import FmId
from core.ir.schedule import Cascade, IslandSchedule
from core.liveness.stripes import RingPeak, players_of, ring_peaks
from core.report.why.facts import Facts
from core.report.words import counted


def ring_text(facts: Facts, fm: FmId) -> str:
    """Who waits for whom when a buffer is fullest, after a space; empty for maps without one."""
    for island in facts.material.schedule.islands:
        for cascade in island.cascades:
            rows = {buffer.fm: buffer.shape.h for buffer in cascade.buffers}
            if fm in rows:
                found = _text(facts, cascade, _peak(facts, island, cascade, fm), rows[fm])
                return f" What sets it: {found}."
    return ""


def _peak(facts: Facts, island: IslandSchedule, cascade: Cascade, fm: FmId) -> RingPeak:
    heights = {plan.op: plan.stripe.ofm.h for plan in island.ops}
    ops = [facts.op(op) for op in cascade.ops]
    rings = {buffer.fm for buffer in cascade.buffers}
    return ring_peaks(players_of(ops, [heights[op.id] for op in ops], rings))[fm]


def _text(facts: Facts, cascade: Cascade, peak: RingPeak, height: int) -> str:
    maker = facts.op_name(cascade.ops[peak.maker])
    if peak.reader is None:
        text = f"{maker} makes {counted(peak.height, 'row')} at once"
    else:
        reader = facts.op_name(cascade.ops[peak.reader])
        text = (
            f"when {maker} makes row {peak.rows.end - 1:,}, {reader} has yet to read row"
            f" {peak.rows.first:,}"
        )
    more = height - peak.height
    if more <= 0:
        return text
    return f"{text}; {counted(more, 'row')} more than that {'is' if more == 1 else 'are'} kept"
