"""The roofline as a drawing: a mark for each operator and memory, and lines that none gets above.

Both axes are logarithms to the base of ten: MACs a byte along x, MACs a cycle along y. Operators
without MACs have no place there: they stand in a row of their own at the foot, as they run.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType

import numpy as np

from core.api.schedules import Roof, Roofline, Workload
from core.base.frozen import Frozen, NamedTuple
from core.base.ids import NpuOpId
from core.ir.cost import Term
from gui.document.answer import Answer
from gui.present import units
from gui.present.memory.text import AREA_NAMES
from gui.present.rects import Floats
from gui.theme.tones import Tone

ALL = "all memories"
TITLES = ("MACs a byte", "MACs a cycle")
"""Of the axes."""
TONES = MappingProxyType(
    {
        Term.MACS: Tone.BY_MACS,
        Term.SRAM: Tone.BY_SRAM,
        Term.EXTERNAL: Tone.BY_EXTERNAL,
        Term.DECODER: Tone.BY_DECODER,
        Term.OUTPUT: Tone.BY_OUTPUT,
        Term.COMMANDS: Tone.BY_COMMANDS,
        Term.LATENCY: Tone.BY_LATENCY,
    }
)
_ROOM = 0.15
"""Around marks and roofs, as all that follows in powers of ten."""
_ROW = 0.5
"""Between the lowest mark and the row of those without MACs."""
_DECIMALS = 2


class Mark(NamedTuple):
    """An operator with what it moves in one memory."""

    op: NpuOpId
    x: float
    y: float
    tone: Tone
    is_hollow: bool
    """In any memory but the first that is drawn."""


class Slope(NamedTuple):
    """The roof of a memory: higher with each MAC that a byte is used for, until it is flat."""

    rate: float
    """MACs a cycle where each byte is used for one."""
    ridge: float
    """MACs a byte from which on the accelerator is the roof."""
    text: str


class Extent(NamedTuple):
    """What there is to see."""

    left: float
    right: float
    bottom: float
    top: float


class Picture(Frozen, eq=False):
    """Marks in the order of operators; columns of places are there for many of them at once."""

    roofline: Roofline
    marks: tuple[Mark, ...]
    x: Floats
    y: Floats
    slopes: tuple[Slope, ...]
    top: float
    """The roof of the accelerator."""
    top_text: str
    row: float | None
    """Where operators without MACs stand; None where there is none."""
    extent: Extent
    legend: tuple[tuple[Tone, str], ...]

    @property
    def floor(self) -> float | None:
        """Where the plot ends, above the row of those without MACs."""
        return None if self.row is None else self.row + _ROW / 2


def memories(found: Roofline) -> tuple[str, ...]:
    """What can be chosen: the bytes of all memories, or those of one."""
    names = tuple(AREA_NAMES[roof.area] for roof in found.roofs)
    return (ALL, *names) if len(names) > 1 else names


def picture_of(answer: Answer, found: Roofline, memory: str = ALL) -> Picture | None:
    """The operators by what they move in a memory; None where none runs on the NPU."""
    if not found.workloads:
        return None
    names = [AREA_NAMES[roof.area] for roof in found.roofs]
    shown = [place for place, name in enumerate(names) if memory in (ALL, name)]
    top = math.log10(found.macs_per_cycle)
    slopes = tuple(_slope(found.roofs[place], top) for place in shown)
    marks = tuple(_marks(found.workloads, shown))
    extent = _extent(marks, slopes, top)
    order = (found.workloads[plan.op] for plan in answer.scheduled.plans())
    idle = [each.op for each in order if not each.macs and _moves(each, shown)]
    row = extent.bottom - _ROW if idle else None
    if row is not None:
        marks = (*marks, *_side_by_side(found.workloads, idle, extent, row))
        extent = extent._replace(bottom=row - _ROOM)
    marks = tuple(sorted(marks))
    return Picture(
        roofline=found,
        marks=marks,
        x=np.array([mark.x for mark in marks], dtype=np.float64),
        y=np.array([mark.y for mark in marks], dtype=np.float64),
        slopes=slopes,
        top=top,
        top_text=f"{found.macs_per_cycle:,} MACs a cycle",
        row=row,
        extent=extent,
        legend=tuple(_legend(found.workloads)),
    )


def _slope(roof: Roof, top: float) -> Slope:
    rate = math.log10(roof.bytes_per_cycle)
    bytes_text = f"{units.trimmed(roof.bytes_per_cycle, _DECIMALS)} B a cycle"
    return Slope(rate, top - rate, f"{AREA_NAMES[roof.area]}: {bytes_text}")


def _marks(workloads: Sequence[Workload], shown: Sequence[int]) -> Iterator[Mark]:
    for each in workloads:
        for place in shown:
            intensity = each.macs_per_byte[place]
            if intensity and each.macs_per_cycle:
                yield Mark(
                    each.op,
                    math.log10(intensity),
                    math.log10(each.macs_per_cycle),
                    tone_of(each),
                    place != shown[0],
                )


def _moves(workload: Workload, shown: Sequence[int]) -> bool:
    return any(workload.moved_bytes[place] for place in shown)


def _side_by_side(
    workloads: Sequence[Workload], ops: Sequence[NpuOpId], extent: Extent, row: float
) -> Iterator[Mark]:
    """Operators one beside the other, as they run."""
    step = (extent.right - extent.left) / (len(ops) + 1)
    for at, op in enumerate(ops, start=1):
        yield Mark(op, extent.left + at * step, row, tone_of(workloads[op]), is_hollow=False)


def tone_of(workload: Workload) -> Tone:
    """By what decides; nothing is told of what takes no time."""
    return Tone.PADDING if workload.decides is None else TONES[workload.decides]


def _extent(marks: Sequence[Mark], slopes: Sequence[Slope], top: float) -> Extent:
    """All marks, and the roofs from one MAC a byte on to where they are flat, with some room."""
    along_x = [0.0, *(mark.x for mark in marks), *(slope.ridge for slope in slopes)]
    along_y = [0.0, top, *(mark.y for mark in marks)]
    return Extent(
        min(along_x) - _ROOM,
        max(along_x) + 2 * _ROOM,
        min(along_y) - _ROOM,
        max(along_y) + 2 * _ROOM,
    )


def _legend(workloads: Sequence[Workload]) -> Iterator[tuple[Tone, str]]:
    """What decides any of them, and how many."""
    for term, tone in TONES.items():
        if count := sum(each.decides is term for each in workloads):
            yield tone, f"{term.value}: {count:,}"
