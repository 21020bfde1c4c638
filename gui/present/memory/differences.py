"""A's ranges as outlines over the memory map of B, and those of B that A has not."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from core.api.comparisons import AccountRange, Comparison, Fate
from core.base.frozen import Frozen, NamedTuple
from core.base.rising import most_rising
from gui.present.memory.map import AreaMap

Boxes = npt.NDArray[np.float64]
"""Left, bottom, right, top."""
_NO_BOXES: Boxes = np.zeros((0, 4))


class Side(enum.Enum):
    """What an outline says of a range."""

    GONE = "only in A"
    BEFORE = "where it is in A"
    NEW = "only in B"
    AHEAD = "where it would be"


class Outlines(Frozen, eq=False):
    """Boxes in the coordinates of the map."""

    gone: Boxes
    """Ranges of A that B has not, or has elsewhere: evicted, moved out."""
    before: Boxes
    """Where ranges of A were that are other ones in B: moved, grown, shrunk."""
    new: Boxes
    """Ranges of B that A has not."""
    ahead: Boxes = _NO_BOXES
    """Where ranges would be if what is held were let go."""

    @property
    def by_side(self) -> Mapping[Side, Boxes]:
        """All of them, by what they say."""
        return {
            Side.BEFORE: self.before,
            Side.GONE: self.gone,
            Side.NEW: self.new,
            Side.AHEAD: self.ahead,
        }


NO_OUTLINES = Outlines(gone=_NO_BOXES, before=_NO_BOXES, new=_NO_BOXES)


def outlines_of(found: Comparison | None, drawn: AreaMap) -> Outlines:
    """What of a comparison is about this memory; A's times become those of B by operators."""
    if found is None:
        return NO_OUTLINES
    memory = drawn.area.area.value
    gone: list[AccountRange] = []
    before: list[AccountRange] = []
    new: list[AccountRange] = []
    for pair in found.ranges:
        a, b = pair.a, pair.b
        is_here, is_there = (
            a is not None and a.memory == memory,
            b is not None and b.memory == memory,
        )
        if a is not None and is_here and not is_there:
            gone.append(a)
        elif b is not None and is_there and not is_here:
            new.append(b)
        elif a is not None and is_here and pair.fate is not Fate.SAME:
            before.append(a)
    clock = Clock.by((pair.a.time, pair.b.time) for pair in found.operators if pair.a and pair.b)
    edges = drawn.edges
    return Outlines(
        gone=_boxes(gone, clock, edges),
        before=_boxes(before, clock, edges),
        new=_boxes(new, _SAME_TIMES, edges),
    )


class Clock(NamedTuple):
    """From times of one layout to those of another: as operators that both have run, in the same
    order, and between them in line."""

    start: Callable[[int], float]
    """Of a range that begins then: a cascade of one may be several things in the other."""
    end: Callable[[int], float]

    @classmethod
    def by(cls, pairs: Iterable[tuple[int, int]]) -> Clock:
        """By when the same operators run here and there."""
        known = sorted(pairs)
        return cls(_times(dict(reversed(known))), _times(dict(known)))


def _times(known: Mapping[int, int]) -> Callable[[int], float]:
    rising = most_rising(sorted(known.items()))
    if not rising:
        return float
    theirs, ours = np.array(rising, dtype=np.float64).T
    # Each time of an operator has one behind it, when the weights of the next may arrive.
    return lambda time: float(np.interp(time - time % 2, theirs, ours)) + time % 2


_SAME_TIMES = Clock(float, float)


def _boxes(ranges: Iterable[AccountRange], clock: Clock, edges: npt.NDArray[np.float64]) -> Boxes:
    rows = [
        (clock.start(each.start), clock.end(each.end), each.address, each.size_bytes)
        for each in ranges
    ]
    return boxes_of(rows, edges)


def boxes_of(
    rows: Iterable[tuple[float, float, int, int]], edges: npt.NDArray[np.float64]
) -> Boxes:
    """Boxes of ranges by the first and the last time, the address and the size."""
    steps = np.arange(len(edges), dtype=np.float64)
    found = [
        (
            float(np.interp(start, steps, edges)),
            float(address),
            float(np.interp(end + 1, steps, edges)),
            float(address + size_bytes),
        )
        for start, end, address, size_bytes in rows
    ]
    return np.array(found, dtype=np.float64).reshape(-1, 4)
