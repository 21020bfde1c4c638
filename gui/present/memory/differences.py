"""A's ranges as outlines over the memory map of B, and those of B that A has not."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from core.api.comparisons import AccountRange, Comparison, Fate
from core.base.frozen import Frozen
from core.base.rising import most_rising
from gui.present.memory.map import AreaMap

Boxes = npt.NDArray[np.float64]
"""Left, bottom, right, top."""


class Side(enum.Enum):
    """What an outline says of a range."""

    GONE = "only in A"
    BEFORE = "where it is in A"
    NEW = "only in B"


class Outlines(Frozen, eq=False):
    """Boxes in the coordinates of the map."""

    gone: Boxes
    """Ranges of A that B has not, or has elsewhere: evicted, moved out."""
    before: Boxes
    """Where ranges of A were that are other ones in B: moved, grown, shrunk."""
    new: Boxes
    """Ranges of B that A has not."""

    @property
    def by_side(self) -> Mapping[Side, Boxes]:
        """All of them, by what they say."""
        return {Side.BEFORE: self.before, Side.GONE: self.gone, Side.NEW: self.new}


NO_OUTLINES = Outlines(gone=np.zeros((0, 4)), before=np.zeros((0, 4)), new=np.zeros((0, 4)))


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
    time_of = _times(found)
    edges = drawn.edges
    return Outlines(
        gone=_boxes(gone, time_of, edges),
        before=_boxes(before, time_of, edges),
        new=_boxes(new, float, edges),
    )


def _times(found: Comparison) -> Callable[[int], float]:
    """From times of A to those of B: as operators that both have run, in the same order, and
    between them in line."""
    pairs = {pair.a.time: pair.b.time for pair in found.operators if pair.a and pair.b}
    known = most_rising(sorted(pairs.items()))
    if not known:
        return float
    ours, theirs = np.array(known, dtype=np.float64).T
    # Each time of an operator has one behind it, when the weights of the next may arrive.
    return lambda time: float(np.interp(time - time % 2, ours, theirs)) + time % 2


def _boxes(
    ranges: Iterable[AccountRange], time_of: Callable[[int], float], edges: npt.NDArray[np.float64]
) -> Boxes:
    steps = np.arange(len(edges), dtype=np.float64)
    rows = [
        (
            float(np.interp(time_of(each.start), steps, edges)),
            float(each.address),
            float(np.interp(time_of(each.end) + 1, steps, edges)),
            float(each.address + each.size_bytes),
        )
        for each in ranges
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)
