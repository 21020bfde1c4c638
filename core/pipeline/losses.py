"""Bytes that addresses lose: who runs where they do takes less, and nobody else.

What is live at once can be within a limit that its addresses are above, as bytes between ranges are
lost: of four maps in a row, each written over rows of the one before, the last begins three leads
below the first, and what lies beside the second has room on neither side. The search knows nothing
of addresses, but it can be told where they were too high.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from core.base.geometry import ceil_div
from core.base.ids import NpuOpId
from core.ir.layout import AreaLayout, MemoryLayout, Placement
from core.ir.schedule import Schedule

Losses = Mapping[NpuOpId, int]
"""By operator: bytes within the limit that are of no use while it runs."""


def next_losses(
    found: Schedule, layout: MemoryLayout, known: Losses, useless: Container[NpuOpId]
) -> Losses | None:
    """What has to be left free so that what stands highest sinks halfway to the limit.

    One more operator is asked than is known, and none that is of no use: the one with most that is
    live, beside what stands highest or what lies below it and is filled as that is given up. The
    rest may sink with it, and half of what is above the limit may be enough, so the next answer is
    looked at before more is asked.
    """
    area = layout.fast_area
    if area.limit_bytes is None or not area.excess_bytes:
        return None
    live = {plan.op: island.snapshot[plan.time] for island in found.islands for plan in island.ops}
    beside = [item for index in _highest(area) for item in _followers(index, area)]
    for op in _fullest(beside, layout, live):
        needed = area.limit_bytes - live[op] + ceil_div(area.excess_bytes, 2)
        if needed > known.get(op, 0) and op not in useless:
            return {**known, op: needed}
    return None


def is_lower(area: AreaLayout, other: AreaLayout) -> bool:
    """Whether its top is lower, or as high and fewer ranges reach it."""
    one, two = ((each.height_bytes, len(_highest(each))) for each in (area, other))
    return one < two


def _highest(area: AreaLayout) -> list[int]:
    return [
        index
        for index, item in enumerate(area.placements)
        if item.address + item.size_bytes == area.height_bytes
    ]


def _followers(index: int, area: AreaLayout) -> Iterator[Placement]:
    """A range, and those below it that are filled as it is given up, as these are."""
    filled = {each.given_up: each.filled for each in area.common}
    lower: int | None = index
    while lower is not None:
        yield area.placements[lower]
        lower = filled.get(lower)


def _fullest(placements: Iterable[Placement], layout: MemoryLayout, live: Losses) -> list[NpuOpId]:
    """Who runs beside some ranges, with the most that is live first, and of equals the last; the
    first operator of a cascade stands for all, as they run at one time."""
    times = {time for each in placements for time in range(each.start_time, each.end_time + 1)}
    first: dict[int, NpuOpId] = {}
    for op in live:
        if layout.op_times[op] in times:
            first.setdefault(layout.op_times[op], op)
    return [first[time] for time in sorted(first, key=lambda at: (live[first[at]], at))[::-1]]
