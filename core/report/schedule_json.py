"""A scheduled network as JSON.

The keys up to `summary` are those of the ecosystem's runs that schedules are compared with; times
are counted from the start of the network, so that they can be held against the live ranges.
"""

from __future__ import annotations

from typing import Any

from core.ir import knobs
from core.ir.layout import AreaLayout, Placement
from core.ir.schedule import Cascade, Evicted, IslandSchedule
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.report.decisions_json import describe_decisions
from core.report.ecosystem_names import cpu_name, island_names
from core.report.front import describe_front
from core.report.inspect_json import describe_target
from core.report.places import Places, address_of, places_of
from core.report.schedule_op_json import cascade_key, describe_plan, positions
from core.report.summary import summary_row

Json = dict[str, Any]


def describe(material: Scheduled) -> Json:
    """Everything that `schedule` knows."""
    graph, schedule = material.graph, material.schedule
    names = island_names(material.network, graph)
    places = places_of(material.layout)
    return {
        "model": material.name,
        "core": "reefpoint",
        "options": list(knobs.command_line(Settings.of(material.target, material.options))),
        "sram_limit": {names[island.island]: island.limit_bytes for island in schedule.islands},
        "allocations": [_allocation(material, area) for area in material.layout.areas],
        "schedules": [
            _island(material, places, island, names[island.island]) for island in schedule.islands
        ],
        "cpu_ops": [cpu_name(op.kind) for op in graph.cpu_ops],
        "summary": summary_row(material),
        "target": describe_target(material.target),
        "regions": [_region(area) for area in material.layout.areas],
        "front": describe_front(material),
        "decisions": describe_decisions(schedule.decisions),
        "warnings": list(graph.warnings),
    }


def _allocation(material: Scheduled, area: AreaLayout) -> Json:
    return {
        "mem_area": area.area.value,
        "mem_types": sorted(region.value for region in area.regions),
        "total": area.height_bytes,
        "live_ranges": [_live_range(material, placement) for placement in area.placements],
    }


def _live_range(material: Scheduled, placement: Placement) -> Json:
    names = [material.graph.feature_maps[fm].name for fm in placement.fms]
    return {
        "name": placement.name,
        "start": placement.start_time,
        "end": placement.end_time,
        "bytes": placement.size_bytes,
        "address": placement.address,
        "purpose": placement.purpose.value,
        "tensors": names or [placement.name],
        "mem_type": placement.region.value,
        "op": placement.op,
        "buffer": placement.buffer,
    }


def _region(area: AreaLayout) -> Json:
    return {
        "area": area.area.value,
        "regions": [region.value for region in area.regions],
        "required": area.height_bytes,
        "limit": area.limit_bytes,
        "excess": area.excess_bytes,
        "lower_bound": area.lower_bound_bytes,
        "is_proven_optimal": area.height_bytes == area.lower_bound_bytes,
    }


def _island(material: Scheduled, places: Places, island: IslandSchedule, name: str) -> Json:
    start = material.start_time(island)
    return {
        "subgraph": name,
        "label": island.candidate.value,
        "fast_storage_peak_usage": island.peak_bytes,
        "memory_snapshot": list(material.snapshot_bytes(island)),
        "ops": [describe_plan(material, places, island, index) for index in range(len(island.ops))],
        "cascades": [
            _cascade(places, island, position, cascade)
            for position, cascade in enumerate(island.cascades)
        ],
        "evicted": [_evicted(material, places, evicted, start) for evicted in island.evicted],
    }


def _cascade(places: Places, island: IslandSchedule, position: int, cascade: Cascade) -> Json:
    place = positions(island)
    readers = [(str(place[op]), cascade.buffers[at]) for at, op in enumerate(cascade.ops[1:])]
    return {
        "key": cascade_key(island, position),
        "start": place[cascade.ops[0]],
        "end": place[cascade.ops[-1]],
        "mem_usage": cascade.size_bytes,
        "buffers": {reader: list(buffer.shape) for reader, buffer in readers},
        "buffer_bytes": {reader: buffer.size_bytes for reader, buffer in readers},
        "buffer_addresses": {
            reader: address_of(places.maps.get(buffer.fm)) for reader, buffer in readers
        },
    }


def _evicted(material: Scheduled, places: Places, evicted: Evicted, start: int) -> Json:
    names = [material.graph.feature_maps[fm].name for fm in evicted.fms]
    return {
        "name": names[0],
        "start": start + evicted.start_time,
        "end": start + evicted.end_time,
        "bytes": evicted.size_bytes,
        "address": address_of(places.maps.get(evicted.fms[0])),
        "tensors": names,
    }
