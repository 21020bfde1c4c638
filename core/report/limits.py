"""What is said where a schedule needs more memory than it may use."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.decisions import SmallestMemory
from core.ir.layout import AreaLayout, MemoryLayout
from core.ir.schedule import Schedule
from core.memory.misfit import misfit_of
from core.memory.packing import Range
from core.report.ecosystem_names import AREA_TITLES
from core.report.words import kib_text
from core.target.region import Region

_MOST_NAMES, _LONGEST_NAME = 3, 24
"""Of what does not fit."""


def over_limits(schedule: Schedule, layout: MemoryLayout) -> tuple[str, ...]:
    """One line for each limit that is exceeded."""
    return tuple(_line(schedule, layout, area) for area in layout.areas if area.excess_bytes)


def least_bytes(schedule: Schedule, layout: MemoryLayout, area: AreaLayout) -> int:
    """What any schedule needs of a memory, its operators being in this order; 0 if unknown.

    That is known of a memory that has all maps, since there some of them have to exist whole.
    """
    records = [each for each in schedule.decisions if isinstance(each, SmallestMemory)]
    if not records or not {Region.SCRATCH, Region.SCRATCH_FAST}.issubset(area.regions):
        return 0
    return max(*(each.size_bytes for each in records), _outside_bytes(schedule, layout, area))


def least_text(least: int, required: int) -> str:
    """What any schedule needs, as a part of a sentence; nothing where that is not known."""
    if not least:
        return ""
    than = "less" if least >= required else f"less than {least:,}"
    return f"no schedule that keeps the order of operators needs {than}"


def misfits(layout: MemoryLayout) -> tuple[str, ...]:
    """One line for each limit of which it can be proved what has no room within it."""
    lines = (_misfit(area) for area in layout.areas if area.excess_bytes)
    return tuple(line for line in lines if line)


def _misfit(area: AreaLayout) -> str:
    if area.limit_bytes is None or area.common:
        # What ranges have in common is told of addresses, and not of what they may have.
        return ""
    ranges = [
        Range(
            name=placed.name,
            size_bytes=placed.size_bytes,
            start_time=placed.start_time,
            end_time=placed.end_time,
            alignment=placed.alignment,
        )
        for placed in area.placements
    ]
    found = [ranges[index] for index in misfit_of(ranges, area.limit_bytes)]
    if not found:
        return ""
    names = [f"'{_shortened(item.name)}' ({item.size_bytes:,})" for item in found[:_MOST_NAMES]]
    if len(found) > _MOST_NAMES:
        names.append(f"{len(found) - _MOST_NAMES:,} more")
    if len(found) == 1:
        return f"{names[0]} alone does not fit"
    return f"{', '.join(names)} do not fit beside each other, but without any of them they do"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"...{name[3 - _LONGEST_NAME :]}"


def _line(schedule: Schedule, layout: MemoryLayout, area: AreaLayout) -> str:
    needed = kib_text(area.height_bytes)
    least = least_text(least_bytes(schedule, layout, area), area.height_bytes)
    return (
        f"limit exceeded by {area.excess_bytes:,} bytes in {AREA_TITLES[area.area]}:"
        f" {area.height_bytes:,} required, {area.limit_bytes:,} allowed;"
        f" this schedule needs --arena-cache-size {area.height_bytes} ({needed})"
        + (f", and {least}" if least else "")
    )


def _outside_bytes(schedule: Schedule, layout: MemoryLayout, area: AreaLayout) -> int:
    """The most that is live while no command stream runs: maps that the CPU works on."""
    inside = {time for times in _stream_times(schedule, layout) for time in times}
    return max(
        (
            sum(
                placed.size_bytes
                for placed in area.placements
                if placed.start_time <= time <= placed.end_time
            )
            for time in {placed.start_time for placed in area.placements} - inside
        ),
        default=0,
    )


def _stream_times(schedule: Schedule, layout: MemoryLayout) -> Iterator[range]:
    for island in schedule.islands:
        first, last = island.ops[0].op, island.ops[-1].op
        # The time right behind an operator still belongs to it.
        yield range(layout.op_times[first], layout.op_times[last] + 2)
