"""Maps that lie over each other, since a cascade writes one behind its reading of the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.base.ids import FmId
from core.ir.layout import Placement
from core.ir.schedule import Cascade, Overlay
from core.report.why.facts import Facts, Sentence, in_bytes


def overlay_sentences(facts: Facts, cascade: Cascade) -> Iterator[Sentence]:
    """What a cascade writes over what it has read."""
    return _sentences(facts, cascade.overlays)


def map_overlay_sentences(facts: Facts, fm: FmId) -> Iterator[Sentence]:
    """The same for the cascades that begin or leave a map."""
    for island in facts.material.schedule.islands:
        for cascade in island.cascades:
            near = (each for each in cascade.overlays if fm in (each.given, each.made))
            yield from _sentences(facts, near)


def _sentences(facts: Facts, overlays: Iterable[Overlay]) -> Iterator[Sentence]:
    places = {
        fm: (area, place)
        for area in facts.material.layout.areas
        for place in area.placements
        for fm in place.fms
    }
    for overlay in overlays:
        (area, given), (other, made) = places[overlay.given], places[overlay.made]
        shared = common_bytes(given, made) if area is other else 0
        if shared:
            yield Sentence(
                "memory",
                f"Map {facts.map_name(overlay.made)} is written over rows of map"
                f" {facts.map_name(overlay.given)} that nobody reads any more: it begins"
                f" {in_bytes(given.address - made.address)} before it, where"
                f" {in_bytes(overlay.lead_bytes)} would do, and {in_bytes(shared)} belong to both.",
            )


def common_bytes(one: Placement, other: Placement) -> int:
    """Bytes that two ranges have in common, whenever they are live."""
    end = min(one.address + one.size_bytes, other.address + other.size_bytes)
    return max(end - max(one.address, other.address), 0)
