"""Counters of a trace: bytes that are live in each memory, and bytes that each memory moves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.ir.layout import AreaLayout
from core.ir.scheduled import Scheduled
from core.ir.trace import Trace
from core.report.ecosystem_names import AREA_TITLES
from core.report.perfetto.lanes import Clock, Json
from core.target.target import Area


class Sample(NamedTuple):
    """From this cycle on, until the next one, the counter has this value."""

    cycle: float
    value: float


class Counter(NamedTuple):
    """A value over time."""

    title: str
    unit: str
    samples: tuple[Sample, ...]


def counters(material: Scheduled, trace: Trace) -> tuple[Counter, ...]:
    """All counters that say something."""
    return (*_memory(material, trace), *_bandwidth(material, trace))


def counter_events(counters: tuple[Counter, ...], process: int, clock: Clock) -> Iterator[Json]:
    """The samples of all counters."""
    for counter in counters:
        for sample in counter.samples:
            yield {
                "ph": "C",
                "name": counter.title,
                "pid": process,
                "tid": 0,
                "ts": clock.ticks(clock.nanosecond(sample.cycle)),
                "args": {counter.unit: sample.value},
            }


def _memory(material: Scheduled, trace: Trace) -> Iterator[Counter]:
    for area in material.layout.areas:
        if area.height_bytes and not any(region.is_permanent for region in area.regions):
            what = " + ".join(region.value for region in area.regions)
            title = f"{AREA_TITLES[area.area]} live: {what}"
            yield Counter(title, "bytes", tuple(_live(area, trace)))


def _live(area: AreaLayout, trace: Trace) -> Iterator[Sample]:
    """Times without a length are kept: they are where a peak can be."""
    times = len(trace.time_cycle) - 1
    steps = np.zeros(times + 1, dtype=np.int64)
    for place in area.placements:
        steps[min(place.start_time, times)] += place.size_bytes
        steps[min(place.end_time + 1, times)] -= place.size_bytes
    before = -1
    for time, live in enumerate(np.cumsum(steps[:times]).tolist()):
        if live != before:
            yield Sample(float(trace.time_cycle[time]), live)
        before = live
    yield Sample(trace.end_cycle_of_all, 0)


def _bandwidth(material: Scheduled, trace: Trace) -> Iterator[Counter]:
    for area in Area:
        if material.total.moved_bytes(area):
            yield Counter(
                f"{AREA_TITLES[area]} traffic", "bytes/cycle", tuple(_moved(material, trace, area))
            )


def _moved(material: Scheduled, trace: Trace, area: Area) -> Iterator[Sample]:
    """What an operator moves is spread evenly over the time in which it runs."""
    begins: dict[float, list[int]] = {}
    ends: dict[float, list[int]] = {}
    rates: dict[int, float] = {}
    for plan in material.plans():
        start, end = float(trace.op_start_cycle[plan.op]), float(trace.op_end_cycle[plan.op])
        traffic = material.cost(plan).traffic
        moved = math.fsum(part.size_bytes for part in traffic if part.area is area)
        if moved and end > start:
            rates[plan.op] = moved / (end - start)
            begins.setdefault(start, []).append(plan.op)
            ends.setdefault(end, []).append(plan.op)
    running: set[int] = set()
    for cycle in sorted(begins.keys() | ends.keys() | {0.0}):
        running -= set(ends.get(cycle, ()))
        running |= set(begins.get(cycle, ()))
        yield Sample(cycle, math.fsum(rates[op] for op in sorted(running)))
