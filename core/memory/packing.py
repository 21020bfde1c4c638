"""What an allocator is asked, what it answers, and the bound that no answer can be below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.base.errors import InternalError
from core.base.geometry import round_up
from core.base.progress import Progress
from core.target.format import ALIGNMENT_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """Ranges that need addresses, and the height that should not be exceeded."""

    ranges: tuple[Range, ...]
    limit_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """An address for each range, in their order, and what is known about better ones."""

    addresses: tuple[int, ...]
    height_bytes: int
    lower_bound_bytes: int
    """Proven: no layout is lower."""

    @property
    def is_proven_optimal(self) -> bool:
        """Whether no layout without sharing can be lower."""
        return self.height_bytes <= self.lower_bound_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationOptions:
    """What is searched for, and how long; counted in steps, so that every machine stops alike."""

    iteration_limit: int = 99_999
    """Orders that HillClimb may try while it is above the limit."""
    placement_limit: int = 10_000_000
    """Ranges that HillClimb may place in all orders together: large problems get fewer orders."""
    patience: int = 500
    """Orders that HillClimb tries after the last gain once it is within the limit."""
    patience_above_limit: int = 5_000
    """Orders that it tries after the last gain while it is not."""
    seed: int = 1
    node_limit: int = 200_000
    """Placements that Optimal may try for all capacities together."""
    stops_at_limit: bool = False
    """Optimal is content with a layout within the limit, be it the lowest or not."""


DEFAULT_OPTIONS = AllocationOptions()


class Allocator(Protocol):
    """The one signature of all allocators."""

    def __call__(
        self,
        problem: Packing,
        options: AllocationOptions,
        progress: Progress,
    ) -> Solution:
        """A layout in which no two ranges that are live together share a byte.

        Ranges whose address is given have it; the others are placed around them.
        """


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


def lower_bound(ranges: Sequence[Range]) -> int:
    """The largest sum of bytes live at one time, with the gaps that alignment forces.

    It is no lower than what is placed already.
    """
    unit = granule(ranges)
    best = given_height(ranges)
    live: dict[int, int] = {}
    used = 0
    events = [(item.start_time, 1, index) for index, item in enumerate(ranges)]
    events += [(item.end_time + 1, 0, index) for index, item in enumerate(ranges)]
    for _, is_start, index in sorted(events):
        step = round_up(ranges[index].size_bytes, unit)
        used += step if is_start else -step
        if not is_start:
            live.pop(index, None)
        elif step:
            live[index] = step - ranges[index].size_bytes
        # Only the topmost range may do without the gap behind it.
        if is_start and used > best:
            best = max(best, used - max(live.values(), default=0))
    return best


def solution_of(
    problem: Packing, addresses: Sequence[int], lower_bound_bytes: int | None = None
) -> Solution:
    """The answer that consists of these addresses."""
    bound = lower_bound(problem.ranges) if lower_bound_bytes is None else lower_bound_bytes
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
