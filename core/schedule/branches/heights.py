"""Rows that operators of a cascade make at once, so that the last of them make as many as asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.frozen import Changing, field
from core.base.ids import FmId, NpuOpId
from core.schedule.problem import Node


class Heights(Changing):
    """Rows by operator, from the last one back; with a scale of 0 all make as few as they can.

    Rows that are asked for are kept.
    """

    scale: int
    asked: Mapping[NpuOpId, int]
    of: dict[int, int] = field(default_factory=dict)
    """By node."""
    _wanted: dict[FmId, int] = field(default_factory=dict)

    def add(self, node: Node) -> int:
        """The rows of an operator that comes before all others."""
        op, wanted = node.op, self._wanted
        most = min(node.most_rows, op.ofm.touched.h - 1)
        height = wanted.get(node.ofm.fm, max(self.scale, 1)) if self.scale else 1
        if node.needs_even_rows:
            height += height % 2
            most -= most % 2
        height = self.of[node.index] = self.asked.get(op.id, max(min(height, most), 1))
        rows = max(height * op.kernel.stride_h // op.resampling.factor, 1)
        for view in op.views[:-1]:
            wanted[view.fm] = max(wanted.get(view.fm, 0), rows)
        return height


def heights_of(nodes: Sequence[Node], scale: int, asked: Mapping[NpuOpId, int]) -> list[int]:
    """The rows of all of them, by node."""
    heights = Heights(scale, asked)
    return [heights.add(node) for node in reversed(nodes)][::-1]
