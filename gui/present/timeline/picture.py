"""From a trace to rectangles: slices in lanes, cascades above them, and operators between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from core.base.ids import NpuOpId
from core.ir.trace import NOTHING, Activity, Lane
from gui.present import units
from gui.present.rects import Ints, Rects, empty_rects
from gui.present.timeline.data import CascadeSpan, TimelineData
from gui.present.timeline.rows import Fold, Rows
from gui.theme.tones import HEAT, Tone

INKS = (
    Tone.COMPUTE,
    Tone.ELEMENTWISE,
    Tone.STALL,
    Tone.WEIGHTS,
    Tone.PREFETCH,
    Tone.TABLE,
    Tone.COPY,
    Tone.CPU,
    Tone.ROLLING,
)
"""What slices are drawn with, in the order in which they are painted."""

_INK_NAMES = tuple(tone.value for tone in INKS)
_TONE_OF = {
    Activity.COMPUTE: Tone.COMPUTE,
    Activity.STALL: Tone.STALL,
    Activity.WEIGHTS: Tone.WEIGHTS,
    Activity.PREFETCH: Tone.PREFETCH,
    Activity.TABLE: Tone.TABLE,
    Activity.COPY: Tone.COPY,
    Activity.CPU: Tone.CPU,
}
_LEGEND = {
    Activity.STALL: "stall",
    Activity.WEIGHTS: "weights",
    Activity.PREFETCH: "weights ahead",
    Activity.TABLE: "table",
    Activity.COPY: "copy",
}
_STATE_SIGN = "↻"
"""Before the name of whoever touches what is kept from one inference to the next."""
_OFF = ((HEAT[0], "exact"), (HEAT[-1], "far off"))
"""Of operators that were proved."""
_INK_OF = np.array([INKS.index(_TONE_OF[activity]) for activity in Activity], dtype=np.uint8)
_ENGINES = (Lane.MAC, Lane.ELEMENTWISE)

# Plain numbers, because labels are asked for in every picture.
_CPU, _STALL, _TABLE = int(Activity.CPU), int(Activity.STALL), int(Activity.TABLE)
_TRANSFERS = frozenset({int(Activity.WEIGHTS), int(Activity.PREFETCH)})


class SliceLabels(Sequence[str]):
    """The labels of slices, made when they are read: there may be a million."""

    def __init__(self, data: TimelineData, positions: npt.NDArray[np.intp]) -> None:
        self._data = data
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return SliceLabels(self._data, self._positions[index])
        return label_of(self._data, int(self._positions[index]))


class BarLabels(Sequence[str]):
    """The labels of slices, and of cascades that are one bar each behind them."""

    def __init__(self, slices: SliceLabels, bars: Sequence[str]) -> None:
        self._slices = slices
        self._bars = bars

    def __len__(self) -> int:
        return len(self._slices) + len(self._bars)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        first = len(self._slices)
        found: str = self._slices[index] if index < first else self._bars[index - first]
        return found


def label_of(data: TimelineData, position: int) -> str:
    """What is written in a slice, where there is room."""
    trace = data.trace
    activity = int(trace.activity[position])
    if activity == _CPU:
        return data.cpu_titles[int(trace.cpu_op[position])]
    if activity == _STALL:
        return ""
    name = data.op_titles[int(trace.op[position])]
    if activity in _TRANSFERS:
        return f"weights of {name}"
    if activity == _TABLE:
        return f"table of {name}"
    stripe = int(trace.stripe[position])
    text = name if stripe == NOTHING else f"{name} · stripe {stripe + 1}"
    return f"{_STATE_SIGN} {text}" if int(trace.op[position]) in data.states else text


def slice_rects(data: TimelineData, rows: Rows, folds: Mapping[int, Fold]) -> Rects:
    """Slices in their lanes; keys are positions in the trace, or -1 - the position of a cascade.

    A slice comes at its own position among the rectangles, as long as no cascade is one bar and all
    lanes are in sight.
    """
    trace = data.trace
    has_row = np.array([each in rows.lanes for each in Lane])
    positions = np.flatnonzero(~_is_folded(data, folds) & has_row[trace.lane])
    lane = trace.lane[positions]
    tops, bottoms = rows.lane_edges()
    ink = _INK_OF[trace.activity[positions]]
    is_elementwise = (lane == Lane.ELEMENTWISE) & (trace.activity[positions] == Activity.COMPUTE)
    ink = np.where(is_elementwise, np.uint8(INKS.index(Tone.ELEMENTWISE)), ink)
    bars = [bar for bar in _bars(data, folds) if bar[1] in rows.lanes]
    bar_lane = np.array([lane for _, lane, _, _ in bars], dtype=np.uint8)
    texts = [cascade_label(data, position) for position, _, _, _ in bars]
    all_lanes = np.concatenate([lane, bar_lane])
    return Rects(
        left=np.concatenate([trace.start_cycle[positions], [bar[2] for bar in bars]]),
        right=np.concatenate([trace.end_cycle[positions], [bar[3] for bar in bars]]),
        bottom=tops[all_lanes],
        top=bottoms[all_lanes],
        ink=np.concatenate(
            [ink, np.full(len(bars), INKS.index(Tone.ROLLING), dtype=np.uint8)]
        ).astype(np.uint8),
        key=np.concatenate([positions, [-1 - bar[0] for bar in bars]]).astype(np.int32),
        row=all_lanes.astype(np.int32),
        inks=_INK_NAMES,
        labels=BarLabels(SliceLabels(data, positions), texts),
    )


def cascade_rects(data: TimelineData, rows: Rows, folds: Mapping[int, Fold]) -> Rects:
    """A bar over each cascade; keys are positions of cascades."""
    count, row = len(data.cascades), rows.cascades
    if not count or row is None:
        return empty_rects((Tone.ROLLING.value,))
    return Rects(
        left=np.array([cascade.start_cycle for cascade in data.cascades]),
        right=np.array([cascade.end_cycle for cascade in data.cascades]),
        bottom=np.full(count, row.top),
        top=np.full(count, row.bottom),
        ink=np.zeros(count, dtype=np.uint8),
        key=np.arange(count, dtype=np.int32),
        row=np.zeros(count, dtype=np.int32),
        inks=(Tone.ROLLING.value,),
        labels=[
            _numbered(cascade, folds.get(position, Fold.STRIPES))
            for position, cascade in enumerate(data.cascades)
        ],
    )


def operator_rects(data: TimelineData, rows: Rows, folds: Mapping[int, Fold]) -> Rects:
    """The slices of unfolded cascades once more, in a row for each operator."""
    trace = data.trace
    row_of_op = np.full(len(data.op_titles), NOTHING, dtype=np.int32)
    for position, cascade in enumerate(data.cascades):
        if folds.get(position) is Fold.ROWS:
            row_of_op[list(cascade.ops)] = np.arange(len(cascade.ops))
    if not rows.operators:
        return empty_rects(_INK_NAMES)
    row = np.where(trace.op == NOTHING, NOTHING, row_of_op[trace.op])
    positions = np.flatnonzero((row != NOTHING) & np.isin(trace.lane, _ENGINES))
    row = row[positions]
    tops = np.array([each.top for each in rows.operators])
    bottoms = np.array([each.bottom for each in rows.operators])
    return Rects(
        left=trace.start_cycle[positions],
        right=trace.end_cycle[positions],
        bottom=tops[row],
        top=bottoms[row],
        ink=_INK_OF[trace.activity[positions]],
        key=positions.astype(np.int32),
        row=row,
        inks=_INK_NAMES,
        labels=SliceLabels(data, positions),
    )


def measured_rects(data: TimelineData, rows: Rows) -> Rects:
    """Measured operators in a row of their own, in the colours of their engines; keys are ops."""
    measured, row = data.measured, rows.measured
    if measured is None or row is None:
        return empty_rects(_INK_NAMES)
    trace, count = data.trace, len(measured.op)
    is_elementwise = np.zeros(len(data.op_titles), dtype=np.bool_)
    of_lane = trace.op[(trace.lane == Lane.ELEMENTWISE) & (trace.op != NOTHING)]
    is_elementwise[of_lane] = True
    inks = (INKS.index(Tone.ELEMENTWISE), INKS.index(Tone.COMPUTE))
    return Rects(
        left=measured.start_cycle,
        right=measured.end_cycle,
        bottom=np.full(count, row.top),
        top=np.full(count, row.bottom),
        ink=np.where(is_elementwise[measured.op], *inks).astype(np.uint8),
        key=measured.op,
        row=np.zeros(count, dtype=np.int32),
        inks=_INK_NAMES,
        labels=tuple(data.op_titles[op] for op in measured.op.tolist()),
    )


def error_rects(data: TimelineData, rows: Rows) -> Rects:
    """Operators in a row of their own, by how far off they are; keys are those of the lane."""
    errors, row = data.errors, rows.errors
    inks = tuple(tone.value for tone in HEAT)
    if errors is None or row is None:
        return empty_rects(inks)
    count = len(errors.key)
    return Rects(
        left=errors.start_cycle,
        right=errors.end_cycle,
        bottom=np.full(count, row.top),
        top=np.full(count, row.bottom),
        ink=errors.level.astype(np.uint8),
        key=errors.key,
        row=np.zeros(count, dtype=np.int32),
        inks=inks,
        labels=tuple(
            data.op_titles[key] if key >= 0 else data.cpu_titles[-1 - key]
            for key in errors.key.tolist()
        ),
    )


def before_rects(data: TimelineData, lanes: Sequence[Lane], rows: Rows) -> Rects:
    """The slices of A in rows of their own; keys are positions in its trace."""
    if not rows.before:
        return empty_rects(_INK_NAMES)
    trace = data.trace
    place = np.full(len(Lane), NOTHING, dtype=np.int32)
    place[list(lanes)] = np.arange(len(lanes))
    positions = np.flatnonzero(place[trace.lane] != NOTHING)
    row = place[trace.lane[positions]]
    ink = _INK_OF[trace.activity[positions]]
    is_elementwise = trace.lane[positions] == Lane.ELEMENTWISE
    is_elementwise &= trace.activity[positions] == Activity.COMPUTE
    return Rects(
        left=trace.start_cycle[positions],
        right=trace.end_cycle[positions],
        bottom=np.array([each.top for each in rows.before])[row],
        top=np.array([each.bottom for each in rows.before])[row],
        ink=np.where(is_elementwise, INKS.index(Tone.ELEMENTWISE), ink).astype(np.uint8),
        key=positions.astype(np.int32),
        row=row,
        inks=_INK_NAMES,
        labels=SliceLabels(data, positions),
    )


def legend_of(data: TimelineData) -> tuple[tuple[Tone, str], ...]:
    """What the lanes' names do not say, as far as it happens."""
    happens = set(np.unique(data.trace.activity).tolist())
    lanes = ((_TONE_OF[each], text) for each, text in _LEGEND.items() if int(each) in happens)
    return (*lanes, *(() if data.errors is None else _OFF))


def cascade_label(data: TimelineData, position: int) -> str:
    """A cascade's name, and how much it is."""
    cascade = data.cascades[position]
    parts = (
        units.counted(len(cascade.ops), "operator"),
        units.counted(cascade.stripes, "stripe"),
    )
    return f"{cascade_name(cascade)} · {' · '.join(parts)}"


def cascade_name(cascade: CascadeSpan) -> str:
    """What a cascade is called."""
    return f"Cascade {cascade.number}"


def _numbered(cascade: CascadeSpan, fold: Fold) -> str:
    """What stands in its bar: its number comes first, as what follows may have no room."""
    stripes = units.counted(cascade.stripes, "stripe")
    return f"{cascade.number} {fold.sign} operators {_ops_text(cascade.ops)} · {stripes}"


def _ops_text(ops: Sequence[NpuOpId]) -> str:
    """From the first to the last; how many there are where some between them are not in it."""
    first, last = min(ops), max(ops)
    is_run = last - first == len(ops) - 1
    return f"{first}-{last}" if is_run else f"{first}-{last}, {len(ops)} of them"


def _is_folded(data: TimelineData, folds: Mapping[int, Fold]) -> npt.NDArray[np.bool_]:
    """Which slices are hidden by the bar of their cascade."""
    trace = data.trace
    folded = [position for position, fold in folds.items() if fold is Fold.BAR]
    if not folded:
        return np.zeros(trace.count, dtype=np.bool_)
    is_hidden: npt.NDArray[np.bool_] = np.isin(_cascade_of_slice(data), folded) & np.isin(
        trace.lane, _ENGINES
    )
    return is_hidden


def _bars(data: TimelineData, folds: Mapping[int, Fold]) -> list[tuple[int, int, float, float]]:
    """Cascade, lane, start and end of what is drawn for folded cascades."""
    trace = data.trace
    hidden = np.flatnonzero(_is_folded(data, folds))
    cascades = _cascade_of_slice(data)[hidden]
    found = []
    for position in np.unique(cascades):
        for lane in _ENGINES:
            where = hidden[(cascades == position) & (trace.lane[hidden] == lane)]
            if len(where):
                start, end = trace.start_cycle[where].min(), trace.end_cycle[where].max()
                found.append((int(position), int(lane), float(start), float(end)))
    return found


def _cascade_of_slice(data: TimelineData) -> Ints:
    """The cascade that a slice is of, or -1."""
    op = data.trace.op
    if not len(data.cascade_of_op):
        return np.full(len(op), NOTHING, dtype=np.int32)
    return np.where(op == NOTHING, NOTHING, data.cascade_of_op[op]).astype(np.int32)
