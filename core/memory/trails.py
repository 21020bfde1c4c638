"""Which ranges may share bytes: a cascade fills one of them behind its reading of the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from core.base.ids import FmId
from core.ir.layout import Common, Placement
from core.ir.schedule import Schedule
from core.liveness.lives import TIMES_PER_STEP
from core.memory.packing import Trail


class Held(Protocol):
    """Bytes of feature maps over time."""

    @property
    def fms(self) -> tuple[FmId, ...]:
        """The maps."""

    @property
    def start_time(self) -> int:
        """From when on."""

    @property
    def end_time(self) -> int:
        """Until when."""


def trails_of(
    schedule: Schedule, op_times: Sequence[int], held: Sequence[Held]
) -> tuple[Trail, ...]:
    """The overlays of all cascades, by the position of what holds their maps."""
    return tuple(_trails(schedule, op_times, held))


def _trails(schedule: Schedule, op_times: Sequence[int], held: Sequence[Held]) -> Iterator[Trail]:
    place = {fm: at for at, item in enumerate(held) for fm in item.fms}
    for island in schedule.islands:
        for cascade in island.cascades:
            now = op_times[cascade.ops[0]]
            for overlay in cascade.overlays:
                upper, lower = place.get(overlay.given), place.get(overlay.made)
                if upper is None or lower is None or upper == lower:
                    continue
                is_new = held[lower].start_time == now
                is_left = held[upper].end_time < now + TIMES_PER_STEP
                if is_new and is_left:
                    yield Trail(upper, lower, overlay.lead_bytes)


def common_of(trails: Iterable[Trail], places: Sequence[Placement]) -> tuple[Common, ...]:
    """What is in use for two ranges at once."""
    return tuple(_common(trails, places))


def _common(trails: Iterable[Trail], places: Sequence[Placement]) -> Iterator[Common]:
    for trail in trails:
        upper, lower = places[trail.upper], places[trail.lower]
        end = min(upper.address + upper.size_bytes, lower.address + lower.size_bytes)
        start = max(upper.address, lower.address)
        if end > start:
            yield Common(
                filled=trail.lower,
                given_up=trail.upper,
                start_time=lower.start_time,
                end_time=upper.end_time,
                address=start,
                size_bytes=end - start,
            )
