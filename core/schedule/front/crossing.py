"""Maps beside operators: those that cross one border only, and those that live on for longer.

Between memories, a map that is made by one part and read by the next alone is near or far whatever
all others are, so the dynamic programme decides it with the cut. Who lives on for longer takes room
beside parts that do not touch it, and is decided before.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import Frozen
from core.base.ids import FmId
from core.ir.edits import Living
from core.schedule.problem import IslandProblem
from core.schedule.spans import touches


class Crossing(Frozen, kw_only=False):
    """The maps of an island that can move to fast storage."""

    first: dict[FmId, int]
    """By map: the first node beside which it is live."""
    last: dict[FmId, int]
    at: tuple[FmId | None, ...]
    """By border, which is that before a node: the map that crosses it and no other."""
    lasting: frozenset[FmId]
    """Those that cross several, or are near in any case."""
    asked: frozenset[FmId]
    """Those of them that somebody has asked to be near."""

    @classmethod
    def of(cls, problem: IslandProblem, living: Mapping[FmId, Living]) -> Crossing:
        """Of the maps that may move, given where some are asked to live."""
        asked = frozenset(fm for fm in problem.movable if living.get(fm) is Living.FAST)
        movable = problem.movable.difference(living) | asked
        first, last = touches(problem)
        nodes = problem.nodes
        made = [node.ofm.fm for node in nodes]
        at = [
            fm if fm in movable - asked and (first[fm], last[fm]) == (border, border + 1) else None
            for border, fm in enumerate(made[:-1])
        ]
        short = frozenset(fm for fm in at if fm is not None)
        lasting = frozenset(fm for fm in movable if fm in first and fm not in short)
        return cls(first, last, (None, *at, None), lasting, asked & lasting)
