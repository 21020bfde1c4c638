"""A component in the form that is searched: rivals, and the times that bind them."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import xor

from core.schedule.eviction.contest import Contest


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A contender that competes, with the binding times of its life."""

    index: int
    """Its place among the contenders."""
    first: int
    last: int
    size_bytes: int
    worth: int
    """Accesses, then bytes, then its place, in one number: no two choices are worth the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """Rivals in the order in which they are decided: by first binding time, large ones first."""

    rivals: tuple[Rival, ...]
    rooms: tuple[int, ...]
    """Bytes for the rivals at each binding time."""
    unit: int
    """Worth of one access; the worths of all bytes and places together stay below it."""


def rivalry_of(contest: Contest, members: Sequence[int], full_times: Sequence[int]) -> Rivalry:
    """The rivalry of these contenders, who compete at these times, which are in order."""
    items = [contest.contenders[index] for index in members]
    count = len(items)
    all_bytes = sum(item.size_bytes for item in items)
    times = _binding_times(contest, members, full_times)
    rivals = [
        Rival(
            index=index,
            first=bisect.bisect_left(times, item.start_time),
            last=bisect.bisect_right(times, item.end_time) - 1,
            size_bytes=item.size_bytes,
            worth=((item.accesses * (all_bytes + 1) + item.size_bytes) << count)
            | (1 << (count - 1 - place)),
        )
        for place, (index, item) in enumerate(zip(members, items, strict=True))
    ]
    rivals.sort(key=lambda rival: (rival.first, -rival.size_bytes, rival.index))
    return Rivalry(
        rivals=tuple(rivals),
        rooms=tuple(contest.limit_bytes - contest.base_bytes[time] for time in times),
        unit=(all_bytes + 1) << count,
    )


def _binding_times(
    contest: Contest, members: Sequence[int], full_times: Sequence[int]
) -> list[int]:
    """Full times of which no other one has all of the rivals and not more room."""
    changes = [0] * (len(full_times) + 1)
    for place, index in enumerate(members):
        item = contest.contenders[index]
        changes[bisect.bisect_left(full_times, item.start_time)] ^= 1 << place
        changes[bisect.bisect_right(full_times, item.end_time)] ^= 1 << place
    tightest: dict[int, tuple[int, int]] = {}
    for time, live in zip(full_times, accumulate(changes, xor), strict=False):
        room = contest.limit_bytes - contest.base_bytes[time]
        if live and (live not in tightest or room < tightest[live][0]):
            tightest[live] = (room, time)
    return sorted(
        time
        for live, (room, time) in tightest.items()
        if not any(
            live & other == live and room >= less
            for other, (less, _) in tightest.items()
            if other != live
        )
    )
