"""A good choice in no time: first those that are worth most for their bytes and times."""

from __future__ import annotations

from core.schedule.eviction.rivalry import Rival, Rivalry


def greedy_choice(rivalry: Rivalry) -> tuple[int, ...]:
    """Places of rivals that fit together; no other one would fit beside them."""
    rivals = rivalry.rivals
    rooms = list(rivalry.rooms)
    choice: list[int] = []
    for place in sorted(range(len(rivals)), key=lambda at: -_density(rivals[at], rivalry)):
        rival = rivals[place]
        if all(rooms[time] >= rival.size_bytes for time in rival.times):
            choice.append(place)
            for time in rival.times:
                rooms[time] -= rival.size_bytes
    return tuple(sorted(choice))


def _density(rival: Rival, rivalry: Rivalry) -> float:
    """Accesses for a byte at a binding time."""
    return rival.worth / (rivalry.unit * max(rival.size_bytes, 1) * len(rival.times))
