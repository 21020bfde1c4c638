"""Takes memory from weight buffers where feature maps beside them had to leave fast storage."""

from __future__ import annotations

from collections.abc import Sequence

from core.ir.schedule import Evicted
from core.liveness.lives import Life
from core.schedule.problem import Problem


def evicted_beside(
    problem: Problem, lives: Sequence[Life], evicted: Sequence[Evicted]
) -> dict[int, int]:
    """By node: bytes of the maps that were evicted while its weight buffers were there."""
    places = {node.op.id: node.index for node in problem.nodes}
    found: dict[int, int] = {}
    for life in lives:
        if life.op is None:
            continue
        beside = sum(item.size_bytes for item in evicted if _meet(life, item))
        if beside:
            index = places[life.op]
            found[index] = found.get(index, 0) + beside
    return found


def _meet(life: Life, evicted: Evicted) -> bool:
    """Whether both are there for more than the moment between two operators."""
    start = max(life.start_time, evicted.start_time)
    return start < min(life.end_time, evicted.end_time)
