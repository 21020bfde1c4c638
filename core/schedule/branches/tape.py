"""The order in which a cascade runs and the rows of its rings, found from its last operator back.

Whoever comes before all others changes nothing of the order in which these run: its stripes only
come in between. So a cascade that begins one operator earlier costs one operator more to play.
The order is that of `liveness/stripes.py`, which is the rule.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field
from core.base.ids import FmId
from core.liveness.stripes import Player

Integers = npt.NDArray[np.int64]

_NEVER = 1 << 40
_END = np.array([_NEVER], dtype=np.int64)
"""Behind all that stripes are compared with."""


class Rows(NamedTuple):
    """How the rows of a map lie in memory, one behind the other."""

    height: int
    row_bytes: int


_Pair = tuple[tuple[FmId, Rows], tuple[FmId, Rows]]


class _Lane(Changing):
    """An operator on the tape."""

    at: slice
    """Its stripes in the positions of all."""
    fraction: Integers | None
    """Of an operator that nobody reads from: how far it is before each stripe, in 2 ** -40."""


class Strip(Changing):
    """Rows of stripes, as arrays."""

    makes: FmId
    first: Integers
    end: Integers
    reads: list[tuple[FmId, Integers, Integers]]

    @classmethod
    def of(cls, player: Player) -> Strip:
        """Of an operator."""
        made = np.array(player.made, dtype=np.int64).reshape(-1, 2)
        reads = []
        for fm, rows in player.reads:
            table = np.array(rows, dtype=np.int64).reshape(-1, 2)
            reads.append((fm, table[:, 0], table[:, 1]))
        return cls(player.makes, made[:, 0], made[:, 1], reads)


class Tape(Changing):
    """Stripes in the order in which they run; operators are added from the last to the first."""

    positions: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Of all stripes, operator by operator."""
    _lanes: list[_Lane] = field(default_factory=list)
    _makers: dict[FmId, list[tuple[int, Integers]]] = field(default_factory=dict)
    """By map: its lanes, and the rows at which their stripes end."""
    _readers: dict[FmId, list[tuple[int, Integers, Integers]]] = field(default_factory=dict)
    _rows: dict[FmId, int] = field(default_factory=dict)
    _leads: dict[_Pair, tuple[int, int, int]] = field(default_factory=dict)
    """With how many read the one map and make the other."""

    def add(self, strip: Strip, *, is_rolling: bool) -> None:
        """An operator that comes before all others."""
        readers, fraction = self._readers.get(strip.makes, []), None
        if readers:
            found = (self._before(strip, lane, ends) for lane, _, ends in readers)
            when = reduce(np.minimum, found)
        else:
            count = len(strip.first)
            fraction = (np.arange(count, dtype=np.int64) << 40) // max(count, 1)
            when = self._beside_others(fraction)
        # Later rows are read no sooner.
        if len(when) and when[-1] == _NEVER:
            made = when < _NEVER
            when = when[made] if is_rolling else np.where(made, when, len(self.positions))
        self.positions += when.searchsorted(self.positions, side="right")
        start = len(self.positions)
        own = when + np.arange(len(when))
        self.positions = np.concatenate([self.positions, own])
        number = len(self._lanes)
        self._lanes.append(_Lane(slice(start, start + len(own)), fraction))
        self._makers.setdefault(strip.makes, []).append((number, strip.end))
        if is_rolling:
            self._rows[strip.makes] = max(
                self._rows.get(strip.makes, 1), self._ring(strip, own, readers)
            )
        for fm, firsts, ends in strip.reads:
            self._readers.setdefault(fm, []).append((number, firsts, ends))

    def _before(self, strip: Strip, lane: int, ends: Integers) -> Integers:
        """By stripe of one that comes before all others: the position of whoever reads it first in
        a lane."""
        own = self.positions[self._lanes[lane].at]
        place = ends[: len(own)].searchsorted(strip.first, side="right")
        return np.concatenate((own, _END))[place]

    def rows_of(self, fm: FmId) -> int:
        """Rows that the ring of a map needs, as far as its makers are there."""
        return self._rows[fm]

    def lead_bytes(self, given: tuple[FmId, Rows], made: tuple[FmId, Rows]) -> int:
        """By how much a map has to begin before another, so that no row is lost that is still read.

        Whoever comes before all others changes that only where it touches one of them.
        """
        readers, makers = self._readers.get(given[0], []), self._makers.get(made[0], [])
        known = self._leads.get((given, made))
        if known is None or known[:2] != (len(readers), len(makers)):
            lead = self._lead_bytes(given, made)
            known = self._leads[given, made] = len(readers), len(makers), lead
        return known[-1]

    def _lead_bytes(self, given: tuple[FmId, Rows], made: tuple[FmId, Rows]) -> int:
        (old, old_rows), (new, new_rows) = given, made
        when, rows = self._reads_of(old)
        left = np.append(np.minimum.accumulate(rows[::-1])[::-1], old_rows.height)
        most = 0
        for lane, ends in self._makers.get(new, ()):
            own = self.positions[self._lanes[lane].at]
            lowest = left[np.searchsorted(when, own, side="left")]
            needed = ends[: len(own)] * new_rows.row_bytes - lowest * old_rows.row_bytes
            most = max(most, int(needed.max(initial=0)))
        return most

    def _reads_of(self, fm: FmId) -> tuple[Integers, Integers]:
        """When stripes read a map, in their order, and the first row that each of them reads."""
        readers = self._readers.get(fm, [])
        when = [self.positions[self._lanes[lane].at] for lane, _, _ in readers]
        rows = [firsts[: len(own)] for own, (_, firsts, _) in zip(when, readers, strict=True)]
        together = np.concatenate(when) if when else self.positions[:0]
        order = np.argsort(together, kind="stable")
        return together[order], (np.concatenate(rows) if rows else together)[order]

    @property
    def count(self) -> int:
        """Stripes in all."""
        return len(self.positions)

    def _beside_others(self, fraction: Integers) -> Integers:
        """Behind all stripes of operators without readers that are less far."""
        lanes = [lane for lane in self._lanes if lane.fraction is not None]
        if not lanes:
            return np.zeros(len(fraction), dtype=np.int64)
        fractions = np.concatenate([lane.fraction for lane in lanes if lane.fraction is not None])
        places = np.concatenate([self.positions[lane.at] for lane in lanes])
        order = np.argsort(places)
        behind = np.searchsorted(fractions[order], fraction, side="left")
        return np.concatenate([[0], places[order] + 1])[behind]

    def _ring(
        self, strip: Strip, own: Integers, readers: list[tuple[int, Integers, Integers]]
    ) -> int:
        """The most rows from the first that is still to be read to the last that is made."""
        needed = strip.first[: len(own)]
        for lane, firsts, _ in readers:
            theirs = self.positions[self._lanes[lane].at]
            place = theirs.searchsorted(own)
            found = np.concatenate((firsts[: len(theirs)], _END))[place]
            needed = np.minimum(needed, found)
        return int((strip.end[: len(own)] - needed).max(initial=0))
