"""Slices of a trace while they are gathered."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, field
from core.base.ids import NpuOpId
from core.ir.trace import NOTHING, Activity, Lane

COLUMNS = ("lane", "activity", "start_cycle", "end_cycle", "op", "cpu_op", "stripe", "depth_slice")

Cycles = npt.NDArray[np.float64]


class Slices(Changing):
    """Rows of numbers in the order of `COLUMNS`: single ones, and many at once."""

    _rows: list[tuple[float, ...]] = field(default_factory=list)
    _blocks: list[Cycles] = field(default_factory=list)

    def add(
        self,
        lane: Lane,
        activity: Activity,
        start: float,
        end: float,
        op: NpuOpId,
        depth_slice: int = NOTHING,
    ) -> None:
        """One slice of an operator that is in no cascade, or of its DMA."""
        self._rows.append((lane, activity, start, end, op, NOTHING, NOTHING, depth_slice))

    def add_cpu_op(self, position: int, cycle: float) -> None:
        """An operator on the CPU: nobody knows how long it takes."""
        row = (Lane.CPU, Activity.CPU, cycle, cycle, NOTHING, position, NOTHING, NOTHING)
        self._rows.append(row)

    def add_stripes(
        self,
        lanes: npt.NDArray[np.int64],
        activities: npt.NDArray[np.int64],
        starts: Cycles,
        ends: Cycles,
        ops: npt.NDArray[np.int64],
        stripes: npt.NDArray[np.int64],
    ) -> None:
        """The slices of a cascade."""
        nothing = np.full(len(starts), NOTHING)
        columns = (lanes, activities, starts, ends, ops, nothing, stripes, nothing)
        self._blocks.append(np.stack([column.astype(np.float64) for column in columns], axis=1))

    def sorted(self) -> dict[str, Cycles]:
        """All of them by the names of their columns, in order of start, then of lane."""
        rows = np.array(self._rows, dtype=np.float64).reshape(-1, len(COLUMNS))
        table = np.concatenate([rows, *self._blocks])
        # Where a slice takes no time, it comes before the one that begins with it.
        order = np.lexsort((table[:, 3], table[:, 0], table[:, 2]))
        return {name: table[order, place] for place, name in enumerate(COLUMNS)}
