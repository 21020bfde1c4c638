"""A schedule as a trace that Perfetto and other viewers of Chrome's format open.

Lanes never overlap, since viewers drop slices that do; what runs beside each other stands on lanes
of its own. A tick of the format is a microsecond: cycles are told by the clock of the accelerator,
and each slice has its exact number of cycles among its details.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from core.base.frozen import NamedTuple
from core.base.harmless import to_json
from core.base.version import VERSION
from core.ir.layout import AreaLayout
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis, Trace
from core.ir.trace import Lane as Engine
from core.report.ecosystem_names import AREA_TITLES
from core.report.measured.match import Measured
from core.report.perfetto.lanes import Clock, Json, Lane, lane_events, lanes_of, title_events
from core.report.perfetto.slices import (
    ENGINE_TITLES,
    cascade_slices,
    engine_slices,
    measured_slices,
    note_slices,
    operator_slices,
)
from core.report.places import places_of
from core.target.target import Area

_SCHEDULE, _ENGINES, _MEMORY, _MEASURED = 1, 2, 3, 4
PROCESSES = {_SCHEDULE: "Schedule", _ENGINES: "Engines", _MEMORY: "Memory"}


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
    for both in area.common:
        steps[min(both.start_time, times)] -= both.size_bytes
        steps[min(both.end_time + 1, times)] += both.size_bytes
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


def render(material: Scheduled, analysis: Analysis, measured: Measured | None = None) -> str:
    """The whole trace as JSON text, one event a line."""
    clock = Clock(clock_hz=material.total.clock_hz)
    lanes = [*_lanes(material, analysis)]
    processes = dict(PROCESSES)
    if measured is not None and measured.rows:
        processes[_MEASURED] = "Measured"
        lanes += lanes_of("Operators, measured", _MEASURED, measured_slices(material, measured))
    events = [
        *lane_events(lanes, clock),
        *counter_events(counters(material, analysis.trace), _MEMORY, clock),
    ]
    # The sort is stable: of two samples at one moment, the later one stays the later one.
    events.sort(key=lambda event: (event["ts"], event["pid"], event["tid"]))
    lines = [to_json(event) for event in (*title_events(lanes, processes), *events)]
    head = to_json({"displayTimeUnit": "ns", "otherData": _metadata(material)})
    return f'{head[:-1]}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"


def _lanes(material: Scheduled, analysis: Analysis) -> Iterator[Lane]:
    trace, places = analysis.trace, places_of(material.layout)
    yield from lanes_of("Notes", _SCHEDULE, note_slices(material, trace))
    yield from lanes_of("Cascades", _SCHEDULE, cascade_slices(material, trace))
    yield from lanes_of("Operators", _SCHEDULE, operator_slices(material, trace, places))
    for engine in Engine:
        slices = engine_slices(material, trace, engine)
        yield from lanes_of(ENGINE_TITLES[engine], _ENGINES, slices)


def _metadata(material: Scheduled) -> Json:
    """What one needs to know to read the numbers; all of it is text, as viewers expect."""
    target, total = material.target, material.total
    return {
        "model": material.name,
        "network_digest": material.graph.network,
        "made_by": f"Reefpoint {VERSION}",
        "accelerator": target.accelerator.name,
        "system_config": target.system.name,
        "memory_mode": target.mode.name,
        "time_unit": "ts and dur are microseconds: cycles / clock_hz * 1000000, to a nanosecond",
        "clock_hz": repr(float(total.clock_hz)),
        "total_cycles": repr(float(total.total_cycles)),
        "cycles": "estimated; those of a slice are its argument 'cycles'",
        "cpu": "operators on the CPU are moments, as there is no estimate for them",
    }
