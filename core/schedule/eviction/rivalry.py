"""A component in the form that is searched: rivals, and the times that bind them."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import accumulate

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
    """That of the contender, then bytes, then its place, in one number: no two choices are worth
    the same."""

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
    """What one of its worth is here; the worths of all bytes and places together stay below it."""


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
            worth=((item.worth * (all_bytes + 1) + item.size_bytes) << count)
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
    of their starts and the first of their ends. It has more of them if it has as many others, so
    of all times between, one that binds has the least room, then the most rivals, and comes first.
    """
    count = len(full_times)
    lives = [
        (
            bisect.bisect_left(full_times, contest.contenders[index].start_time),
            bisect.bisect_right(full_times, contest.contenders[index].end_time),
        )
        for index in members
    ]
    starts = _last_starts(lives, count)
    ends = [
        count - start for start in _last_starts([(count - b, count - a) for a, b in lives], count)
    ][::-1]
    changes = [0] * (count + 1)
    for first, end in lives:
        changes[first] += 1
        changes[end] -= 1
    rivals = [*accumulate(changes)]
    ranks = [
        (contest.limit_bytes - contest.base_bytes[time], -rivals[place], place)
        for place, time in enumerate(full_times)
    ]
    before, behind = _lower_neighbours(ranks)
    return [
        time
        for place, time in enumerate(full_times)
        if rivals[place] and before[place] < starts[place] and ends[place] <= behind[place]
    ]


def _last_starts(lives: Sequence[tuple[int, int]], count: int) -> list[int]:
    """By place: the last start of all lives that it is within."""
    found, free = [0] * count, [*range(count + 1)]

    def next_free(place: int) -> int:
        while free[place] != place:
            free[place] = free[free[place]]
            place = free[place]
        return place

    for first, end in sorted(lives, reverse=True):
        place = next_free(first)
        while place < end:
            found[place] = first
            free[place] = place + 1
            place = next_free(place)
    return found


def _lower_neighbours(
    ranks: Sequence[tuple[int, int, int]],
) -> tuple[list[int], list[int]]:
    """By place: the nearest one before with a lower rank, and the nearest one behind; ends stand
    where there is none."""
    before, behind = [-1] * len(ranks), [len(ranks)] * len(ranks)
    rising: list[int] = []
    for place, rank in enumerate(ranks):
        while rising and ranks[rising[-1]] > rank:
            behind[rising.pop()] = place
        if rising:
            before[place] = rising[-1]
        rising.append(place)
    return before, behind
