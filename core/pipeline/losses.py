"""Bytes that addresses lose: who runs where they do takes less, and nobody else.

What is live at once can be within a limit that its addresses are above, as bytes between ranges are
lost: of four maps in a row, each written over rows of the one before, the last begins three leads
below the first, and what lies beside the second has room on neither side. The search knows nothing
of addresses, but it can be told where they were too high.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.base.geometry import ceil_div
from core.base.ids import NpuOpId
from core.ir.layout import MemoryLayout, Placement
from core.ir.schedule import Schedule

Losses = Mapping[NpuOpId, int]
"""By operator: bytes within the limit that are of no use while it runs."""


def losses(found: Schedule, layout: MemoryLayout, known: Losses) -> Losses:
    """What has to be left free so that what stands highest sinks halfway to the limit.

    That is asked of the operator beside which most is live. The rest may sink with it, and half of
    what is above the limit may be enough, so the next answer is looked at before more is asked.
    """
    area, result = layout.fast_area, dict(known)
    top = max((_end(item) for item in area.placements), default=0)
    if area.limit_bytes is None or top <= area.limit_bytes:
        return result
    live = {plan.op: island.snapshot[plan.time] for island in found.islands for plan in island.ops}
    for placement in area.placements:
        fullest = _fullest(placement, layout, live)
        if _end(placement) == top and fullest is not None:
            needed = area.limit_bytes - live[fullest] + ceil_div(top - area.limit_bytes, 2)
            result[fullest] = max(result.get(fullest, 0), needed)
    return result


def _end(placement: Placement) -> int:
    return placement.address + placement.size_bytes


def _fullest(placement: Placement, layout: MemoryLayout, live: Losses) -> NpuOpId | None:
    """The operator that runs beside a range with the most that is live."""
    times = range(placement.start_time, placement.end_time + 1)
    beside = (op for op in live if layout.op_times[op] in times)
    return max(beside, key=lambda op: live[op], default=None)
