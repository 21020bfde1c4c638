"""What stands on the lanes of a trace: slices, none of which overlaps another one of its lane."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.base.frozen import Changing, Frozen, NamedTuple, field

Json = dict[str, Any]

_NS_PER_SECOND = 1e9
_NS_PER_TICK = 1000


class Clock(Frozen):
    """Cycles as the ticks of a trace, which are microseconds.

    Viewers keep whole nanoseconds. Cycles are rounded to them here, so that what touches keeps
    touching, and nothing that did not overlap begins to.
    """

    clock_hz: float

    def nanosecond(self, cycle: float) -> int:
        """The nanosecond of a cycle; never earlier for a later cycle."""
        return round(cycle * _NS_PER_SECOND / self.clock_hz)

    @staticmethod
    def ticks(nanoseconds: int) -> float:
        """Nanoseconds as a trace writes them."""
        return nanoseconds / _NS_PER_TICK


class Slice(NamedTuple):
    """Something that takes time; without a length it is a moment."""

    name: str
    category: str
    start_cycle: float
    end_cycle: float
    details: Mapping[str, object]


class Lane(Changing):
    """One line of slices in a viewer."""

    title: str
    process: int
    slices: list[Slice] = field(default_factory=list)


def lanes_of(title: str, process: int, slices: Iterable[Slice]) -> list[Lane]:
    """Slices on as few lanes as they need; the second and further ones are numbered."""
    lanes: list[Lane] = []
    idle: list[int] = []
    busy: list[tuple[float, int]] = []
    for item in sorted(slices, key=lambda item: (item.start_cycle, item.end_cycle)):
        while busy and busy[0][0] <= item.start_cycle:
            heapq.heappush(idle, heapq.heappop(busy)[1])
        if not idle:
            number = len(lanes)
            lanes.append(Lane(title if not number else f"{title} ({number + 1})", process))
            idle.append(number)
        number = heapq.heappop(idle)
        lanes[number].slices.append(item)
        heapq.heappush(busy, (item.end_cycle, number))
    return lanes


def lane_events(lanes: Iterable[Lane], clock: Clock) -> Iterator[Json]:
    """The slices of all lanes; a lane's number is its place among them, from 1 on."""
    for number, lane in enumerate(lanes, 1):
        for item in lane.slices:
            start, end = clock.nanosecond(item.start_cycle), clock.nanosecond(item.end_cycle)
            where = {"pid": lane.process, "tid": number, "ts": clock.ticks(start)}
            what = {"name": item.name, "cat": item.category}
            details = {"args": dict(item.details)}
            if item.end_cycle > item.start_cycle:
                yield {"ph": "X", **what, **where, "dur": clock.ticks(end - start), **details}
            else:
                yield {"ph": "i", "s": "t", **what, **where, **details}


def title_events(lanes: Iterable[Lane], processes: Mapping[int, str]) -> Iterator[Json]:
    """Names of processes and lanes, and the order in which a viewer shows them."""
    for process, title in processes.items():
        yield _meta("process_name", process, 0, {"name": title})
        yield _meta("process_sort_index", process, 0, {"sort_index": process})
    for number, lane in enumerate(lanes, 1):
        yield _meta("thread_name", lane.process, number, {"name": lane.title})
        yield _meta("thread_sort_index", lane.process, number, {"sort_index": number})


def _meta(name: str, process: int, lane: int, details: Json) -> Json:
    return {"ph": "M", "name": name, "pid": process, "tid": lane, "ts": 0, "args": details}
