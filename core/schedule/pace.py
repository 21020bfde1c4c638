"""How deep the slices are in which weights are fetched: by time, by memory, in whole blocks."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import Frozen, replace
from core.base.geometry import ceil_div, round_up
from core.schedule.draft import WeightDraft
from core.schedule.reach import Reach

SLICE_MULTIPLE = 16
"""Depth slices begin at multiples of this many output channels."""


class Pace(Frozen, kw_only=False):
    """The depth of the first slice and of the others."""

    first: int
    others: float
    depth: int

    @classmethod
    def of(
        cls,
        whole: WeightDraft,
        first_bytes: float,
        block_depth: int,
        room: Reach,
        cycles_of_depth: Callable[[int], int],
    ) -> Pace:
        """The others as deep as can be fetched while the first is used."""
        depth, size = whole.depth_slices[-1], whole.stream.stream_bytes
        wanted = int(depth * (first_bytes / size))
        first = max(SLICE_MULTIPLE, wanted // SLICE_MULTIPLE * SLICE_MULTIPLE)
        first = min(first, round_up(depth, SLICE_MULTIPLE))
        cycles = cycles_of_depth(first)
        fetched = depth * (cycles / max(whole.transfer_cycles, 1))
        others: float = ceil_div(int(fetched), block_depth) * block_depth
        if not room.half_holds(others / depth * size):
            others = room.half_bytes / size * depth
        return cls(first, others, depth)

    def in_multiples(self, block_depth: int) -> Pace:
        """Whole blocks where they are deeper than one, else multiples of what is allowed."""
        whole = round_up(block_depth, SLICE_MULTIPLE)
        unit = whole if self.others > block_depth else SLICE_MULTIPLE
        others = max(int(self.others // unit) * unit, SLICE_MULTIPLE)
        return replace(self, others=others)

    def slices(self) -> tuple[int, ...]:
        """Where slices begin, and the end."""
        inner = range(self.first, self.depth, int(self.others)) if self.first < self.depth else ()
        return (0, *inner, self.depth)

    def finer(self) -> Pace:
        """All but the first at half their depth."""
        return replace(self, others=round_up(max(int(self.others) // 2, 1), SLICE_MULTIPLE))

    def halved(self) -> Pace:
        """The deeper of the two at half its depth."""
        if self.others > self.first:
            return replace(self, others=round_up(int(self.others) // 2, SLICE_MULTIPLE))
        return replace(self, first=round_up(self.first // 2, SLICE_MULTIPLE))
