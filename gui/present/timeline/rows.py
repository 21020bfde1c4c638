"""The rows of the timeline: cascades, operators of those that are unfolded, and the engines."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

import numpy as np

from core.base.frozen import Frozen, NamedTuple, field
from core.ir.trace import Lane
from gui.present.rects import Floats
from gui.present.timeline.data import TimelineData
from gui.present.timeline.tracks import TRACK_OF, Track, Tracks

LANE_TITLES: Mapping[Lane, str] = {lane: track.title for lane, track in TRACK_OF.items()}

_LANE_HEIGHT = 1.0
_LOW_HEIGHT = 0.75
_FULL = frozenset({*TRACK_OF.values(), Track.MEASURED, Track.ERRORS})
_COLLAPSED_HEIGHT = 0.5
_EMPTY = 0.5
"""As high are all rows where there is none."""
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
    track: Track | None = None
    """None for an operator of a cascade."""

    @property
    def middle(self) -> float:
        """Half way down."""
        return (self.top + self.bottom) / 2


class Rows(Frozen):
    """The rows that are in sight, from the top downwards."""

    all: tuple[Row, ...]
    cascades: Row | None = None
    operators: tuple[Row, ...] = ()
    """Below the cascades, as many as the unfolded one with the most operators needs."""
    lanes: Mapping[Lane, Row] = field(default_factory=dict)
    measured: Row | None = None
    """Where something was measured."""
    errors: Row | None = None
    """Where a proof tells how far off operators are."""
    before: tuple[Row, ...] = ()
    """Of A, below all others: one for each of its lanes."""
    notes: Row | None = None
    """Where something is noted."""

    @property
    def height(self) -> float:
        """Where the last one ends."""
        return self.all[-1].bottom if self.all else _EMPTY

    @property
    def engines(self) -> tuple[float, float]:
        """Where the first of the lanes begins, and the last one ends."""
        lanes = self.lanes.values()
        top = min((row.top for row in lanes), default=0.0)
        return top, max((row.bottom for row in lanes), default=self.height)

    def lane_edges(self) -> tuple[Floats, Floats]:
        """Top and bottom by lane; zero for those that are not in sight."""
        rows = [self.lanes.get(lane) for lane in Lane]
        return (
            np.array([0.0 if row is None else row.top for row in rows]),
            np.array([0.0 if row is None else row.bottom for row in rows]),
        )


def rows_of(
    data: TimelineData,
    folds: Mapping[int, Fold],
    tracks: Tracks = Tracks(),  # noqa: B008 - a value
    *,
    pinned: bool = False,
    has_notes: bool = False,
    before: Sequence[Lane] = (),
) -> Rows:
    """The rows for cascades (by position) that are folded in some way; else as stripes.

    Rows of lanes that are pinned, or of the others; lanes in which nothing happens have none.
    Lanes of A that are named have rows too.
    """
    top, rows, operators = _GAP, {}, []
    used = used_tracks(data, has_notes=has_notes)
    for track in tracks.shown(pinned=pinned):
        if track not in used:
            continue
        is_low = track in tracks.low
        full = _LANE_HEIGHT if track in _FULL else _LOW_HEIGHT
        height = _COLLAPSED_HEIGHT if is_low else full
        rows[track] = Row(track.title, top, top + height, track)
        top = rows[track].bottom + _GAP
        is_group = track is Track.CASCADES and not is_low
        for title in _operator_titles(data, folds) if is_group else ():
            operators.append(Row(title, top, top + _LOW_HEIGHT))
            top = operators[-1].bottom + _GAP
    of_a = []
    for lane in before:
        of_a.append(Row(f"A: {LANE_TITLES[lane]}", top, top + _LOW_HEIGHT))
        top = of_a[-1].bottom + _GAP
    return Rows(
        all=tuple(sorted([*rows.values(), *operators, *of_a], key=lambda row: row.top)),
        cascades=rows.get(Track.CASCADES),
        operators=tuple(operators),
        lanes={lane: rows[track] for lane, track in TRACK_OF.items() if track in rows},
        measured=rows.get(Track.MEASURED),
        errors=rows.get(Track.ERRORS),
        before=tuple(of_a),
        notes=rows.get(Track.NOTES),
    )


def used_tracks(data: TimelineData, *, has_notes: bool = False) -> frozenset[Track]:
    """Lanes in which something happens."""
    used = {TRACK_OF[Lane(lane)] for lane in np.unique(data.trace.lane).tolist()}
    if data.cascades:
        used.add(Track.CASCADES)
    if data.measured is not None:
        used.add(Track.MEASURED)
    if data.errors is not None:
        used.add(Track.ERRORS)
    if has_notes:
        used.add(Track.NOTES)
    return frozenset(used)


def _operator_titles(data: TimelineData, folds: Mapping[int, Fold]) -> list[str]:
    unfolded = [
        data.cascades[position].ops
        for position, fold in folds.items()
        if fold is Fold.ROWS and position < len(data.cascades)
    ]
    return [
        data.op_titles[unfolded[0][position]] if len(unfolded) == 1 else f"operator {position + 1}"
        for position in range(max(map(len, unfolded), default=0))
    ]
