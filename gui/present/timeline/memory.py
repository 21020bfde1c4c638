"""Fast storage in use over time, as steps, with its limit and its peak."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from core.base.frozen import Frozen
from core.ir.layout import Common, Placement
from gui.document.answer import Answer
from gui.present.memory.ranges import limit_bytes
from gui.present.rects import Floats

_HEADROOM = 1.15
_FAR = 2.0
"""A limit this many times above the peak is only told, so that the curve is not flat."""


class Usage(Frozen, eq=False):
    """Bytes in use, step by step."""

    edge_cycle: Floats
    """When each step begins, and the end of the last; a step can have no length."""
    used_bytes: Floats
    limit_bytes: int | None
    height_bytes: int
    """What the layout takes: the peak, and what could not be filled beside it."""

    @property
    def peak_bytes(self) -> int:
        """The most that is in use at once."""
        return int(self.used_bytes.max(initial=0.0))

    def peak_text(self, size: Callable[[float], str]) -> str:
        """The peak, and what the layout takes where that is more; all views tell it alike."""
        peak = f"peak {size(self.peak_bytes)}"
        is_more = self.height_bytes > self.peak_bytes
        return f"{peak}, takes {size(self.height_bytes)}" if is_more else peak

    @property
    def peak_step(self) -> int:
        """The first step at which the most is in use."""
        return int(self.used_bytes.argmax()) if len(self.used_bytes) else 0

    @property
    def peak_cycle(self) -> float:
        """When the most is in use."""
        return float(self.edge_cycle[self.peak_step]) if len(self.edge_cycle) else 0.0

    @property
    def is_limit_far(self) -> bool:
        """Whether the limit is so far above that it is not drawn."""
        return self.limit_bytes is None or self.limit_bytes > _FAR * max(self.height_bytes, 1)

    @property
    def top_bytes(self) -> float:
        """How much the y axis shows."""
        limit = 0 if self.limit_bytes is None or self.is_limit_far else self.limit_bytes
        return max(self.height_bytes, self.peak_bytes, limit, 1) * _HEADROOM

    def step_at(self, cycle: float) -> int:
        """The step that a cycle is in."""
        position = int(np.searchsorted(self.edge_cycle, cycle, side="right")) - 1
        return min(max(position, 0), max(len(self.used_bytes) - 1, 0))


def usage_of(answer: Answer) -> Usage:
    """Fast storage in use over the cycles of an answer's trace."""
    area = answer.scheduled.layout.fast_area
    edges = answer.analysis.trace.time_cycle
    times = max(len(edges) - 1, 0)
    return Usage(
        edge_cycle=edges,
        used_bytes=used_bytes(area.placements, times, area.common),
        limit_bytes=limit_bytes(answer.scheduled, area),
        height_bytes=area.height_bytes,
    )


def used_bytes(
    placements: Iterable[Placement], times: int, common: Iterable[Common] = ()
) -> Floats:
    """Bytes in use at each time; constants of one content on one address are there once, and so is
    what two ranges have in common."""
    changes = np.zeros(times + 1)
    same: defaultdict[tuple[int, int, str], list[Placement]] = defaultdict(list)
    for place in placements:
        if place.content is not None:
            same[place.address, place.size_bytes, place.content].append(place)
        else:
            _add(changes, place.start_time, place.end_time, place.size_bytes)
    for (_, size_bytes, _), places in same.items():
        end = -1
        for place in sorted(places, key=lambda each: each.start_time):
            _add(changes, max(place.start_time, end + 1), place.end_time, size_bytes)
            end = max(end, place.end_time)
    for both in common:
        _add(changes, both.start_time, both.end_time, -both.size_bytes)
    used: Floats = np.cumsum(changes)[:times]
    return used


def _add(changes: Floats, start_time: int, end_time: int, size_bytes: int) -> None:
    last = len(changes) - 1
    if start_time <= end_time:
        changes[min(max(start_time, 0), last)] += size_bytes
        changes[min(end_time + 1, last)] -= size_bytes
