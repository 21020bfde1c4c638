"""What the rings beside an operator would take in other stripes, told while an edge is dragged."""

from __future__ import annotations

from core.api import offers
from core.base.ids import NpuOpId
from gui.document.answer import Answer
from gui.document.display import ByteUnit
from gui.present.compiled import is_compiled
from gui.present.edits.subjects import plan_of
from gui.present.units import size


def rings_preview(answer: Answer, op: NpuOpId, rows: int, unit: ByteUnit) -> str:
    """Bytes as they are and as they would be, all else as it is; empty where that is not known."""
    if is_compiled(answer):
        return ""
    now = offers.rolling_if(answer.scheduled, op, plan_of(answer, op).stripe.ofm.h)
    then = offers.rolling_if(answer.scheduled, op, rows)
    if not now:
        return ""
    told = ", ".join(
        f"{size(old.size_bytes, unit)} → {size(new.size_bytes, unit)}"
        for old, new in zip(now, then, strict=True)
    )
    more = sum(ring.size_bytes for ring in then) - sum(ring.size_bytes for ring in now)
    sign = "+" if more > 0 else "-"
    change = f" ({sign}{size(abs(more), unit)})" if more and len(now) > 1 else ""
    return f"{'ring' if len(now) == 1 else 'rings'} {told}{change}"
