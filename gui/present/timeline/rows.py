"""The rows of the timeline: cascades, operators of those that are unfolded, and the engines."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core.ir.trace import Lane
from gui.present.rects import Floats
from gui.present.timeline.data import TimelineData

LANE_TITLES: Mapping[Lane, str] = {
    Lane.MAC: "MAC",
    Lane.ELEMENTWISE: "Element-wise",
    Lane.DMA_IN: "DMA in",
    Lane.DMA_OUT: "DMA out",
    Lane.CPU: "CPU",
}
CASCADES_TITLE = "Cascades"
MEASURED_TITLE = "Measured"
NOTES_TITLE = "Notes"

_LANE_HEIGHT = 1.0
_LOW_HEIGHT = 0.75
_IDLE_HEIGHT = 0.55
"""Of a lane in which nothing happens."""
_GAP = 0.08
"""Between rows, as a part of a lane's height."""


class Fold(enum.Enum):
    """How a cascade is shown."""

    STRIPES = "stripes in the lanes"
    ROWS = "a row for each operator"
    BAR = "one bar"

    @property
    def next(self) -> Fold:
        """The one that follows when the sign is clicked."""
        folds = tuple(Fold)
        return folds[(folds.index(self) + 1) % len(folds)]

    @property
    def sign(self) -> str:
        """What stands before the name of a cascade."""
        return _SIGNS[self]


_SIGNS = {Fold.STRIPES: "▸", Fold.ROWS: "▾", Fold.BAR: "■"}


class Row(NamedTuple):
    """A row, with y growing downwards."""

    title: str
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        """Half way down."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """All rows from the top downwards."""

    cascades: Row
    operators: tuple[Row, ...]
    """As many as the unfolded cascade with the most operators needs."""
    lanes: tuple[Row, ...]
    """In the order of `Lane`."""
    measured: Row | None = None
    """Where something was measured."""
    before: tuple[Row, ...] = ()
    """Of A, below all others: one for each of its lanes."""
    notes: Row | None = None
    """Where something is noted: above all others."""

    @property
    def all(self) -> tuple[Row, ...]:
        """Every row."""
        first = () if self.notes is None else (self.notes,)
        last = () if self.measured is None else (self.measured,)
        return (*first, self.cascades, *self.operators, *self.lanes, *last, *self.before)

    @property
    def height(self) -> float:
        """Where the last one ends."""
        return self.all[-1].bottom

    def lane_edges(self) -> tuple[Floats, Floats]:
        """Top and bottom by lane."""
        return (
            np.array([row.top for row in self.lanes]),
            np.array([row.bottom for row in self.lanes]),
        )


def rows_of(
    data: TimelineData,
    folds: Mapping[int, Fold],
    *,
    has_notes: bool = False,
    before: Sequence[Lane] = (),
) -> Rows:
    """The rows for cascades (by position) that are folded in some way; else as stripes.

    Lanes of A that are named have rows too.
    """
    unfolded = [
        data.cascades[position].ops
        for position, fold in folds.items()
        if fold is Fold.ROWS and position < len(data.cascades)
    ]
    count = max(map(len, unfolded), default=0)
    titles = [
        f"{position + 1}. {data.op_labels[unfolded[0][position]]}"
        if len(unfolded) == 1
        else f"operator {position + 1}"
        for position in range(count)
    ]
    heights = [(CASCADES_TITLE, _LOW_HEIGHT), *((title, _LOW_HEIGHT) for title in titles)]
    slices = np.bincount(data.trace.lane, minlength=len(Lane))
    heights += [
        (LANE_TITLES[lane], _LANE_HEIGHT if slices[lane] else _IDLE_HEIGHT) for lane in Lane
    ]
    if data.measured is not None:
        heights.append((MEASURED_TITLE, _LANE_HEIGHT))
    if has_notes:
        heights.insert(0, (NOTES_TITLE, _LOW_HEIGHT))
    heights += [(f"A: {LANE_TITLES[lane]}", _LOW_HEIGHT) for lane in before]
    rows, top = [], _GAP
    for title, height in heights:
        rows.append(Row(title, top, top + height))
        top += height + _GAP
    notes = rows.pop(0) if has_notes else None
    end = 1 + count + len(Lane)
    return Rows(
        cascades=rows[0],
        operators=tuple(rows[1 : 1 + count]),
        lanes=tuple(rows[1 + count : end]),
        measured=rows[end] if data.measured is not None else None,
        before=tuple(rows[len(rows) - len(before) :]),
        notes=notes,
    )
