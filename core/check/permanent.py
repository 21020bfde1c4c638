"""Judges whether everything that does not change has a place that the accelerator can read."""

from __future__ import annotations

from collections.abc import Iterator

from core.check.finding import Finding
from core.check.lifetimes import inputs_of, map_name, op_name
from core.ir.layout import MemoryLayout, Placement, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import Schedule


def verify(graph: NpuGraph, schedule: Schedule, layout: MemoryLayout) -> Iterator[Finding]:
    """Everything that NPU operators read, never changes, and has no place."""
    places = [item for area in layout.areas for item in area.placements if item.region.is_permanent]
    yield from _streams(graph, schedule, places)
    yield from _tables(graph, places)
    yield from _constants(graph, places)


def _streams(graph: NpuGraph, schedule: Schedule, places: list[Placement]) -> Iterator[Finding]:
    streams = [item for item in places if item.purpose is Purpose.WEIGHTS]
    largest = _largest((item.op, item.size_bytes) for item in streams)
    by_content = _largest((item.content, item.size_bytes) for item in streams)
    for plan in schedule.ops:
        if plan.weights is None:
            continue
        size = max(largest.get(plan.op, 0), by_content.get(plan.weights.encoding, 0))
        if size < plan.weights.stream_bytes:
            text = f"its weight stream has {size} bytes for {plan.weights.stream_bytes}"
            yield Finding(op_name(graph, plan.op), text)


def _tables(graph: NpuGraph, places: list[Placement]) -> Iterator[Finding]:
    tables = [item for item in places if item.purpose is Purpose.TABLE]
    largest = _largest((item.op, item.size_bytes) for item in tables)
    by_content = _largest((item.content, item.size_bytes) for item in tables)
    for op in graph.ops:
        table = None if op.activation is None else op.activation.table
        if table is None:
            continue
        size = max(largest.get(op.id, 0), by_content.get(table.digest, 0))
        if size < table.size_bytes:
            text = f"its table has {size} bytes for {table.size_bytes}"
            yield Finding(op_name(graph, op.id), text)


def _constants(graph: NpuGraph, places: list[Placement]) -> Iterator[Finding]:
    """A scalar is part of a command and needs no place."""
    largest = _largest((fm, item.size_bytes) for item in places for fm in item.fms)
    by_content = _largest((item.content, item.size_bytes) for item in places)
    read = {view.fm for op in graph.ops for view in inputs_of(op)}
    for fm in graph.feature_maps:
        if fm.data is None or fm.id not in read or fm.is_scalar:
            continue
        size = max(largest.get(fm.id, 0), by_content.get(fm.data.digest, 0))
        if size < fm.data.size_bytes:
            text = f"is read by the accelerator, but has {size} bytes for {fm.data.size_bytes}"
            yield Finding(map_name(graph, fm.id), text)


def _largest(sizes: Iterator[tuple[object, int]]) -> dict[object, int]:
    """The largest size under each key."""
    found: dict[object, int] = {}
    for key, size in sizes:
        if key is not None:
            found[key] = max(found.get(key, 0), size)
    return found
