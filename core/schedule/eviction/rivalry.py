"""A component in the form that is searched: rivals, and the times that bind them."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from core.base.frozen import Frozen
from core.schedule.eviction.contest import Contest


class Rival(Frozen):
    """A contender that competes, with the binding times of its life."""

    index: int
    """Its place among the contenders."""
    first: int
    last: int
    size_bytes: int
    worth: int
    """Accesses, then bytes, then its place, in one number: no two choices are worth the same."""

    @property
    def times(self) -> range:
        """The binding times of its life."""
        return range(self.first, self.last + 1)


class Rivalry(Frozen):
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
    """Full times of which no other one has all of the rivals and not more room.

    Lives have no holes: a time has all rivals of another one exactly if it lies between the last
    of their starts and the first of their ends.
    """
    starts = [0] * len(full_times)
    ends = [len(full_times)] * len(full_times)
    is_contested = [False] * len(full_times)
    for index in members:
        item = contest.contenders[index]
        first = bisect.bisect_left(full_times, item.start_time)
        end = bisect.bisect_right(full_times, item.end_time)
        for place in range(first, end):
            starts[place] = max(starts[place], first)
            ends[place] = min(ends[place], end)
            is_contested[place] = True
    rooms = [contest.limit_bytes - contest.base_bytes[time] for time in full_times]

    def covers(place: int, other: int) -> bool:
        """Whether all that binds at the other time binds at this one."""
        if rooms[place] != rooms[other]:
            return rooms[place] < rooms[other]
        has_more = not starts[place] <= other < ends[place]
        return has_more or place < other

    return [
        time
        for other, time in enumerate(full_times)
        if is_contested[other]
        and not any(
            covers(place, other)
            for place in range(starts[other], ends[other])
            if place != other and is_contested[place]
        )
    ]
