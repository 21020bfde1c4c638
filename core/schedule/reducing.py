"""Takes memory from weight buffers where feature maps beside them had to leave fast storage."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.ids import NpuOpId
from core.ir.schedule import Evicted
from core.liveness.lives import Life
from core.schedule.problem import Problem


def evicted_beside(
    problem: Problem, lives: Sequence[Life], evicted: Sequence[Evicted]
) -> dict[int, int]:
    """By node: bytes of the maps that were evicted while its weight buffers were there."""
    buffers: dict[NpuOpId, list[Life]] = {}
    for life in lives:
        if life.op is not None:
            buffers.setdefault(life.op, []).append(life)
    found = {}
    for node in problem.nodes:
        own = buffers.get(node.op.id, [])
        beside = [item for item in evicted if any(_meet(life, item) for life in own)]
        if beside:
            found[node.index] = sum(item.size_bytes for item in beside)
    return found


def _meet(life: Life, evicted: Evicted) -> bool:
    """Whether both are there for more than the moment between two operators."""
    start = max(life.start_time, evicted.start_time)
    return start < min(life.end_time, evicted.end_time)
