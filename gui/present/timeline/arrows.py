"""Handovers as arrows between lanes: from where the maker ends to where the reader begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.frozen import NamedTuple
from core.ir.trace import NOTHING, Activity, Lane
from gui.document.selection import Selection
from gui.present.timeline.data import TimelineData
from gui.present.timeline.dependencies import Handover
from gui.present.timeline.rows import Rows


class Arrow(NamedTuple):
    """From one point to another, in the data's coordinates."""

    from_x: float
    from_y: float
    to_x: float
    to_y: float


_WORKS = (Activity.COMPUTE, Activity.CPU)


def arrows(handed: Sequence[Handover], data: TimelineData, rows: Rows | None) -> tuple[Arrow, ...]:
    """One for each whose both ends are in rows that are in sight."""
    found = []
    for maker, reader in handed:
        start, end = _ends(data, rows, maker), _ends(data, rows, reader)
        if start is not None and end is not None:
            # In a cascade the reader begins before the maker has ended.
            left = min(start[1], end[0])
            found.append(Arrow(left, start[2], end[0], end[2]))
    return tuple(found)


def _ends(
    data: TimelineData, rows: Rows | None, node: Selection
) -> tuple[float, float, float] | None:
    """When who runs begins and ends to work, and where its row is."""
    trace = data.trace
    is_own = trace.cpu_op == node.cpu_op if node.op is None else trace.op == node.op
    slices = np.flatnonzero(is_own & np.isin(trace.activity, _WORKS))
    if rows is None or not len(slices) or int(trace.lane[slices[0]]) == NOTHING:
        return None
    row = rows.lanes.get(Lane(int(trace.lane[slices[0]])))
    if row is None:
        return None
    start, end = trace.start_cycle[slices].min(), trace.end_cycle[slices].max()
    return float(start), float(end), row.middle
