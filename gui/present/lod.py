"""Level of detail: of very many rectangles, those that a view shows, the narrow ones merged.

Rectangles that are narrower than a pixel are merged with those of the same row that start in the
same pixel. What a merged one stands for is counted, so nothing is left out in silence. Coarser
copies are made beforehand, so that the work for a view depends on its pixels and not on the data.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from gui.present.rects import Floats, Ints, Rects

MOST_UNMERGED = 16_384
"""So many rectangles are merged quickly enough for every picture; more get coarser copies."""

_MOST_LEVELS = 40
_FEW_ROWS = 64
"""So many are searched one by one; more are searched side by side."""
_WORTHWHILE = 0.7
"""A coarser copy is kept where it has at most this share of the finer one's entries."""

Indices = npt.NDArray[np.intp]


class Viewport(NamedTuple):
    """A part of the plane, and how much of x one pixel shows."""

    left: float
    right: float
    bottom: float
    top: float
    pixel: float


class Level(Frozen, eq=False):
    """Rectangles, alone or merged, in order of rows and of their start."""

    left: Floats
    right: Floats
    bottom: Floats
    top: Floats
    longest: Floats
    """Length of the longest one that is merged here."""
    count: Ints
    """How many rectangles each stands for."""
    chosen: Ints
    """The longest one's position in the rectangles that were given."""
    row: Ints
    """Rows are counted from 0 without holes."""

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.left)

    def take(self, where: npt.NDArray[Any] | slice) -> Level:
        """Some of the entries."""
        return Level(
            left=self.left[where],
            right=self.right[where],
            bottom=self.bottom[where],
            top=self.top[where],
            longest=self.longest[where],
            count=self.count[where],
            chosen=self.chosen[where],
            row=self.row[where],
        )


_NOTHING = Level(
    left=np.zeros(0),
    right=np.zeros(0),
    bottom=np.zeros(0),
    top=np.zeros(0),
    longest=np.zeros(0),
    count=np.zeros(0, dtype=np.int32),
    chosen=np.zeros(0, dtype=np.int32),
    row=np.zeros(0, dtype=np.int32),
)
"""No entry: most layers of most pictures outline and fade nothing."""


class _Copies:
    """Rectangles in the order in which they are looked for, and coarser copies of them."""

    def __init__(self, rects: Rects) -> None:
        full = _full(rects)
        self.levels = [(0.0, full)]
        self.offsets = [_offsets(full)]
        starts = self.offsets[0][:-1]
        self.row_bottom = np.minimum.reduceat(full.bottom, starts) if full.size else full.bottom
        self.row_top = np.maximum.reduceat(full.top, starts) if full.size else full.top
        if full.size > MOST_UNMERGED:
            self._build()

    def _build(self) -> None:
        full = self.levels[0][1]
        span = float(full.right.max() - full.left.min())
        lengths = full.right - full.left
        finest = max(float(np.percentile(lengths, 10)), span * 2.0**-_MOST_LEVELS)
        if span <= 0.0:
            return
        width = span * 2.0 ** -np.floor(np.log2(span / finest))
        level = full
        while width < span:
            coarser = merged(level, width)
            if coarser.size <= _WORTHWHILE * self.levels[-1][1].size:
                self.levels.append((width, coarser))
                self.offsets.append(_offsets(coarser))
                level = coarser
            if coarser.size <= MOST_UNMERGED:
                return
            width *= 2.0


class Field:
    """Rectangles that can be asked for what a window shows of them.

    They are put in order when they are looked at for the first time: much is never in sight.
    """

    def __init__(self, rects: Rects) -> None:
        self.rects = rects

    @cached_property
    def _copies(self) -> _Copies:
        return _Copies(self.rects)

    @property
    def levels(self) -> int:
        """How many copies there are, the full one among them."""
        return len(self._copies.levels)

    @property
    def nothing(self) -> Level:
        """No entry."""
        return _NOTHING

    def visible(self, window: Viewport) -> Level:
        """What the window shows, merged so that no two of a row begin in one pixel."""
        if not self.rects.count:
            return _NOTHING
        copies = self._copies
        position = max(
            index for index, (width, _) in enumerate(copies.levels) if width <= window.pixel
        )
        level = copies.levels[position][1]
        rows = np.flatnonzero((copies.row_top >= window.bottom) & (copies.row_bottom <= window.top))
        if not len(rows):
            return self.nothing
        offsets = copies.offsets[position]
        first = _search(level.right, offsets[rows], offsets[rows + 1], window.left)
        # A start right on the border is still in sight, as a marker without length may be.
        end = _search(level.left, first, offsets[rows + 1], np.nextafter(window.right, np.inf))
        found = level.take(_ranges(first, end))
        inside = (found.top >= window.bottom) & (found.bottom <= window.top)
        if not inside.all():
            found = found.take(inside)
        return merged(found, window.pixel)

    def at(self, x: float, y: float, window: Viewport, reach_pixels: float = 2.0) -> Level:
        """What is drawn at a point, or else next to it; one entry or none."""
        pixel = window.pixel
        start = np.floor(x / pixel) * pixel
        reach = (reach_pixels + 1.0) * pixel
        near = self.visible(Viewport(start - reach, start + pixel + reach, y, y, pixel))
        if not near.size:
            return near
        distance = np.maximum(np.maximum(near.left - x, x - near.right), 0.0)
        # Of those at the point the last is on top.
        best = near.size - 1 - int(np.argmin(distance[::-1]))
        if distance[best] > reach_pixels * pixel:
            return self.nothing
        return near.take(slice(best, best + 1))


def merged(level: Level, width: float) -> Level:
    """The same with all that are narrower than a width merged where they start in one bin."""
    if level.size < 2 or width <= 0.0:
        return level
    is_narrow = level.right - level.left < width
    bins = np.floor(level.left / width)
    joins = is_narrow[1:] & is_narrow[:-1]
    joins &= bins[1:] == bins[:-1]
    joins &= level.row[1:] == level.row[:-1]
    if not joins.any():
        return level
    starts = np.flatnonzero(np.concatenate(([True], ~joins)))
    ends = np.append(starts[1:], level.size)
    longest = np.maximum.reduceat(level.longest, starts)
    is_longest = level.longest == np.repeat(longest, ends - starts)
    places = np.where(is_longest, np.arange(level.size), level.size)
    counted = np.concatenate(([0], np.cumsum(level.count)))
    return Level(
        left=level.left[starts],
        # Of rectangles that do not overlap, the last one ends last.
        right=level.right[ends - 1],
        bottom=_extreme(np.minimum, level.bottom, joins, starts),
        top=_extreme(np.maximum, level.top, joins, starts),
        longest=longest,
        count=(counted[ends] - counted[starts]).astype(np.int32),
        chosen=level.chosen[np.minimum.reduceat(places, starts)],
        row=level.row[starts],
    )


def _extreme(of: np.ufunc, values: Floats, joins: npt.NDArray[np.bool_], starts: Indices) -> Floats:
    """The least or the largest value of those that are joined; most often they are all alike."""
    if not ((values[1:] != values[:-1]) & joins).any():
        return values[starts]
    found: Floats = of.reduceat(values, starts)
    return found


def runs(
    level: Level, low: Floats, high: Floats, bridge: float, narrower: float = np.inf
) -> tuple[Floats, Floats, Indices]:
    """Stretches of a row that are nearly covered: start, end, and the first entry of each.

    Only entries of one height are joined, and only where one of the two is narrower than that.
    """
    if not level.size:
        return low, high, np.zeros(0, dtype=np.intp)
    is_narrow = high - low < narrower
    is_near = (low[1:] - high[:-1] <= bridge) & (is_narrow[1:] | is_narrow[:-1])
    for values in (level.row, level.bottom, level.top):
        is_near &= values[1:] == values[:-1]
    starts = np.flatnonzero(np.concatenate(([True], ~is_near)))
    return low[starts], np.maximum.reduceat(high, starts), starts


def _full(rects: Rects) -> Level:
    order = _order(rects)
    left, right = rects.left[order], rects.right[order]
    rows = rects.row[order]
    return Level(
        left=left,
        right=right,
        bottom=rects.bottom[order],
        top=rects.top[order],
        longest=right - left,
        count=np.ones(rects.count, dtype=np.int32),
        chosen=order,
        row=np.cumsum(np.diff(rows, prepend=rows[:1]) > 0, dtype=np.int32),
    )


def _order(rects: Rects) -> Ints:
    """By row, start and end; most presenters give them so."""
    row, left, right = np.diff(rects.row), np.diff(rects.left), np.diff(rects.right)
    is_sorted = (row > 0) | ((row == 0) & ((left > 0) | ((left == 0) & (right >= 0))))
    if is_sorted.all():
        return np.arange(rects.count, dtype=np.int32)
    return np.lexsort((rects.right, rects.left, rects.row)).astype(np.int32)


def _offsets(level: Level) -> Indices:
    """Where each row begins, and the end."""
    rows = int(level.row[-1]) + 1 if level.size else 0
    return np.searchsorted(level.row, np.arange(rows + 1)).astype(np.intp)


def _search(values: Floats, low: Indices, high: Indices, wanted: float) -> Indices:
    """In each of the sorted stretches from low to high: the first that is not below a value."""
    if len(low) <= _FEW_ROWS:
        starts = zip(low.tolist(), high.tolist(), strict=True)
        found = [start + int(values[start:end].searchsorted(wanted)) for start, end in starts]
        return np.array(found, dtype=np.intp)
    low, high = low.copy(), high.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        is_below = np.zeros(len(low), dtype=np.bool_)
        is_below[open_] = values[middle[open_]] < wanted
        low = np.where(open_ & is_below, middle + 1, low)
        high = np.where(open_ & ~is_below, middle, high)
    return low


def _ranges(first: Indices, end: Indices) -> Indices:
    """All positions of several stretches."""
    lengths = np.maximum(end - first, 0)
    before = np.cumsum(lengths) - lengths
    return np.repeat(first - before, lengths) + np.arange(int(lengths.sum()), dtype=np.intp)
