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
        times = range(rival.first, rival.last + 1)
        if all(rooms[time] >= rival.size_bytes for time in times):
            choice.append(place)
            for time in times:
                rooms[time] -= rival.size_bytes
    return tuple(sorted(choice))


def _density(rival: Rival, rivalry: Rivalry) -> float:
    """Accesses for a byte at a binding time."""
    return rival.worth / (rivalry.unit * max(rival.size_bytes, 1) * (rival.last + 1 - rival.first))
