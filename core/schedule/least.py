"""The memory below which no schedule of an island is, whoever searches it.

A map can only be smaller than it is where its one reader follows its maker and both can run in
stripes. All others exist whole from their first operator to their last, and as operators keep their
order, those that are live at one time are known before any search.
"""

from __future__ import annotations

from core.ir.decisions import SmallestMemory
from core.schedule.cascades import links
from core.schedule.problem import Problem
from core.schedule.spans import spans_of


def least_memory(problem: Problem) -> SmallestMemory:
    """What maps take that must exist whole, while the operator runs beside which most are live."""
    rolling = {
        node.ofm.fm
        for node, reader in zip(problem.nodes, problem.nodes[1:], strict=False)
        if links(node, reader)
    }
    whole = frozenset(fm for node in problem.nodes for fm in node.maps if fm not in rolling)
    sizes = spans_of(problem, whole).alone
    largest = max(problem.nodes, key=lambda node: sizes[node.index], default=None)
    return SmallestMemory(
        island=problem.island.id,
        size_bytes=0 if largest is None else sizes[largest.index],
        op=None if largest is None else largest.op.id,
    )
