"""The timeline and the memory maps of a schedule as columns of numbers, from what the app draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from core.ir.trace import NOTHING
from gui.document.answer import Answer
from gui.document.selection import Selection
from gui.present.interactive.keys import key_of
from gui.present.interactive.texts import Texts
from gui.present.memory import picks as memory_picks
from gui.present.memory.map import AreaMap, TimeScale, area_map, edges_of
from gui.present.memory.ranges import is_permanent
from gui.present.memory.text import tab_title
from gui.present.rects import Floats, Rects
from gui.present.timeline import picks as timeline_picks
from gui.present.timeline.data import TimelineData
from gui.present.timeline.memory import used_bytes
from gui.present.timeline.picture import cascade_rects, slice_rects
from gui.present.timeline.rows import rows_of

Json = dict[str, Any]

Numbers = list[int | float]
_DECIMALS = 2


def timeline(answer: Answer, data: TimelineData, texts: Texts) -> Json:
    """Rows, and what is in them; slices know their operators, so that a selection finds them."""
    rows = rows_of(data, {})
    slices = slice_rects(data, rows, {})
    trace, scheduled = data.trace, answer.scheduled
    ops = np.where(trace.op == NOTHING, -1 - trace.cpu_op, trace.op)[slices.key]
    refs = [part.ref for part in data.cascades]
    return {
        "end": data.end_cycle,
        "height": rows.height,
        "rows": [[texts(row.title), row.top, row.bottom] for row in rows.all],
        "layers": [
            {
                **_layer(cascade_rects(data, rows, {}), texts),
                "keys": [texts(key_of(Selection(cascade=ref))) for ref in refs],
            },
            {
                **_layer(slices, texts),
                "keys": [
                    texts(key_of(timeline_picks.selection_of(scheduled, trace, int(position))))
                    for position in slices.key
                ],
                "ops": ops.tolist(),
            },
        ],
    }


def memories(answer: Answer, texts: Texts) -> Iterator[tuple[AreaMap, Json]]:
    """A map of each memory whose content changes, with what is in use over time."""
    edges = edges_of(answer, TimeScale.CYCLES)
    for area in answer.scheduled.layout.areas:
        if is_permanent(area) or not area.height_bytes:
            continue
        found = area_map(answer.scheduled, area, edges)
        used = used_bytes(area.placements, len(edges) - 1, area.common)
        keys = [texts(key_of(memory_picks.selection_of(part))) for part in found.ranges]
        layers = [found.rects, found.padding, found.shared, found.over]
        yield (
            found,
            {
                "title": texts(tab_title(area)),
                "limit": found.limit_bytes,
                "height": area.height_bytes,
                "top": found.top_bytes,
                "layers": [
                    {**_layer(each, texts), "keys": [keys[key] for key in each.key.tolist()]}
                    for each in layers
                    if each.count
                ],
                "names": [texts(name) for name in found.names],
                "ranges": list(map(int, found.rects.key)),
                "edges": _rounded(found.edges),
                "used": used.astype(int).tolist(),
            },
        )


def marks(
    answer: Answer, data: TimelineData, areas: list[AreaMap], selection: Selection
) -> list[Any]:
    """What a selection means: operators, those of the CPU below zero, and ranges by memory."""
    picked = timeline_picks.picked(answer.scheduled, data, selection).slices
    trace = data.trace
    ops = np.unique(np.where(trace.op == NOTHING, -1 - trace.cpu_op, trace.op)[picked]).tolist()
    chosen = memory_picks.selected_ranges
    return [ops, [sorted(chosen(answer.scheduled, area, selection)) for area in areas]]


def _layer(rects: Rects, texts: Texts) -> Json:
    """Rectangles by columns; where one begins is told from where the one before began."""
    left = np.rint(rects.left).astype(np.int64)
    labels = [texts(rects.labels[at]) for at in range(len(rects.labels))]
    return {
        "left": np.diff(left, prepend=0).tolist(),
        "width": (np.rint(rects.right).astype(np.int64) - left).tolist(),
        "bottom": _rounded(rects.bottom),
        "top": _rounded(rects.top),
        "inks": list(rects.inks),
        "ink": rects.ink.tolist(),
        "labels": labels,
    }


def _rounded(values: Floats) -> Numbers:
    return [int(value) if value.is_integer() else value for value in _decimals(values)]


def _decimals(values: Floats) -> list[float]:
    found: list[float] = np.round(values, _DECIMALS).tolist()
    return found
