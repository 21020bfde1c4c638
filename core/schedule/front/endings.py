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
"""Lengths of parts that are compared together; a table has columns for some times as many."""


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


class _Gained(Changing):
    """What maps that live on change in the parts of one reel."""

    near: frozenset[FmId]
    cycles: Numbers
    """As of `Ending`."""
    count: int = 0
    """Lengths that are filled in."""


class Ending(Changing):
    """Parts that end with a node."""

    ground: Ground
    last: int
    reels: dict[int, Reel] = field(default_factory=dict)
    """By row, as far as somebody has asked."""
    sizes: Numbers = later()
    """By row, way of weights, and length, from a length of two on: of all that is live."""
    cycles: Numbers = later()
    """By the side of the map before a part, and of that behind it, too: far, then near."""
    gains: dict[frozenset[FmId], dict[int, Steps]] = field(default_factory=dict)
    """By row: cycles that maps change which live on, where they are near."""
    _gained: dict[int, _Gained] = field(default_factory=dict)
    """By row: the last that somebody has asked for, and mostly does again."""

    def __post_init__(self) -> None:
        self.sizes, self.cycles = self._empty(), self._empty(2, 2)

    def cycles_with(self, near: frozenset[FmId], rows: Rows, places: slice) -> Numbers:
        """Cycles of parts of some lengths with some maps near that live on."""
        cycles = self.cycles[rows, :, places]
        if near and self.gains:
            for at, row in enumerate(rows.tolist()):
                cycles[at] += self._gained_with(near, row)[:, places]
        return cycles

    def _gained_with(self, near: frozenset[FmId], row: int) -> Numbers:
        """What these maps change in the parts of a row that are in the table."""
        gained = self._gained.get(row)
        if gained is None or gained.near != near:
            gained = self._gained[row] = _Gained(near, np.zeros_like(self.cycles[row]))
        places = slice(gained.count, self.reels[row].length - 1)
        if gained.cycles.shape[1] < self.cycles.shape[2]:
            wider = np.zeros_like(self.cycles[row])
            wider[:, : places.start] = gained.cycles[:, : places.start]
            gained.cycles = wider
        if places.start < places.stop:
            for fms, steps in self.gains.items():
                if row in steps and fms <= near:
                    steps[row].add_to(gained.cycles[:, places], places)
            gained.count = places.stop
        return gained.cycles

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
        place = reel.length - 2
        if place < 0:
            return
        if place >= self.sizes.shape[2]:
            self._lengthen()
        if not reel.is_possible:
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
        self.sizes, self.cycles = (
            np.concatenate([table, np.full_like(table, TOO_MUCH)], axis=2)
            for table in (self.sizes, self.cycles)
        )


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
