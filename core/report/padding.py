"""What padding takes of fast storage when most is live there: bytes that hold no element."""

from __future__ import annotations

import math

from core.base.frozen import NamedTuple
from core.base.ids import FmId
from core.ir.layout import Placement
from core.ir.npugraph import NpuGraph
from core.ir.schedule import MapPlan
from core.ir.scheduled import Scheduled


class Padding(NamedTuple):
    """Bytes of maps that fill bricks and reach the next aligned address."""

    size_bytes: int
    largest: FmId
    """The map that has most of them."""
    largest_bytes: int


def padding_at_peak(material: Scheduled) -> Padding | None:
    """The padding of maps when most is live in fast storage, if there is any."""
    padded = {place.fms[0]: _padding_bytes(material, place) for place in live_at_peak(material)}
    total = sum(padded.values())
    if not total:
        return None
    largest = max(padded, key=lambda fm: padded[fm])
    return Padding(total, largest, padded[largest])


def element_bytes(graph: NpuGraph, plan: MapPlan, number: FmId) -> int:
    """Bytes of the elements that a feature map has, or that its rolling buffer has room for."""
    fm = graph.feature_maps[number]
    if fm.data is not None:
        return fm.data.size_bytes
    elements = math.prod(fm.shape)
    if plan.rolling is not None:
        depth = fm.shape[-1] if fm.shape else 1
        elements = math.prod(plan.rolling.with_depth(depth))
    return -(-elements * fm.dtype.bits // 8)


def _padding_bytes(material: Scheduled, place: Placement) -> int:
    """Of maps that have the same bytes one after the other, what the fullest leaves."""
    maps = material.schedule.maps
    fullest = max(element_bytes(material.graph, maps[fm], fm) for fm in place.fms)
    return max(place.size_bytes - fullest, 0)


def live_at_peak(material: Scheduled) -> list[Placement]:
    """Maps in fast storage at the first time at which most is live there."""
    places = material.layout.fast_area.placements
    if not places:
        return []
    usage = [0] * (max(place.end_time for place in places) + 1)
    for place in places:
        for time in range(place.start_time, place.end_time + 1):
            usage[time] += place.size_bytes
    peak = usage.index(max(usage))
    return [place for place in places if place.fms and place.start_time <= peak <= place.end_time]
