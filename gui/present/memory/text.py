"""Sentences about a memory map: what a range is, whether a region fits, what an eviction costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api.schedules import Scheduled
from core.base.sentences import capitalised
from core.ir.layout import AreaLayout, Placement, Purpose
from core.ir.schedule import OpPlan
from core.target.region import Region
from core.target.target import Area
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display
from gui.present import units
from gui.present.memory.cut import Cut
from gui.present.memory.ghosts import Ghost
from gui.present.memory.map import AreaMap
from gui.present.memory.ranges import MemoryRange, is_permanent, limit_bytes, no_limit_text
from gui.present.memory.users import Users, listed
from gui.present.names import whole_name
from gui.theme.tones import Tone

AREA_NAMES = {
    Area.SRAM: "SRAM",
    Area.DRAM: "DRAM",
    Area.ON_CHIP_FLASH: "on-chip flash",
    Area.OFF_CHIP_FLASH: "off-chip flash",
}
_REGION_NAMES = {
    Region.SCRATCH: "scratch",
    Region.SCRATCH_FAST: "fast scratch",
    Region.SEPARATE_IO: "inputs and outputs of the application",
    Region.PERMANENT_NPU: "NPU constants",
    Region.PERMANENT_CPU: "CPU constants",
}

_KINDS = {Purpose.TABLE: "Look-up table", Purpose.RESERVED: "Reserved for others"}


def area_name(area: AreaLayout) -> str:
    """A memory, and what of it is meant: SRAM: scratch + fast scratch."""
    regions = " + ".join(_REGION_NAMES[region] for region in area.regions)
    return f"{AREA_NAMES[area.area]}: {regions}"


def verdict(scheduled: Scheduled, area: AreaLayout, unit: ByteUnit) -> str:
    """Whether an area fits its limit, and how much is missing or left."""
    limit = limit_bytes(scheduled, area)
    if limit is None:
        return units.size(area.height_bytes, unit)
    if area.excess_bytes:
        return f"{area.excess_bytes:,} B over"
    return f"fits, {units.size(limit - area.height_bytes, unit)} free"


def verdict_in_full(scheduled: Scheduled, area: AreaLayout, unit: ByteUnit) -> str:
    """Which area, and what it takes."""
    return f"{area_name(area)} {taken(scheduled, area, unit)}"


def taken(scheduled: Scheduled, area: AreaLayout, unit: ByteUnit) -> str:
    """Required, limit, and the difference, in bytes."""
    required = f"takes {units.size_exact(area.height_bytes, unit)}"
    most = limit_bytes(scheduled, area)
    if most is None:
        return f"{required}; {no_limit_text(scheduled)}."
    limit = f"the limit is {units.size_exact(most, unit)}"
    excess = area.excess_bytes
    rest = f"{excess:,} B over" if excess else f"{most - area.height_bytes:,} B free"
    return f"{required}; {limit}: {rest}."


def range_text(
    answer: Answer, drawn: AreaMap, part: MemoryRange, users: Users, display: Display
) -> str:
    """Everything about a range, line by line."""
    return "\n".join(_range_lines(answer, drawn, part, users, display))


def _range_lines(
    answer: Answer, drawn: AreaMap, part: MemoryRange, users: Users, display: Display
) -> Iterator[str]:
    scheduled, placement = answer.scheduled, part.placement
    yield scheduled.graph.titles.place(placement)
    first, last = units.address(placement.address), units.address(part.end_address - 1)
    yield f"{kind_text(scheduled, scheduled.schedule.ops, part)} · {first} to {last}"
    padding = f", of which padding {part.padding_bytes:,} B" if part.padding_bytes else ""
    yield f"{units.size_exact(placement.size_bytes, display.byte_unit)}{padding}"
    if not placement.region.is_permanent:
        yield when_text(answer, placement.start_time, placement.end_time, display)
    if drawn.limit_bytes is not None and part.end_address > drawn.limit_bytes:
        yield f"{part.end_address - drawn.limit_bytes:,} B above the limit"
    yield from _overlap_lines(scheduled, drawn, part)
    yield from _user_lines(scheduled, part, users)
    yield whole_name(placement.name)


def _overlap_lines(scheduled: Scheduled, drawn: AreaMap, part: MemoryRange) -> Iterator[str]:
    title = scheduled.graph.titles.place
    for both in drawn.area.common:
        filled, given_up = drawn.ranges[both.filled], drawn.ranges[both.given_up]
        if part is filled:
            below = title(given_up.placement)
            yield f"{both.size_bytes:,} B are written over rows of {below} that were read"
        elif part is given_up:
            yield f"{both.size_bytes:,} B are given up row by row to {title(filled.placement)}"


def _user_lines(scheduled: Scheduled, part: MemoryRange, users: Users) -> Iterator[str]:
    placement, graph = part.placement, scheduled.run.graph
    for fm in placement.fms:
        head = "" if len(placement.fms) == 1 else f"{graph.titles.map(fm)}: "
        made = f"made by {listed(users.makers[fm])}" if users.makers[fm] else ""
        read = f"read by {listed(users.readers[fm])}" if users.readers[fm] else ""
        both = "; ".join(text for text in (made, read) if text)
        if both:
            yield head + both if head else capitalised(both)
    if placement.op is not None:
        yield f"Read by {graph.titles.op(placement.op)}"
    if part.twins:
        yield f"The same bytes serve {listed(map(graph.titles.place, part.twins))}"


def kind_text(scheduled: Scheduled, plans: Sequence[OpPlan], part: MemoryRange) -> str:
    """What a range holds; the plans of all operators are given."""
    placement = part.placement
    if part.tone is Tone.ROLLING:
        shapes = [scheduled.schedule.maps[fm].rolling for fm in placement.fms]
        rows = max(shape.h for shape in shapes if shape is not None)
        return f"Rolling buffer of {units.counted(rows, 'row')}"
    if placement.purpose in _KINDS:
        return _KINDS[placement.purpose]
    if placement.op is None:
        return _map_text(scheduled, placement)
    weights = plans[placement.op].weights
    if weights is None or placement.region.is_permanent:
        return "Weights and scales"
    early = ", filled early" if weights.is_prefetched and placement.buffer == 0 else ""
    if weights.is_double_buffered:
        return f"Weight buffer {placement.buffer + 1} of {len(weights.buffer_bytes)}{early}"
    return f"Weight buffer{early}"


def _map_text(scheduled: Scheduled, placement: Placement) -> str:
    if placement.region.is_permanent:
        return "Constant"
    lives_on = scheduled.run.graph.lives_on(placement.fms)
    return "State, kept from one inference to the next" if lives_on else "Feature map"


def when_text(answer: Answer, start_time: int, end_time: int, display: Display) -> str:
    """From when to when, in times of the layout and of the clock."""
    steps = f"Steps {start_time} to {end_time}"
    cycles = answer.analysis.trace.time_cycle
    if len(cycles) < end_time + 2:
        return steps
    clock = answer.scheduled.target.system.core_clock_hz
    first, last = cycles[start_time], cycles[end_time + 1]
    begin = units.count(units.time_value(first, display.time_unit, clock))
    return f"{steps} · {begin} to {units.time(last, display.time_unit, clock)}"


def cut_title(answer: Answer, drawn: AreaMap, cut: Cut, display: Display, *, is_peak: bool) -> str:
    """What a cut through the memory adds up to."""
    if is_permanent(drawn.area):
        return f"Always: {units.size_exact(cut.live_bytes, display.byte_unit)}"
    clock = answer.scheduled.target.system.core_clock_hz
    cycles = answer.analysis.trace.time_cycle
    at = f"step {cut.time}"
    if cut.time < len(cycles):
        at += f", {units.time(cycles[cut.time], display.time_unit, clock)}"
    live = units.size_exact(cut.live_bytes, display.byte_unit)
    return f"{'Peak' if is_peak else 'Live'}: {live} at {at}"


def name_of(answer: Answer, ghost: Ghost) -> str:
    """The first of the maps that were evicted together, and how many more there are."""
    more = len(ghost.evicted.fms) - 1
    name = answer.scheduled.run.graph.titles.map(ghost.evicted.fms[0])
    return f"{name} and {more} more" if more else name


def ghost_label(answer: Answer, ghost: Ghost, display: Display) -> str:
    """What stands in a ghost."""
    texts = [name_of(answer, ghost), units.size(ghost.evicted.size_bytes, display.byte_unit)]
    if ghost.cost is not None:
        clock = answer.scheduled.target.system.core_clock_hz
        texts.append(f"costs {units.time(ghost.cost.cycles, display.time_unit, clock)}")
        texts.append(f"moves {units.size(ghost.cost.traffic_bytes, display.byte_unit)}")
        texts.append(f"{units.size(ghost.cost.live_with_it_bytes, display.byte_unit)} with it")
    return " · ".join(texts)


def ghost_text(answer: Answer, ghost: Ghost, display: Display) -> str:
    """Everything about an evicted group of maps, line by line."""
    clock = answer.scheduled.target.system.core_clock_hz
    graph = answer.scheduled.run.graph
    memory, unit = AREA_NAMES[answer.scheduled.target.arena.area], display.byte_unit
    lines = [
        f"{name_of(answer, ghost)}: evicted to {memory}",
        units.size_exact(ghost.evicted.size_bytes, unit),
        when_text(answer, ghost.start_time, ghost.end_time, display),
    ]
    if len(ghost.evicted.fms) > 1:
        lines.insert(1, f"Together with {listed(map(graph.titles.map, ghost.evicted.fms[1:]))}")
    if ghost.cost is not None:
        cost = ghost.cost
        time = units.time(cost.cycles, display.time_unit, clock)
        lines.append(f"Costs {time}, and moves {units.size_exact(round(cost.traffic_bytes), unit)}")
        lines.append(
            f"With it, {units.size_exact(cost.live_with_it_bytes, unit)} would be needed at once"
        )
    lines.append(whole_name(graph.feature_maps[ghost.evicted.fms[0]].name))
    return "\n".join(lines)


def tab_title(area: AreaLayout) -> str:
    """A memory, and what of it is meant, in few words."""
    name = AREA_NAMES[area.area]
    name = capitalised(name)
    if Region.SCRATCH_FAST in area.regions:
        return name
    return f"{name} {_REGION_NAMES[area.regions[0]]}"


def cut_summary(cut: Cut) -> str:
    """What is in a cut besides names."""
    texts = [units.counted(len(cut.contributors), "range")]
    texts.append(f"padding {cut.padding_bytes:,} B")
    texts.append(f"gaps {cut.gap_bytes:,} B")
    if cut.free_bytes is not None:
        above = cut.free_bytes < 0
        texts.append(
            f"above the limit {-cut.free_bytes:,} B" if above else f"free {cut.free_bytes:,} B"
        )
    return " · ".join(texts)


def legend(drawn: AreaMap, cut: Cut, ghosts: int, unit: ByteUnit) -> list[tuple[Tone, str]]:
    """What each colour of a map stands for, and how much of it is live in a cut."""
    live = dict(cut.by_tone)
    found = {part.tone for part in drawn.ranges}
    if drawn.padding.count:
        found.add(Tone.PADDING)
    entries = []
    for tone in Tone:
        if tone in found:
            amount = f" {units.size(live[tone], unit)}" if live.get(tone) else ""
            entries.append((tone, f"{tone.value}{amount}"))
    if drawn.over.count:
        entries.append((Tone.OVER, Tone.OVER.value))
    if drawn.shared.count:
        entries.append((Tone.SHARED, Tone.SHARED.value))
    if ghosts:
        entries.append((Tone.GHOST, f"{ghosts:,} {Tone.GHOST.value}"))
    return entries


def map_summary(scheduled: Scheduled, drawn: AreaMap, ghosts: int, unit: ByteUnit) -> str:
    """A map in words, for those who cannot see it."""
    evicted = f" {units.counted(ghosts, 'group')} of feature maps evicted." if ghosts else ""
    count = units.counted(len(drawn.ranges), "range")
    return f"{verdict_in_full(scheduled, drawn.area, unit)} {count}.{evicted}"
