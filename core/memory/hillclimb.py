"""HillClimb: a good order, then exchanges of ranges that hold up the topmost one.

An order becomes a layout by lowest fit. The range that ends highest stands where it does because
of its neighbours and of what those rest on; two of these change turns, and the new order stays when
it is not worse.
"""

from __future__ import annotations

import bisect
import heapq
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from core.base.geometry import round_up
from core.base.progress import Progress
from core.memory.packing import (
    AllocationOptions,
    Packing,
    Range,
    Shares,
    Solution,
    Trail,
    lower_bound,
    neighbours_of,
    solution_of,
)

_STUCK_AFTER = 50
"""Orders without a gain after which a wider circle of ranges takes part."""

_OUTSIDER_CHANCE = 0.3
"""How often the first of the two is not live with the topmost range: such make the gaps."""

_REPORT_INTERVAL = 256


def allocate(
    problem: Packing,
    options: AllocationOptions,
    progress: Progress,
) -> Solution:
    """The best layout of many orders; the lower bound, or the limits of the options, end it."""
    if not problem.ranges:
        return solution_of(problem, ())
    bound = lower_bound(problem.ranges, problem.trails)
    climb = _Climb(problem, random.Random(options.seed))
    tries = 0
    last_gain = 0
    limit = problem.limit_bytes
    above_limit = min(
        options.patience_above_limit, options.patience_per_range * len(problem.ranges)
    )
    while climb.best > bound and tries < options.iteration_limit:
        if climb.looks >= options.look_limit:
            break
        # A limit below the bound is met by no order, so there is no hurry to meet it.
        is_above_limit = limit is not None and bound <= limit < climb.best
        patience = max(above_limit, options.patience) if is_above_limit else options.patience
        if tries - last_gain >= patience:
            break
        if tries % _REPORT_INTERVAL == 0:
            progress.advance("allocating", tries, options.iteration_limit)
        if climb.attempt(is_stuck=tries - last_gain > _STUCK_AFTER):
            last_gain = tries
        tries += 1
    return solution_of(problem, climb.best_addresses, bound)


def initial_order(ranges: Sequence[Range]) -> list[int]:
    """What lives through the fullest times first, then the long, the early, and the large."""
    crowd = _most_bytes_beside(ranges)
    return sorted(
        range(len(ranges)),
        key=lambda index: (
            -crowd[index],
            ranges[index].start_time - ranges[index].end_time,
            ranges[index].start_time,
            -ranges[index].size_bytes,
            index,
        ),
    )


def behind_followers(order: list[int], trails: Iterable[Trail]) -> list[int]:
    """The same order, but ranges that follow each other have their turns together, the last of
    them first: each lies above the one that follows it, if nothing else has come between them."""
    follower = {trail.upper: trail.lower for trail in trails}
    followed = {lower: upper for upper, lower in follower.items()}
    found: dict[int, None] = {}
    for index in order:
        lowest = index
        while lowest in follower:
            lowest = follower[lowest]
        above: int | None = lowest
        while above is not None:
            found[above] = None
            above = followed.get(above)
    return list(found)


def _most_bytes_beside(ranges: Sequence[Range]) -> list[int]:
    """For each range the largest sum of live bytes, its own included, while it is live."""
    times = sorted({item.start_time for item in ranges})
    changes = [0] * (len(times) + 1)
    spans = [
        (bisect.bisect_left(times, item.start_time), bisect.bisect_right(times, item.end_time))
        for item in ranges
    ]
    for item, (first, end) in zip(ranges, spans, strict=True):
        changes[first] += item.size_bytes
        changes[end] -= item.size_bytes
    live = list(accumulate(changes))
    return [max(live[first:end]) for first, end in spans]


class _Climb:
    """The best order so far, and the layout that it gives."""

    def __init__(self, problem: Packing, chance: random.Random) -> None:
        ranges = problem.ranges
        self._chance = chance
        self._shares = Shares(problem)
        self._sizes = [item.size_bytes for item in ranges]
        self._given = [item.address for item in ranges]
        self._alignments = [item.alignment for item in ranges]
        self._neighbours = neighbours_of(ranges)
        self._taken = [
            tuple(self._takers(index, each))
            if index in self._shares.sharing
            else tuple([(other, self._sizes[other], 0) for other in each])
            for index, each in enumerate(self._neighbours)
        ]
        """By range: each neighbour, and how far below its end begins and ends what it takes."""
        self.looks = 0
        """At neighbours, by all that was placed."""
        self._order = sorted(
            behind_followers(initial_order(ranges), problem.trails),
            # Exchanges leave what is placed already before all that has to go around it.
            key=lambda index: ranges[index].address is None,
        )
        self._turn = [0] * len(ranges)
        self._ends = [0] * len(ranges)
        self._rests_on: list[int | None] = [None] * len(ranges)
        for turn, index in enumerate(self._order):
            self._turn[index] = turn
        for index in self._order:
            self._place(index)
        self.best = max(self._ends, default=0)

    def _takers(self, index: int, others: Iterable[int]) -> Iterator[tuple[int, int, int]]:
        for other in others:
            above, below = self._shares.spare(index, other)
            yield other, self._sizes[other] - above, below

    @property
    def best_addresses(self) -> list[int]:
        """Where everything begins in the best layout."""
        return [end - size for end, size in zip(self._ends, self._sizes, strict=True)]

    def attempt(self, *, is_stuck: bool) -> bool:
        """Try one other order; whether it is better than the best."""
        swaps = self._exchanges(is_stuck=is_stuck)
        for one, other in swaps:
            self._swap(one, other)
        before = self._placed_anew({turn for pair in swaps for turn in pair})
        height = max(self._ends)
        if height > self.best:
            for one, other in reversed(swaps):
                self._swap(one, other)
            for index, (end, below) in before.items():
                self._ends[index], self._rests_on[index] = end, below
            return False
        is_gain = height < self.best
        self.best = height
        return is_gain

    def _swap(self, one: int, other: int) -> None:
        order = self._order
        order[one], order[other] = order[other], order[one]
        self._turn[order[one]], self._turn[order[other]] = one, other

    def _placed_anew(self, changed: set[int]) -> dict[int, tuple[int, int | None]]:
        """Place all that stands otherwise since some turns have other ranges, as long as nothing
        is above the best; how each of these stood before."""
        turns, ends, order, neighbours = self._turn, self._ends, self._order, self._neighbours
        first, last = min(changed), max(changed)
        waiting = changed.union(
            turns[other]
            for turn in changed
            for other in neighbours[order[turn]]
            if first < turns[other] < last
        )
        heap = sorted(waiting)
        rests_on, place, best = self._rests_on, self._place, self.best
        before: dict[int, tuple[int, int | None]] = {}
        while heap:
            turn = heapq.heappop(heap)
            index = order[turn]
            end, below = ends[index], rests_on[index]
            place(index)
            now = ends[index]
            if now == end:
                if rests_on[index] != below:
                    before[index] = end, below
                # Nothing above it was above the best before.
                continue
            before[index] = end, below
            if now > best:
                break
            for other in neighbours[index]:
                each = turns[other]
                if each > turn and each not in waiting:
                    heapq.heappush(heap, each)
                    waiting.add(each)
        return before

    def _place(self, index: int) -> None:
        """The lowest fit between the neighbours that had their turn, or where it has to be."""
        if (given := self._given[index]) is not None:
            self._ends[index], self._rests_on[index] = given + self._sizes[index], None
            return
        size, turns, ends, turn = self._sizes[index], self._turn, self._ends, self._turn[index]
        others, followed = self._taken[index], self._shares.followed
        self.looks += len(others)
        taken = []
        for other, begin, above in others:
            if turns[other] < turn:
                end = ends[other]
                taken.append((end - begin, end - above, other))
        if followed and index in followed:
            address = self._above_follower(index, turn, taken)
            if address is not None:
                ends[index], self._rests_on[index] = address + size, followed[index].lower
                return
        taken.sort()
        top, alignment = size, self._alignments[index]
        below: int | None = None
        for begin, end, other in taken:
            if begin >= top:
                break
            if end > top - size:
                # Rounded up.
                top, below = end + -end % alignment + size, other
        ends[index], self._rests_on[index] = top, below

    def _above_follower(
        self, index: int, turn: int, taken: Sequence[tuple[int, int, int]]
    ) -> int | None:
        """Where it shares most with the range that follows it, if that had its turn and nothing
        else is there."""
        trail = self._shares.followed[index]
        if self._turn[trail.lower] >= turn:
            return None
        begin = self._ends[trail.lower] - self._sizes[trail.lower]
        address = round_up(begin + trail.lead_bytes, self._alignments[index])
        end = address + self._sizes[index]
        is_free = all(above <= address or end <= below for below, above, _ in taken)
        return address if is_free else None

    def _exchanges(self, *, is_stuck: bool) -> list[tuple[int, int]]:
        """One or two pairs of turns whose exchange may lower the topmost range."""
        top = self._ends.index(max(self._ends))
        involved: dict[int, None] = {}
        for index in (top, *self._neighbours[top]):
            below: int | None = index
            while below is not None and below not in involved:
                involved[below] = None
                below = self._rests_on[below]
        members = self._movable(involved)
        near = {top, *self._neighbours[top]}
        outsiders = [index for index in members if index not in near]
        pool = outsiders if outsiders and self._chance.random() < _OUTSIDER_CHANCE else members
        swaps = [self._pair(self._chance.choice(pool), members)]
        if is_stuck:
            for index in outsiders:
                involved.update(dict.fromkeys(self._neighbours[index]))
            wide = self._movable(involved)
            swaps.append(self._pair(self._chance.choice(wide), wide))
        return swaps

    def _movable(self, indices: Iterable[int]) -> list[int]:
        """Those whose turn can be another; what is placed already has the first."""
        return [index for index in indices if self._given[index] is None]

    def _pair(self, index: int, others: Sequence[int]) -> tuple[int, int]:
        """The turns of a range and of another one, where there is one."""
        other = self._chance.choice(others)
        if other == index:
            other = others[(others.index(index) + 1) % len(others)]
        return self._turn[index], self._turn[other]
