"""A cascade in slow motion: what is there after each of its stripes."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import FmId
from core.ir.trace import BufferFill, StripeStep
from gui.document.display import ByteUnit
from gui.present import units
from gui.present.cascades.picture import ELSEWHERE, CascadeInfo, Stage


class Rows(NamedTuple):
    """Rows from the first to before the end."""

    first: int
    end: int

    @property
    def number(self) -> int:
        """How many they are."""
        return max(self.end - self.first, 0)


class Arc(NamedTuple):
    """Rows that lie side by side in a ring, as parts of its height."""

    first: int
    length: int


class RingState(NamedTuple):
    """A rolling buffer after a step."""

    stage: int
    """Position of the operator that writes it."""
    height: int
    held: Rows
    written: Rows
    """Those of the held rows that the step has made."""
    read: Rows
    """Those of the held rows that the step has read."""
    size_bytes: int

    @property
    def row_bytes(self) -> int:
        """What a row takes."""
        return self.size_bytes // max(self.height, 1)

    @property
    def held_bytes(self) -> int:
        """What all held rows take."""
        return self.row_bytes * self.held.number

    def arc(self, rows: Rows) -> Arc:
        """Where rows lie in the ring."""
        return Arc(rows.first % max(self.height, 1), min(rows.number, self.height))


class StageState(NamedTuple):
    """An operator after a step."""

    made: int
    """Rows that exist, counted from the top."""
    makes: Rows
    """Rows that the step has made, if it is this operator's."""
    is_running: bool


class Frame(Frozen):
    """Everything after one step."""

    step: StripeStep
    position: int
    """Of the step."""
    running: int
    """Position of the operator whose stripe it is."""
    reads: Rows
    stages: tuple[StageState, ...]
    rings: tuple[RingState, ...]

    @property
    def held_bytes(self) -> int:
        """Bytes of all rows in rolling buffers."""
        return sum(ring.held_bytes for ring in self.rings)


class Film:
    """All steps of a cascade; a frame is made when it is asked for."""

    def __init__(self, cascade: CascadeInfo) -> None:
        self.cascade = cascade
        places = {stage.op: place for place, stage in enumerate(cascade.stages)}
        self._steps = cascade.steps.steps
        self.running = np.array([places[step.op] for step in self._steps], dtype=np.int32)
        """By step: position of the operator."""
        makers: dict[FmId, int] = {}
        self._rings = [
            makers.setdefault(stage.makes, place) for place, stage in enumerate(cascade.stages)
        ]
        """By operator: who first makes its map, where its ring is."""

    @property
    def length(self) -> int:
        """Number of steps."""
        return len(self._steps)

    @property
    def halfway(self) -> int:
        """The step in which the last operator makes the middle of its rows."""
        found = np.flatnonzero(self.running == len(self.cascade.stages) - 1)
        return int(found[len(found) // 2]) if len(found) else 0

    @cached_property
    def _made(self) -> npt.NDArray[np.int32]:
        """By step and operator: rows that exist."""
        made = np.zeros((self.length, len(self.cascade.stages)), dtype=np.int32)
        ends = np.array([step.end_row for step in self._steps], dtype=np.int32)
        made[np.arange(self.length), self.running] = ends
        return np.maximum.accumulate(made, axis=0)

    def frame(self, position: int) -> Frame:
        """What is there after a step."""
        step, running = self._steps[position], int(self.running[position])
        makes = Rows(step.first_row, step.end_row)
        reads = Rows(step.reads_first_row, step.reads_end_row)
        return Frame(
            step=step,
            position=position,
            running=running,
            reads=reads,
            stages=tuple(
                StageState(
                    int(self._made[position, place]),
                    makes if place == running else Rows(0, 0),
                    place == running,
                )
                for place in range(len(self.cascade.stages))
            ),
            rings=tuple(
                self._ring(fill, place, running, makes, reads)
                for place, fill in self._fills(position)
            ),
        )

    def _fills(self, position: int) -> list[tuple[int, BufferFill]]:
        """The fill of each buffer beside the operator that writes it."""
        places = {
            stage.buffer.fm: place
            for place, stage in enumerate(self.cascade.stages)
            if stage.buffer is not None
        }
        return [(places[fill.fm], fill) for fill in self.cascade.steps.fills[position]]

    def _ring(
        self, fill: BufferFill, place: int, running: int, makes: Rows, reads: Rows
    ) -> RingState:
        stages = self.cascade.stages
        buffer = stages[place].buffer
        assert buffer is not None
        held = Rows(fill.first_row, fill.end_row)
        return RingState(
            stage=place,
            height=buffer.shape.h,
            held=held,
            written=_common(held, makes) if place == self._rings[running] else Rows(0, 0),
            read=_common(held, reads) if place in stages[running].reads else Rows(0, 0),
            size_bytes=buffer.size_bytes,
        )


def _common(one: Rows, other: Rows) -> Rows:
    first, end = max(one.first, other.first), min(one.end, other.end)
    return Rows(first, end) if end > first else Rows(0, 0)


def rows_text(rows: Rows) -> str:
    """Rows by number, the last one included."""
    if rows.number == 0:
        return "no row"
    if rows.number == 1:
        return f"row {rows.first}"
    return f"rows {rows.first} to {rows.end - 1}"


def step_text(cascade: CascadeInfo, frame: Frame, length: int) -> str:
    """What happens in a step."""
    stage = cascade.stages[frame.running]
    makes = rows_text(Rows(frame.step.first_row, frame.step.end_row))
    above = stage.reads[0] if stage.reads else -1
    source = "a map from outside" if above == ELSEWHERE else cascade.input_name
    if above >= 0:
        source = cascade.stages[above].title
    reads = f"and reads {rows_text(frame.reads)} of {source}"
    place = f"Step {frame.position + 1:,} of {length:,}"
    return f"{place}: {stage.title} makes {makes} of {stage.rows:,}, {reads}"


def ring_texts(ring: RingState, unit: ByteUnit) -> tuple[str, str]:
    """The fill of a rolling buffer, in rows and in bytes."""
    return (
        f"holds {ring.held.number} of {units.counted(ring.height, 'row')}",
        f"{units.size(ring.held_bytes, unit)} of {units.size(ring.size_bytes, unit)}",
    )


def ring_text(ring: RingState, unit: ByteUnit) -> str:
    """The fill of a rolling buffer in one line."""
    return " · ".join(ring_texts(ring, unit))


def stage_text(stage: Stage, state: StageState) -> str:
    """How far an operator is."""
    if state.is_running:
        number = state.makes.first // max(stage.stripe_rows, 1) + 1
        return f"{rows_text(state.makes)} · stripe {number} of {stage.stripes}"
    return f"{state.made} of {units.counted(stage.rows, 'row')}"


STAGE_HEADERS = (
    "operator",
    "kind",
    "rows at once",
    "stripes",
    "made",
    "now makes",
    "now reads",
    "buffer",
    "holds",
    "held",
    "of",
)


def stage_rows(cascade: CascadeInfo, frame: Frame, unit: ByteUnit) -> list[tuple[str, ...]]:
    """One row for each operator, with the rolling buffer behind it."""
    rings = {ring.stage: ring for ring in frame.rings}
    rows: list[tuple[str, ...]] = []
    for place, (stage, state) in enumerate(zip(cascade.stages, frame.stages, strict=True)):
        ring = rings.get(place)
        buffer = ("", "", "", "")
        if ring is not None:
            buffer = (
                stage.buffer_name,
                rows_text(ring.held),
                units.size(ring.held_bytes, unit),
                units.size(ring.size_bytes, unit),
            )
        rows.append(
            (
                stage.name,
                f"{stage.kind}{stage.kernel}",
                units.count(stage.stripe_rows),
                units.count(stage.stripes),
                f"{state.made:,} of {stage.rows:,}",
                rows_text(state.makes) if state.is_running else "",
                rows_text(frame.reads) if state.is_running else "",
                *buffer,
            )
        )
    return rows
