"""A schedule as a trace that Perfetto and other viewers of Chrome's format open.

Lanes never overlap, since viewers drop slices that do; what runs beside each other stands on lanes
of its own. A tick of the format is a microsecond: cycles are told by the clock of the accelerator,
and each slice has its exact number of cycles among its details.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from core.base.version import VERSION
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.ir.trace import Lane as Engine
from core.report.measured.match import Measured
from core.report.perfetto.counters import counter_events, counters
from core.report.perfetto.lanes import Clock, Json, Lane, lane_events, lanes_of, title_events
from core.report.perfetto.slices import (
    ENGINE_TITLES,
    cascade_slices,
    engine_slices,
    measured_slices,
    operator_slices,
)
from core.report.places import places_of

_SCHEDULE, _ENGINES, _MEMORY, _MEASURED = 1, 2, 3, 4
PROCESSES = {_SCHEDULE: "Schedule", _ENGINES: "Engines", _MEMORY: "Memory"}


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
    lines = [json.dumps(event) for event in (*title_events(lanes, processes), *events)]
    head = json.dumps({"displayTimeUnit": "ns", "otherData": _metadata(material)})
    return f'{head[:-1]}, "traceEvents": [\n' + ",\n".join(lines) + "\n]}\n"


def _lanes(material: Scheduled, analysis: Analysis) -> Iterator[Lane]:
    trace, places = analysis.trace, places_of(material.layout)
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
