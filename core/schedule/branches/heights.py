"""Rows that operators of a cascade make at once, so that the last of them make as many as asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.base.ids import FmId, NpuOpId
from core.schedule.problem import Node


def heights_of(nodes: Sequence[Node], scale: int, asked: Mapping[NpuOpId, int]) -> list[int]:
    """By node; with a scale of 0 all make as few as they can. Rows that are asked for are kept."""
    wanted: dict[FmId, int] = {}
    found = []
    for node in reversed(nodes):
        op = node.op
        most = min(node.most_rows, op.ofm.touched.h - 1)
        height = wanted.get(node.ofm.fm, max(scale, 1)) if scale else 1
        if node.needs_even_rows:
            height += height % 2
            most -= most % 2
        height = asked.get(op.id, max(min(height, most), 1))
        found.append(height)
        rows = max(height * op.kernel.stride_h // op.resampling.factor, 1)
        for view in op.views[:-1]:
            wanted[view.fm] = max(wanted.get(view.fm, 0), rows)
    return found[::-1]
