"""Where operators read their constants from."""

from __future__ import annotations

from core.cost.from_graph import uses_table
from core.ir.decisions import ConstantPlaced
from core.ir.npugraph import NpuGraph


def place_constants(graph: NpuGraph) -> tuple[ConstantPlaced, ...]:
    """Tables go to the shared buffer, since only there can they be looked up; maps stay."""
    found = []
    for op in graph.ops:
        if uses_table(op):
            reason = "the output unit looks values up in the shared buffer"
            found.append(ConstantPlaced(op=op.id, fm=None, is_moved=True, reason=reason))
        for view in op.views[:-1]:
            fm = graph.fm(view)
            if fm.data is None:
                continue
            reason = (
                "a scalar is part of the command" if fm.is_scalar else "read where it is stored"
            )
            found.append(ConstantPlaced(op=op.id, fm=fm.id, is_moved=False, reason=reason))
    return tuple(found)
