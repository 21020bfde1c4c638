"""A box that is drawn over a memory map: bytes that others need while some operators run."""

from __future__ import annotations

from core.base.frozen import Frozen
from core.base.geometry import round_up
from core.base.ids import NpuOpId
from core.target.format import ALIGNMENT_BYTES
from core.target.region import Region
from gui.document.answer import Answer
from gui.document.selection import Selection
from gui.present.compiled import is_compiled
from gui.present.edits.subjects import run_order
from gui.present.memory.cut import time_at
from gui.present.memory.map import AreaMap


class Reserve(Frozen):
    """What a box comes to."""

    ops: tuple[NpuOpId, ...]
    """As they run."""
    size_bytes: int
    start_time: int
    end_time: int

    @property
    def selection(self) -> Selection:
        """Its operators, as if they had been picked."""
        return Selection(op=self.ops[0], more_ops=self.ops[1:])


def can_reserve(answer: Answer, drawn: AreaMap) -> bool:
    """Whether others can be given bytes of this memory."""
    return Region.SCRATCH_FAST in drawn.area.regions and not is_compiled(answer)


def reserve_of(
    answer: Answer, drawn: AreaMap, along_x: tuple[float, float], along_y: tuple[float, float]
) -> Reserve | None:
    """The operators that run within a box, and its height in bytes; None where it has nothing."""
    start, end = (time_at(drawn, x) for x in sorted(along_x))
    times = answer.scheduled.layout.op_times
    ops = tuple(op for op in run_order(answer) if start <= times[op] <= end)
    size = round_up(round(abs(along_y[1] - along_y[0])), ALIGNMENT_BYTES)
    if not ops or not size:
        return None
    return Reserve(ops=ops, size_bytes=size, start_time=start, end_time=end)


def reserve_text(answer: Answer, reserve: Reserve) -> str:
    """What letting go would ask for."""
    titles = answer.scheduled.graph.titles
    first, last = (titles.op(op) for op in (reserve.ops[0], reserve.ops[-1]))
    while_ = f"while {first} runs" if first == last else f"from {first} to {last}"
    return f"reserve {reserve.size_bytes:,} bytes {while_}"
