"""Ranges that do not fit into a memory, and of which none could be left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.base.progress import SILENT, Progress
from core.memory.fit import Budget, OutOfNodes
from core.memory.optimal import decide
from core.memory.packing import Range, lower_bound
from core.memory.sections import sections_of

_MOST_RANGES = 200
"""Of more than that are live at a time, or hang together, it is not asked which are needed."""
_MOST_NODES = 4_000
"""Placements that may be tried for all questions together, about half a second."""


def misfit_of(
    ranges: Sequence[Range], limit_bytes: int, progress: Progress = SILENT
) -> tuple[int, ...]:
    """Indices of ranges that have no place together within a limit, though each of them could be
    left out and the others would; none where it is not proved, or all fit.

    Where more is live at a time than there is room for, as few as can be.
    """
    budget = Budget(_MOST_NODES, progress)

    def is_refused(indices: Sequence[int]) -> bool:
        """Whether these have no place; raises `OutOfNodes` where that stays open."""
        some = [ranges[index] for index in indices]
        if lower_bound(some) > limit_bytes:
            return True
        return bool(some) and decide(sections_of(some), limit_bytes, budget) is None

    crowds = [crowd for crowd in _crowds(ranges) if _is_above(ranges, crowd, limit_bytes)]
    if crowds:
        found = [_largest(ranges, crowd, limit_bytes) for crowd in crowds]
        least = min(found, key=lambda each: (len(each), each))
        return tuple(sorted(least))
    full = [index for index, item in enumerate(ranges) if item.size_bytes]
    try:
        if len(full) > _MOST_RANGES or not is_refused(full):
            return ()
        return tuple(_needed(full, ranges, is_refused))
    except OutOfNodes:
        return ()


def _crowds(ranges: Sequence[Range]) -> Iterator[list[int]]:
    """The ranges of each time at which one begins."""
    for time in sorted({item.start_time for item in ranges}):
        yield [
            index
            for index, item in enumerate(ranges)
            if item.size_bytes and item.start_time <= time <= item.end_time
        ]


def _is_above(ranges: Sequence[Range], crowd: Sequence[int], limit_bytes: int) -> bool:
    return lower_bound([ranges[index] for index in crowd]) > limit_bytes


def _largest(ranges: Sequence[Range], crowd: Sequence[int], limit_bytes: int) -> list[int]:
    """The largest of a crowd, as many as have no room."""
    order = sorted(crowd, key=lambda index: (-ranges[index].size_bytes, index))
    return next(
        order[:count]
        for count in range(1, len(order) + 1)
        if _is_above(ranges, order[:count], limit_bytes)
    )


def _needed(
    indices: Sequence[int], ranges: Sequence[Range], is_refused: Callable[[Sequence[int]], bool]
) -> list[int]:
    """What is left when everything is left out that can be, small ranges first."""
    left = list(indices)
    for index in sorted(indices, key=lambda each: (ranges[each].size_bytes, each)):
        others = [other for other in left if other != index]
        if is_refused(others):
            left = others
    return left
