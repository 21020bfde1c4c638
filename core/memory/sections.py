"""Time cut at every start and end, and what the search needs to know about each piece."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.memory.packing import Range, granule

Ints = npt.NDArray[np.int64]

PLACED = 1 << 60
"""Stands above every address."""


class Sections(Frozen, eq=False):
    """Ranges, and the intervals of time in which the same ones are live."""

    count: int
    unit: int
    """Bytes that divide every address."""
    is_uniform: bool
    """Whether all ranges have the same alignment."""
    sizes: Ints
    widths: Ints
    """Times at which each range is live."""
    steps: Ints
    """Sizes with the gap that no other range can use."""
    alignments: Ints
    starts: Ints
    first: tuple[int, ...]
    """First section of each range."""
    end: tuple[int, ...]
    """Section behind the last of each range."""
    overlaps: tuple[Ints, ...]
    """Ranges that are live with each range."""
    reach: tuple[tuple[int, int], ...]
    """First and end section of everything that is live with each range."""
    members: Ints
    """Ranges of each section, a column each, filled up with the number behind the last range."""
    totals: Ints
    crossing: Ints

    def align(self, indices: Ints, address: int) -> Ints:
        """The lowest addresses from this one on that the ranges may have."""
        alignments = self.alignments[indices]
        aligned: Ints = -(-address // alignments) * alignments
        return aligned


def sections_of(ranges: Sequence[Range]) -> Sections:
    """The sections of these ranges; ranges keep their order."""
    times = sorted({r.start_time for r in ranges} | {r.end_time + 1 for r in ranges})
    position = {time: index for index, time in enumerate(times)}
    first = tuple(position[item.start_time] for item in ranges)
    end = tuple(position[item.end_time + 1] for item in ranges)
    starts, ends = np.array(first, dtype=np.int64), np.array(end, dtype=np.int64)
    columns = len(times) - 1
    unit = granule(ranges)
    sizes = np.array([item.size_bytes for item in ranges], dtype=np.int64)
    steps = -(-sizes // unit) * unit
    changes = np.zeros(columns + 1, dtype=np.int64)
    np.add.at(changes, starts, steps)
    np.subtract.at(changes, ends, steps)
    borders = np.zeros(columns + 1, dtype=np.int64)
    np.add.at(borders, starts, 1)
    np.subtract.at(borders, ends - 1, 1)
    overlaps = tuple(
        np.flatnonzero((starts < e) & (ends > s) & (np.arange(len(ranges)) != index))
        for index, (s, e) in enumerate(zip(first, end, strict=True))
    )
    return Sections(
        count=len(ranges),
        unit=unit,
        is_uniform=len({item.alignment for item in ranges}) == 1,
        sizes=sizes,
        widths=np.array([r.end_time + 1 - r.start_time for r in ranges], dtype=np.int64),
        steps=steps,
        alignments=np.array([item.alignment for item in ranges], dtype=np.int64),
        starts=starts,
        first=first,
        end=end,
        overlaps=overlaps,
        reach=tuple(
            (int(min(s, starts[near].min(initial=s))), int(max(e, ends[near].max(initial=e))))
            for s, e, near in zip(first, end, overlaps, strict=True)
        ),
        members=_members(first, end, columns),
        totals=np.cumsum(changes)[:columns],
        crossing=np.cumsum(borders)[:columns],
    )


def _members(first: Sequence[int], end: Sequence[int], columns: int) -> Ints:
    lists: list[list[int]] = [[] for _ in range(columns)]
    for index, (begin, stop) in enumerate(zip(first, end, strict=True)):
        for column in lists[begin:stop]:
            column.append(index)
    depth = max(len(column) for column in lists)
    members = np.full((depth, columns), len(first), dtype=np.int64)
    for number, column in enumerate(lists):
        members[: len(column), number] = column
    return members
