"""What would lie elsewhere if something else were decided, where it would lie."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from core.base.frozen import replace
from core.ir.layout import MemoryLayout, Placement
from gui.document.trial import Trial
from gui.present.memory.differences import NO_OUTLINES, Clock, Outlines, boxes_of
from gui.present.memory.map import AreaMap
from gui.present.memory.ranges import is_permanent
from gui.present.units import counted


def moved_between(now: MemoryLayout, then: MemoryLayout) -> tuple[Placement, ...]:
    """Ranges of another layout of the same network that this one has not or has elsewhere, in
    fast storage or beside it, with the times of this one."""
    before = {own: _place(each) for each in _changing(now) for own in _owners(each)}
    clock = Clock.by(zip(then.op_times, now.op_times, strict=True))
    last = now.end_time
    return tuple(
        replace(
            each,
            start_time=min(round(clock.start(each.start_time)), last),
            end_time=min(round(clock.end(each.end_time)), last),
        )
        for each in _changing(then)
        if any(before.get(own) != _place(each) for own in _owners(each))
    )


def moved_text(moved: Sequence[Placement]) -> str:
    """How many of them there are, by what they hold."""
    maps = sum(bool(each.fms) for each in moved)
    parts = [counted(maps, "map")] if maps else []
    if others := len(moved) - maps:
        parts.append(counted(others, "buffer"))
    return f"moves {' and '.join(parts)}" if parts else "moves nothing"


def outlines_ahead(trial: Trial | None, drawn: AreaMap) -> Outlines:
    """Where that would lie of what a trial moves which is in a memory then."""
    moved = () if trial is None else trial.moved
    here = [each for each in moved if each.region in drawn.area.regions]
    rows = [(each.start_time, each.end_time, each.address, each.size_bytes) for each in here]
    return replace(NO_OUTLINES, ahead=boxes_of(rows, drawn.edges))


def _changing(layout: MemoryLayout) -> Iterator[Placement]:
    """What is not in the file as it is."""
    for area in layout.areas:
        if not is_permanent(area):
            yield from area.placements


def _owners(placement: Placement) -> tuple[Hashable, ...]:
    """What has these bytes."""
    if placement.fms:
        return placement.fms
    return ((placement.purpose, placement.op, placement.buffer, placement.name),)


def _place(placement: Placement) -> tuple[object, ...]:
    return placement.region, placement.address, placement.size_bytes
