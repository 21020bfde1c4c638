"""All parts that end with one operator, in a table: what they take and cost, whatever the limit is.

By reel and by how weights come (read where they are stored, or kept near) it has a row, and by
length a column, as far back as somebody has asked. Maps that live on change what parts cost; as
each of them changes the same in nearly all lengths, that is told where it becomes another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, field, later
from core.base.ids import FmId
from core.schedule.branches.heights import Heights
from core.schedule.front.ground import NO_GAIN, TOO_MUCH, Ground, TwoWays
from core.schedule.front.reels import Reel

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

SCALES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Rows that the last operator of a part makes at once; with 0, all make as few as they can."""

FIRST_SCALES = (0, 1, 2, 4, 8, 16, 32)
"""Those that are looked at first; the others where one beside them is on the best way."""

TOGETHER = 4
"""Lengths of parts that are compared together where they are not known, so that the best of them
may leave longer ones no hope; a table has columns for some times as many."""


_Sides = tuple[tuple[TwoWays, TwoWays], ...]
"""Cycles by way of weights, and by the sides of the maps before and behind: far, then near."""


class Steps(Changing):
    """What some maps change in the parts of one reel, from each length on at which that becomes
    another."""

    places: list[int] = field(default_factory=list)
    values: list[Numbers] = field(default_factory=list)
    """By way of weights, and by the sides before and behind."""
    _last: _Sides | None = None

    def add_to(self, cycles: Numbers, places: slice) -> None:
        """Change the cycles of parts of some lengths."""
        begun = max(bisect_right(self.places, places.start) - 1, 0)
        for at in range(begun, len(self.places)):
            first = max(self.places[at] - places.start, 0)
            if first >= places.stop - places.start:
                break
            end = self.places[at + 1] if at + 1 < len(self.places) else places.stop
            cycles[:, first : end - places.start] += self.values[at][:, None]

    def add(self, place: int, value: _Sides) -> None:
        """From a length on, which is longer than those before."""
        if value != self._last:
            self._last = value
            self.places.append(place)
            self.values.append(np.array(value))


class Ending(Changing):
    """Parts that end with a node."""

    ground: Ground
    last: int
    reels: dict[int, Reel] = field(default_factory=dict)
    """By row, as far as somebody has asked."""
    least: Numbers = later()
    """By row, way of weights, and length: cycles of all nodes with all maps near that can be."""
    rings: Numbers = later()
    """Bytes that they take at least where whole maps take nothing, however much longer they are."""
    sizes: Numbers = later()
    """By row, way of weights, and length, from a length of two on: of all that is live."""
    cycles: Numbers = later()
    """By the side of the map before a part, and of that behind it, too: far, then near."""
    gains: dict[frozenset[FmId], dict[int, Steps]] = field(default_factory=dict)
    """By row: cycles that maps change which live on, where they are near."""
    _near: frozenset[FmId] = frozenset()
    """Those that somebody has asked for last, and mostly does again."""
    _gained: Numbers = later()
    """What they change, as of `cycles`."""
    _gained_counts: list[int] = later()
    """By row: lengths for which it is told."""

    def __post_init__(self) -> None:
        self.least, self.rings, self.sizes = self._empty(), self._empty(), self._empty()
        self.cycles = self._empty(2, 2)

    def length(self, row: int) -> int:
        """Of the longest parts of a row that somebody has asked for."""
        reel = self.reels.get(row)
        return 0 if reel is None else reel.length

    def hopes(
        self, rows: Rows, before: Numbers, places: slice, most_cycles: float, most_bytes: float
    ) -> Rows:
        """By row and way of weights: of how many lengths, from the shortest on, parts may take less
        than that behind what comes before them at least; they are in the table then."""
        while places.stop > self.least.shape[2]:
            self._lengthen()
        while True:
            has_hope = before + self.least[rows, :, places] < most_cycles
            has_hope &= self.rings[rows, :, places] <= most_bytes
            width = has_hope.shape[2]
            counts: Rows = np.where(has_hope.all(axis=2), width, has_hope.argmin(axis=2))
            lengths = (places.start + counts.max(axis=1)).tolist()
            # Where nothing is known, there seems to be no hope; shorter parts may be known of
            # another question alone.
            unknown = [
                (row, length)
                for row, length in zip(rows.tolist(), lengths, strict=True)
                if self.length(row) <= length < places.stop
            ]
            if not unknown:
                break
            for row, length in unknown:
                self.reel(row, length + 1)
        for row, length in zip(rows.tolist(), lengths, strict=True):
            if length > places.start:
                self.reel(row, length + 1)
        return counts

    def cycles_with(self, near: frozenset[FmId], rows: Rows, places: slice) -> Numbers:
        """Cycles of parts of some lengths with some maps near that live on."""
        if not near or not self.gains:
            return self.cycles[rows, :, places]
        if near != self._near:
            self._near, self._gained = near, np.zeros_like(self.cycles)
            self._gained_counts = [0] * len(SCALES)
        for row in rows.tolist():
            self._add_gains(row)
        return self.cycles[rows, :, places] + self._gained[rows, :, places]

    def _add_gains(self, row: int) -> None:
        """Tell what maps change in the parts of a row that are in the table."""
        places = slice(self._gained_counts[row], self.length(row) - 1)
        if places.start >= places.stop:
            return
        self._gained_counts[row] = places.stop
        for fms, steps in self.gains.items():
            if row in steps and fms <= self._near:
                steps[row].add_to(self._gained[row, :, places], places)

    def reel(self, row: int, length: int) -> Reel:
        """The parts of a row, up to so many nodes, which are in the table then."""
        reel = self.reels.get(row)
        if reel is None:
            heights = Heights(SCALES[row], self.ground.player.asked_heights)
            reel = self.reels[row] = Reel(self.ground, self.last, heights)
        while reel.length < length:
            self._grow(row, reel)
        return reel

    def rest(self) -> None:
        """Let go of what is needed for longer parts, and soon made again: there are very many."""
        for reel in self.reels.values():
            reel.rest()

    def _grow(self, row: int, reel: Reel) -> None:
        """One node more in a row."""
        reel.grow()
        if reel.length > self.least.shape[2]:
            self._lengthen()
        self.least[row, :, reel.length - 1] = reel.least
        self.rings[row, :, reel.length - 1] = reel.rings
        place = reel.length - 2
        if place < 0 or not reel.is_possible:
            return
        begin = reel.at_border(reel.first, reel.first)
        end = reel.at_border(self.last, self.last + 1)
        self.sizes[row, :, place] = reel.sizes[-1], reel.sizes[-1] + reel.kept_bytes
        self.cycles[row, :, place] = _sides(reel.cycles, begin.cycles, end.cycles)
        for fms in reel.changed_gains(begin, end):
            own, before, behind = (
                gains.get(fms, NO_GAIN) for gains in (reel.gains, begin.gains, end.gains)
            )
            rows = self.gains.setdefault(fms, {})
            if row not in rows:
                rows[row] = Steps()
            rows[row].add(place, _sides(own, before, behind))

    def _empty(self, *sides: int) -> Numbers:
        return np.full((len(SCALES), 2, TOGETHER, *sides), TOO_MUCH)

    def _lengthen(self) -> None:
        """Have columns for parts of twice as many nodes."""
        self.least, self.rings, self.sizes, self.cycles = (
            np.concatenate([table, np.full_like(table, TOO_MUCH)], axis=2)
            for table in (self.least, self.rings, self.sizes, self.cycles)
        )
        if self._near:
            self._gained = np.concatenate([self._gained, np.zeros_like(self._gained)], axis=2)


def _sides(own: TwoWays, before: TwoWays, behind: TwoWays) -> _Sides:
    """What parts take, and the maps at their borders change."""
    return tuple(
        [
            ((alone, alone + last), (alone + first, alone + first + last))
            for alone, first, last in zip(own, before, behind, strict=True)
        ]
    )


def first_rows(ground: Ground, last: int) -> tuple[int, ...]:
    """The rows that are looked at first of parts that end with a node."""
    return _rows(ground, last, FIRST_SCALES[::-1])


def rows_beside(reel: Reel) -> tuple[int, ...]:
    """Those of the scales next to one that are not looked at first."""
    own = reel.heights.scale
    first = max((each for each in FIRST_SCALES if each < own), default=0)
    end = min((each for each in FIRST_SCALES if each > own), default=SCALES[-1])
    return _rows(reel.ground, reel.last, [scale for scale in SCALES if first < scale < end])


def _rows(ground: Ground, last: int, scales: Sequence[int]) -> tuple[int, ...]:
    """The rows of some scales; those of which the last node makes as many rows at once have one."""
    node, asked, lowest = ground.flow.nodes[last], ground.player.asked_heights, dict[int, int]()
    for row, scale in enumerate(SCALES):
        height = Heights(scale, asked).add(node) if scale else 0
        lowest.setdefault(height, row)
    heights = [Heights(scale, asked).add(node) if scale else 0 for scale in scales]
    return tuple(dict.fromkeys(lowest[height] for height in heights))
