"""When DMA brings weights and tables: one transfer after the other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from core.base.frozen import Changing, NamedTuple, field
from core.base.ids import NpuOpId
from core.cost.rates import Rates
from core.cost.trace_slices import Cycles, Slices
from core.ir.trace import NOTHING, Activity, Lane
from core.target.target import Target


class Stretch(NamedTuple):
    """From when to when an operator runs."""

    start: float
    end: float


class DmaIn(Changing):
    """The channel by which data comes to fast storage; it serves one transfer at a time."""

    target: Target
    rates: Rates
    slices: Slices
    free_from: float = 0.0
    _ahead: dict[NpuOpId, float] = field(default_factory=dict)
    """Of first transfers that come ahead: cycles that remain to be done."""
    _busy_starts: Sequence[float] = ()
    _busy_ends: Sequence[float] = ()

    def weight_cycles(self, slice_bytes: Sequence[int]) -> list[int]:
        """Cycles of the transfer of each slice."""
        source, fast = self.target.permanent.area, self.target.fast.area
        return [self.rates.copy_cycles(source, fast, size) for size in slice_bytes]

    def keep_off(self, starts: Cycles, ends: Cycles) -> None:
        """Copies of feature maps that a cascade makes meanwhile, in order."""
        self._busy_starts, self._busy_ends = starts.tolist(), ends.tolist()

    def occupy(self, end: float) -> None:
        """Something else has the channel until then."""
        self.free_from = max(self.free_from, end)

    def come_ahead(self, op: NpuOpId, cycles: float) -> None:
        """A transfer is told before others run that come before its operator."""
        self._ahead[op] = cycles

    def fill(self, window: Stretch) -> None:
        """What comes ahead goes on in the time that an operator leaves the channel, in order."""
        for op, cycles in self._ahead.items():
            begin = self._next_free(max(window.start, self.free_from))
            done = min(self._until(begin, cycles), window.end) - begin
            if cycles <= 0.0:
                continue
            if done <= 0.0:
                return
            self._add(Activity.PREFETCH, op, begin, begin + done, 0)
            self._ahead[op] = max(cycles - done, 0.0)

    def left_of(self, op: NpuOpId) -> float | None:
        """What remains to be done of a transfer that came ahead; None of one that did not."""
        return self._ahead.pop(op, None)

    def bring(
        self,
        activity: Activity,
        op: NpuOpId,
        cycles: float,
        window: Stretch,
        depth_slice: int = NOTHING,
    ) -> float:
        """As soon as possible after a start, done at the end of the operator; when it is done."""
        begin = self._next_free(max(window.start, self.free_from))
        if begin > window.end:
            return window.end
        end = max(min(self._until(begin, cycles), window.end), begin)
        self._add(activity, op, begin, end, depth_slice)
        return end

    def _add(
        self, activity: Activity, op: NpuOpId, begin: float, end: float, depth_slice: int
    ) -> None:
        self.slices.add(Lane.DMA_IN, activity, begin, end, op, depth_slice)
        self.free_from = end

    def _next_free(self, cycle: float) -> float:
        """The cycle itself, or the end of the copy that runs then."""
        while (place := bisect_right(self._busy_starts, cycle) - 1) >= 0:
            if cycle >= self._busy_ends[place]:
                break
            cycle = self._busy_ends[place]
        return cycle

    def _until(self, begin: float, cycles: float) -> float:
        """When a transfer ends: it gives way to the next copy."""
        place = bisect_right(self._busy_starts, begin)
        ends = self._busy_starts[place] if place < len(self._busy_starts) else math.inf
        return min(begin + cycles, ends)
