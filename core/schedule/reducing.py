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
    """By node: bytes of the maps that were evicted while its weight buffers were there.

    Both have to be there for more than the moment between two operators.
    """
    buffers: dict[NpuOpId, list[Life]] = {}
    for life in lives:
        if life.op is not None:
            buffers.setdefault(life.op, []).append(life)
    last = max(
        max((life.end_time for life in lives), default=0),
        max((item.end_time for item in evicted), default=0),
    )
    there: list[list[Evicted]] = [[] for _ in range(last + 1)]
    for item in evicted:
        for time in range(item.start_time, item.end_time):
            there[time].append(item)
    found = {}
    for node in problem.nodes:
        beside = {
            id(item): item
            for life in buffers.get(node.op.id, ())
            for time in range(life.start_time, life.end_time)
            for item in there[time]
        }
        if beside:
            found[node.index] = sum(item.size_bytes for item in beside.values())
    return found
