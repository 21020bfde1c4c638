"""All parts that end with one operator, in a table: what they take and cost, whatever the limit is.

By reel and by how weights come (read where they are stored, or kept near) it has a row, and by
length a column, as far back as somebody has asked. Maps that live on change what parts cost; as
each of them changes the same in nearly all lengths, that is told where it becomes another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.base.ids import FmId
from core.schedule.branches.heights import Heights
from core.schedule.front.ground import TOO_MUCH, Ground, Numbers
from core.schedule.front.reels import Reel

Rows = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

SCALES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Rows that the last operator of a part makes at once; with 0, all make as few as they can."""

FIRST_SCALES = (0, 1, 2, 4, 8, 16, 32)
"""Those that are looked at first; the others where one beside them is on the best way."""

TOGETHER = 4
"""Lengths of parts that are compared together; a table has columns for some times as many."""


@dataclass(slots=True)
class Steps:
    """What some maps change in the parts of one reel, from each length on at which that becomes
    another."""

    places: list[int] = field(default_factory=list)
    values: list[Numbers] = field(default_factory=list)
    """By way of weights, and by the sides before and behind."""

    def add_to(self, cycles: Numbers, places: slice) -> None:
        """Change the cycles of parts of some lengths."""
        begun = max(bisect_right(self.places, places.start) - 1, 0)
        for at in range(begun, len(self.places)):
            first = max(self.places[at] - places.start, 0)
            if first >= places.stop - places.start:
                break
            end = self.places[at + 1] if at + 1 < len(self.places) else places.stop
            cycles[:, first : end - places.start] += self.values[at][:, None]

    def add(self, place: int, value: Numbers) -> None:
        """From a length on, which is longer than those before."""
        if not self.values or (self.values[-1] != value).any():
            self.places.append(place)
            self.values.append(value)


@dataclass(slots=True)
class Ending:
    """Parts that end with a node."""

    ground: Ground
    last: int
    reels: dict[int, Reel] = field(default_factory=dict)
    """By row, as far as somebody has asked."""
    lengths: Rows = field(init=False)
    """By row: how many nodes the longest part has that is in the table."""
    least: Numbers = field(init=False)
    """By row, way of weights, and length: cycles with all maps near that can be."""
    rings: Numbers = field(init=False)
    """Bytes that parts take at least where whole maps take nothing, however much longer they are.
    """
    sizes: Numbers = field(init=False)
    """Of all that is live, from a length of two on, as are all that follow."""
    cycles: Numbers = field(init=False)
    """By the side of the map before a part, and of that behind it, too: far, then near."""
    gains: dict[frozenset[FmId], dict[int, Steps]] = field(default_factory=dict)
    """By row: cycles that maps change which live on, where they are near."""

    def __post_init__(self) -> None:
        self.lengths = np.zeros(len(SCALES), dtype=np.int64)
        self.least, self.rings, self.sizes = (self._empty() for _ in range(3))
        self.cycles = self._empty(2, 2)

    def cycles_with(self, near: frozenset[FmId], rows: Rows, places: slice) -> Numbers:
        """Cycles of parts of some lengths with some maps near that live on."""
        cycles = self.cycles[rows, :, places]
        for fms, steps in self.gains.items():
            if fms <= near:
                for at, row in enumerate(rows.tolist()):
                    if row in steps:
                        steps[row].add_to(cycles[at], places)
        return cycles

    def grow_to(self, rows: Rows, length: int) -> None:
        """Have parts of so many nodes in some rows."""
        for row in rows.tolist():
            if row not in self.reels:
                heights = Heights(SCALES[row], self.ground.player.asked_heights)
                self.reels[row] = Reel(self.ground, self.last, heights)
            while self.lengths[row] < length:
                self._grow(row)

    def rest(self) -> None:
        """Let go of what is needed for longer parts, and soon made again: there are very many."""
        for reel in self.reels.values():
            reel.rest()

    def _grow(self, row: int) -> None:
        """One node more in a row."""
        reel = self.reels[row]
        reel.grow()
        length = self.lengths[row] = reel.length
        if length > self.least.shape[2]:
            self._lengthen()
        self.least[row, :, length - 1] = reel.least_cycles
        kept_bytes = np.array([0, reel.kept_bytes])
        self.rings[row, :, length - 1] = kept_bytes - reel.saved_bytes
        if length > 1:
            at = row, slice(None), length - 2
            self.sizes[at] = reel.sizes[-1] + kept_bytes
            begin = reel.at_border(reel.first, reel.first)
            end = reel.at_border(self.last, self.last + 1)
            self.cycles[at] = [
                [[own, own + behind], [own + before, own + before + behind]]
                for own, before, behind in zip(reel.cycles, begin.cycles, end.cycles, strict=True)
            ]
            for fms in reel.changed_gains(begin, end):
                gain = np.zeros((2, 2, 2))
                gain += reel.gains.get(fms, np.zeros(2))[:, None, None]
                gain[:, 1] += begin.gains.get(fms, np.zeros(2))[:, None]
                gain[:, :, 1] += end.gains.get(fms, np.zeros(2))[:, None]
                self.gains.setdefault(fms, {}).setdefault(row, Steps()).add(length - 2, gain)

    def _empty(self, *sides: int) -> Numbers:
        return np.full((len(SCALES), 2, TOGETHER, *sides), TOO_MUCH)

    def _lengthen(self) -> None:
        """Have columns for parts of twice as many nodes."""
        self.least, self.rings, self.sizes, self.cycles = (
            np.concatenate([table, np.full_like(table, TOO_MUCH)], axis=2)
            for table in (self.least, self.rings, self.sizes, self.cycles)
        )


def first_rows(ground: Ground, last: int) -> Rows:
    """The rows that are looked at first of parts that end with a node."""
    return _rows(ground, last, FIRST_SCALES[::-1])


def rows_beside(reel: Reel) -> Rows:
    """Those of the scales next to one that are not looked at first."""
    own = reel.heights.scale
    first = max((each for each in FIRST_SCALES if each < own), default=0)
    end = min((each for each in FIRST_SCALES if each > own), default=SCALES[-1])
    return _rows(reel.ground, reel.last, [scale for scale in SCALES if first < scale < end])


def _rows(ground: Ground, last: int, scales: Sequence[int]) -> Rows:
    """The rows of some scales; those of which the last node makes as many rows at once have one."""
    node, asked, lowest = ground.flow.nodes[last], ground.player.asked_heights, dict[int, int]()
    for row, scale in enumerate(SCALES):
        height = Heights(scale, asked).add(node) if scale else 0
        lowest.setdefault(height, row)
    heights = [Heights(scale, asked).add(node) if scale else 0 for scale in scales]
    return np.array(list(dict.fromkeys(lowest[height] for height in heights)), dtype=np.int64)
