"""What an allocator is asked, what it answers, and the bound that no answer can be below."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from core.base.errors import InternalError
from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import round_up
from core.base.progress import Progress
from core.target.format import ALIGNMENT_BYTES


class Range(Frozen):
    """Bytes that are needed from one time to another, both of them included."""

    name: str
    size_bytes: int
    start_time: int
    end_time: int
    """The last time at which the bytes are needed."""
    alignment: int = ALIGNMENT_BYTES
    content: str | None = None
    """Digest of constant bytes; ranges of equal content may share their place."""
    address: int | None = None
    """Where it has to be, if that is given; such ranges do not meet each other."""

    def __post_init__(self) -> None:
        if self.size_bytes < 0 or self.alignment < 1 or self.end_time < self.start_time:
            raise InternalError(f"'{self.name}' is no range: {self}")


class Trail(NamedTuple):
    """Two ranges that may share bytes: one is filled while the other is given up."""

    upper: int
    """The range that is given up from its begin on."""
    lower: int
    """The range that follows it; it has to begin before the other."""
    lead_bytes: int
    """By so much, at least."""

    def spare_bytes(self, ranges: Sequence[Range]) -> int:
        """Bytes at the end of the lower range that may lie in the upper one."""
        return ranges[self.lower].size_bytes - self.lead_bytes

    def saved_bytes(self, ranges: Sequence[Range]) -> int:
        """What both take less together."""
        return min(ranges[self.upper].size_bytes, self.spare_bytes(ranges))


class Packing(Frozen):
    """Ranges that need addresses, and the height that should not be exceeded."""

    ranges: tuple[Range, ...]
    limit_bytes: int | None = None
    trails: tuple[Trail, ...] = ()
    """Each range is in one of a kind at most: once the lower one, once the upper."""


class Solution(Frozen):
    """An address for each range, in their order, and what is known about better ones."""

    addresses: tuple[int, ...]
    height_bytes: int
    lower_bound_bytes: int
    """Proven: no layout is lower."""

    @property
    def is_proven_optimal(self) -> bool:
        """Whether no layout without sharing can be lower."""
        return self.height_bytes <= self.lower_bound_bytes


class AllocationOptions(Frozen):
    """What is searched for, and how long; counted in steps, so that every machine stops alike."""

    iteration_limit: int = 99_999
    """Orders that HillClimb may try while it is above the limit."""
    look_limit: int = 100_000_000
    """Neighbours of ranges that HillClimb may look at in all orders together: problems of which
    much is live at a time get fewer orders."""
    patience: int = 500
    """Orders that HillClimb tries after the last gain once it is within the limit."""
    patience_above_limit: int = 1_500
    """Orders that it tries after the last gain while it is not: so many at most,"""
    patience_per_range: int = 32
    """so many for each range, but as many as within the limit. Of 1,539 problems, of real networks
    and random ones, none had waited for its next gain through more than 14 for each range."""
    seed: int = 1
    node_limit: int = 200_000
    """Placements that Optimal may try for all capacities together."""
    stops_at_limit: bool = False
    """Optimal is content with a layout within the limit, be it the lowest or not."""
    climbs: bool = True
    """Optimal has what HillClimb finds, where it can prove nothing; else that is known already."""


DEFAULT_OPTIONS = AllocationOptions()


class Allocator(Protocol):
    """The one signature of all allocators."""

    def __call__(
        self,
        problem: Packing,
        options: AllocationOptions,
        progress: Progress,
    ) -> Solution:
        """A layout in which no two ranges that are live together share a byte, but as trails say.

        Ranges whose address is given have it; the others are placed around them.
        """


_NO_RANGE = -1


def granule(ranges: Sequence[Range]) -> int:
    """The greatest number of bytes that divides every address that an allocator may give."""
    return math.gcd(*(item.alignment for item in ranges)) or 1


def height_of(ranges: Sequence[Range], addresses: Sequence[int]) -> int:
    """Bytes up to the end of the topmost range."""
    pairs = zip(ranges, addresses, strict=True)
    return max((address + item.size_bytes for item, address in pairs), default=0)


def given_height(ranges: Iterable[Range]) -> int:
    """Bytes up to the end of the topmost range whose address is given."""
    given = (item for item in ranges if item.address is not None)
    return max(((item.address or 0) + item.size_bytes for item in given), default=0)


def lower_bound(ranges: Sequence[Range], trails: Iterable[Trail] = ()) -> int:
    """The largest sum of bytes live at one time, with the gaps that alignment forces, and without
    what trails save.

    It is no lower than what is placed already. Where one trail goes on after the other, the first
    range lies above the leads of all; or in one of the trails nothing is shared.
    """
    trails = tuple(trails)
    best = _most_live(ranges, trails)
    for chain in _chains(trails):
        stacked = _stacked_bytes(ranges, chain)
        if stacked > best:
            without = ([each for each in trails if each is not trail] for trail in chain)
            best = max(best, min(stacked, *(_most_live(ranges, others) for others in without)))
    return best


def _chains(trails: Iterable[Trail]) -> Iterator[list[Trail]]:
    """Trails whose lower range is the upper one of the next."""
    by_upper = {trail.upper: trail for trail in trails}
    for first in by_upper.keys() - {trail.lower for trail in by_upper.values()}:
        chain = [by_upper[first]]
        while (following := by_upper.get(chain[-1].lower)) is not None:
            chain.append(following)
        yield chain


def _stacked_bytes(ranges: Sequence[Range], chain: Iterable[Trail]) -> int:
    """The height where every range of a chain begins by its lead before the one that it follows."""
    unit, leads, height = granule(ranges), 0, 0
    for trail in reversed([*chain]):
        leads += round_up(trail.lead_bytes, unit)
        height = max(height, leads + ranges[trail.upper].size_bytes)
    return height


def _most_live(ranges: Sequence[Range], trails: Iterable[Trail]) -> int:
    unit = granule(ranges)
    best = given_height(ranges)
    # How many of what is live have a gap of so many bytes behind them: few sizes of gaps there are.
    gaps = Counter[int]()
    used = 0
    steps = [round_up(item.size_bytes, unit) for item in ranges]
    # What ends at a time, or is saved from it on, comes before what begins then.
    events = [(item.start_time, 1, index, steps[index]) for index, item in enumerate(ranges)]
    events += [(item.end_time + 1, 0, index, -steps[index]) for index, item in enumerate(ranges)]
    for trail in trails:
        saved = round_up(trail.saved_bytes(ranges), unit)
        events.append((ranges[trail.lower].start_time, 0, _NO_RANGE, -saved))
        events.append((ranges[trail.upper].end_time + 1, 0, _NO_RANGE, saved))
    for _, is_start, index, change in sorted(events):
        used += change
        gap = abs(change) - ranges[index].size_bytes if index != _NO_RANGE else 0
        if gap:
            gaps[gap] += 1 if is_start else -1
        # Only the topmost range may do without the gap behind it.
        if is_start and used > best:
            best = max(best, used - max((gap for gap, count in gaps.items() if count), default=0))
    return best


def solution_of(
    problem: Packing, addresses: Sequence[int], lower_bound_bytes: int | None = None
) -> Solution:
    """The answer that consists of these addresses."""
    bound = lower_bound_bytes
    if bound is None:
        bound = lower_bound(problem.ranges, problem.trails)
    return Solution(
        addresses=tuple(addresses),
        height_bytes=height_of(problem.ranges, addresses),
        lower_bound_bytes=bound,
    )


def neighbours_of(ranges: Sequence[Range]) -> tuple[tuple[int, ...], ...]:
    """For each range those that are live with it, in ascending order; empty ones have none."""
    found: list[list[int]] = [[] for _ in ranges]
    live: list[int] = []
    order = sorted(range(len(ranges)), key=lambda index: (ranges[index].start_time, index))
    for index in order:
        item = ranges[index]
        if not item.size_bytes:
            continue
        live = [other for other in live if ranges[other].end_time >= item.start_time]
        for other in live:
            found[other].append(index)
        found[index] = list(live)
        live.append(index)
    return tuple(tuple(sorted(each)) for each in found)


class Shares:
    """What of each range others may not have, as trails say."""

    def __init__(self, problem: Packing) -> None:
        self._spare: dict[tuple[int, int], tuple[int, int]] = {}
        for trail in problem.trails:
            spare = trail.spare_bytes(problem.ranges)
            self._spare[trail.lower, trail.upper] = spare, 0
            self._spare[trail.upper, trail.lower] = 0, spare
        self.sharing = frozenset(index for index, _ in self._spare)
        """Ranges for which it is less than all."""
        self.followed = {trail.upper: trail for trail in problem.trails}
        """By range: how another one follows it."""

    def spare(self, index: int, other: int) -> tuple[int, int]:
        """Bytes at the begin and at the end of another range that a range may have too."""
        return self._spare.get((index, other), (0, 0))

    def taken(self, index: int, other: int, begin: int, end: int) -> tuple[int, int]:
        """What a range finds taken where another lies."""
        above, below = self.spare(index, other)
        return begin + above, end - below


def lowest_fit(taken: Iterable[tuple[int, int]], size_bytes: int, alignment: int) -> int:
    """The lowest aligned address of a gap of this size between (begin, end) pairs."""
    address = 0
    for begin, end in sorted(taken):
        if begin >= address + size_bytes:
            break
        if end > address:
            address = round_up(end, alignment)
    return address


def parts(ranges: Sequence[Range]) -> Iterator[tuple[int, ...]]:
    """Ranges that hang together in time, in their order; empty ones belong to no part."""
    part: list[int] = []
    last = 0
    for index in sorted(range(len(ranges)), key=lambda each: (ranges[each].start_time, each)):
        item = ranges[index]
        if not item.size_bytes:
            continue
        if part and item.start_time > last:
            yield tuple(sorted(part))
            part = []
        last = max(last, item.end_time) if part else item.end_time
        part.append(index)
    if part:
        yield tuple(sorted(part))
