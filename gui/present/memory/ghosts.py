"""Feature maps that could be in fast storage and are not: ghosts in a lane of their own."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from core.api.schedules import Scheduled
from core.base.frozen import Frozen, replace
from core.ir.schedule import Evicted, IslandSchedule
from core.ir.trace import EvictionCost
from core.target.region import Region
from gui.document.answer import Answer
from gui.present.memory.map import AreaMap
from gui.present.rects import Floats, Rects
from gui.theme.tones import Tone

_GAP = 0.08
"""Part of a row that separates it from the next."""


class Ghost(Frozen):
    """An evicted group of feature maps; times are the network's."""

    evicted: Evicted
    cost: EvictionCost | None
    start_time: int
    end_time: int
    row: int = 0


def island_start(scheduled: Scheduled, island: IslandSchedule) -> int:
    """When an island begins, counted from the start of the network."""
    if not island.ops:
        return 0
    first = island.ops[0]
    return scheduled.layout.op_times[first.op] - first.time


def ghosts_of(answer: Answer, drawn: AreaMap) -> tuple[Ghost, ...]:
    """What would have been in this memory, in rows without overlap, by the time it begins."""
    if Region.SCRATCH_FAST not in drawn.area.regions:
        return ()
    scheduled = answer.scheduled
    costs = {(cost.island, cost.position): cost for cost in answer.analysis.evictions}
    found = [
        Ghost(
            evicted=evicted,
            cost=costs.get((island.island, position)),
            start_time=evicted.start_time + start,
            end_time=evicted.end_time + start,
        )
        for island in scheduled.schedule.islands
        for start in (island_start(scheduled, island),)
        for position, evicted in enumerate(island.evicted)
    ]
    return _stacked(found)


def _stacked(ghosts: Sequence[Ghost]) -> tuple[Ghost, ...]:
    """The same with rows: each gets the lowest that is free when it begins."""
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    rows = 0
    placed = []
    for ghost in sorted(ghosts, key=lambda ghost: (ghost.start_time, -ghost.end_time)):
        while busy and busy[0][0] < ghost.start_time:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            row = heapq.heappop(free)
        else:
            row, rows = rows, rows + 1
        heapq.heappush(busy, (ghost.end_time, row))
        placed.append(replace(ghost, row=row))
    return tuple(placed)


def ghost_rects(ghosts: Sequence[Ghost], edges: Floats, labels: Sequence[str]) -> Rects:
    """One rectangle for each; y counts rows."""
    rows = np.array([ghost.row for ghost in ghosts], dtype=np.int32)
    floors = rows.astype(np.float64)
    return Rects(
        left=edges[[ghost.start_time for ghost in ghosts]],
        right=edges[[ghost.end_time + 1 for ghost in ghosts]],
        bottom=floors + _GAP / 2,
        top=floors + (1.0 - _GAP / 2),
        ink=np.zeros(len(ghosts), dtype=np.uint8),
        key=np.arange(len(ghosts), dtype=np.int32),
        row=rows,
        inks=(Tone.GHOST.value,),
        labels=labels,
    )


def row_count(ghosts: Sequence[Ghost]) -> int:
    """How many rows they take."""
    return max((ghost.row + 1 for ghost in ghosts), default=0)
