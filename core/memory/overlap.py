"""Which ranges are live together, and the lowest place that such neighbours leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.base.geometry import round_up
from core.memory.packing import Range


def neighbours_of(ranges: Sequence[Range]) -> tuple[tuple[int, ...], ...]:
    """For each range those that are live with it, in ascending order; empty ones have none."""
    found: list[list[int]] = [[] for _ in ranges]
    live: list[int] = []
    order = sorted(range(len(ranges)), key=lambda index: (ranges[index].start_time, index))
    for index in order:
        item = ranges[index]
        if not item.size_bytes:
            continue
        live = [other for other in live if ranges[other].end_time >= item.start_time]
        for other in live:
            found[other].append(index)
        found[index] = list(live)
        live.append(index)
    return tuple(tuple(sorted(each)) for each in found)


def lowest_fit(taken: Iterable[tuple[int, int]], size_bytes: int, alignment: int) -> int:
    """The lowest aligned address of a gap of this size between (begin, end) pairs."""
    address = 0
    for begin, end in sorted(taken):
        if begin >= address + size_bytes:
            break
        if end > address:
            address = round_up(end, alignment)
    return address


def parts(ranges: Sequence[Range]) -> Iterator[tuple[int, ...]]:
    """Ranges that hang together in time, in their order; empty ones belong to no part."""
    part: list[int] = []
    last = 0
    for index in sorted(range(len(ranges)), key=lambda each: (ranges[each].start_time, each)):
        item = ranges[index]
        if not item.size_bytes:
            continue
        if part and item.start_time > last:
            yield tuple(sorted(part))
            part = []
        last = max(last, item.end_time) if part else item.end_time
        part.append(index)
    if part:
        yield tuple(sorted(part))
