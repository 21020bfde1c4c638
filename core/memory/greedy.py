"""Greedy: in order of start, each range into the gap that it leaves least of."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.geometry import round_up
from core.base.progress import Progress
from core.memory.packing import (
    AllocationOptions,
    Packing,
    Range,
    Shares,
    Solution,
    lowest_fit,
    neighbours_of,
    solution_of,
)


def allocate(
    problem: Packing,
    options: AllocationOptions,
    progress: Progress,
) -> Solution:
    """A layout in one pass: the long ones first among those that start together."""
    del options
    ranges = problem.ranges
    order = sorted(
        range(len(ranges)),
        key=lambda index: (ranges[index].start_time, -ranges[index].end_time, index),
    )
    addresses = [item.address or 0 for item in ranges]
    given = [index for index, item in enumerate(ranges) if item.address is not None]
    live: list[int] = []
    shares = Shares(problem)
    for done, index in enumerate(order):
        item = ranges[index]
        if item.address is not None:
            continue
        live = [other for other in live if ranges[other].end_time >= item.start_time]
        beside = [other for other in given if _meet(ranges[other], item)]
        taken = [
            shares.taken(index, o, addresses[o], addresses[o] + ranges[o].size_bytes)
            for o in (*live, *beside)
        ]
        addresses[index] = _best_fit(sorted(taken), item)
        if item.size_bytes:
            live.append(index)
        progress.advance("allocating", done + 1, len(order))
    return solution_of(problem, addresses)


def _meet(one: Range, other: Range) -> bool:
    """Whether two ranges are live at one time, and have bytes."""
    is_apart = one.end_time < other.start_time or other.end_time < one.start_time
    return not is_apart and one.size_bytes > 0


def _best_fit(taken: Sequence[tuple[int, int]], item: Range) -> int:
    """The place in the gap that is the tightest, or on top of everything."""
    address = 0
    best: tuple[int, int] | None = None
    for begin, end in taken:
        room = begin - address
        if room >= item.size_bytes and (best is None or room < best[0]):
            best = (room, address)
        address = round_up(max(address, end), item.alignment)
    return address if best is None else best[1]


def first_fits(problem: Packing) -> tuple[Solution, ...]:
    """Layouts by lowest fit in the orders that planners of other systems use."""
    ranges = problem.ranges
    neighbours, shares = neighbours_of(ranges), Shares(problem)
    found = []
    for by_area in (False, True):
        order = sorted(
            range(len(ranges)), key=lambda index: (-_weight(ranges[index], by_area=by_area), index)
        )
        addresses = [-1 if item.address is None else item.address for item in ranges]
        for index in order:
            if addresses[index] >= 0:
                continue
            taken = [
                shares.taken(index, o, addresses[o], addresses[o] + ranges[o].size_bytes)
                for o in neighbours[index]
                if addresses[o] >= 0
            ]
            item = ranges[index]
            addresses[index] = lowest_fit(taken, item.size_bytes, item.alignment)
        found.append(solution_of(problem, addresses))
    return tuple(found)


def _weight(item: Range, *, by_area: bool) -> int:
    width = item.end_time - item.start_time + 1 if by_area else 1
    return item.size_bytes * width
