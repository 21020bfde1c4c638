"""LinearAlloc: one range behind the other, whenever they are live; equal constants share."""

from __future__ import annotations

from collections.abc import Iterable

from core.base.geometry import round_up
from core.base.progress import Progress
from core.memory.packing import (
    AllocationOptions,
    Packing,
    Range,
    Solution,
    lower_bound,
    solution_of,
)


def allocate(
    problem: Packing,
    options: AllocationOptions,
    progress: Progress,
) -> Solution:
    """Addresses that rise in the order of the ranges; equal contents have the same address."""
    del options
    addresses: list[int] = []
    seen: dict[tuple[str, int], int] = {}
    top = 0
    given = [item for item in problem.ranges if item.address is not None]
    for item in problem.ranges:
        if item.address is not None:
            addresses.append(item.address)
            continue
        key = (item.content, item.size_bytes) if item.content is not None else None
        known = seen.get(key) if key is not None else None
        if known is not None and known % item.alignment == 0:
            addresses.append(known)
            continue
        address = _free_from(top, item, given)
        if key is not None:
            seen[key] = address
        addresses.append(address)
        top = address + item.size_bytes
    progress.advance("allocating", len(addresses), len(addresses))
    if problem.trails:
        return solution_of(problem, addresses)
    return solution_of(problem, addresses, lower_bound(_distinct(problem.ranges)))


def _free_from(top: int, item: Range, given: Iterable[Range]) -> int:
    """The lowest address from here on that no range has whose address is given."""
    address = round_up(top, item.alignment)
    for begin, size in sorted((other.address or 0, other.size_bytes) for other in given):
        if address < begin + size and begin < address + item.size_bytes:
            address = round_up(begin + size, item.alignment)
    return address


def _distinct(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """One range for each content: what has to have a place of its own even where equals share."""
    seen: set[str] = set()
    found = []
    for item in ranges:
        if item.content is None or item.content not in seen:
            found.append(item)
        if item.content is not None:
            seen.add(item.content)
    return tuple(found)
