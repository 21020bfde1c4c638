"""Buffers for weights: as late as can be, or so that time is left for the next ones.

Time that is left is worth something, but not always what is lost for it; so both are priced.
"""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import replace
from core.schedule.buffering import Room, with_buffers
from core.schedule.draft import Draft
from core.schedule.engine import whole_maps
from core.schedule.estimates import Estimates
from core.schedule.limitless import Ready
from core.schedule.problem import IslandProblem
from core.schedule.solved import Solved
from core.schedule.weight_choice import compares_ways


def faster_buffers(
    problem: IslandProblem,
    estimates: Estimates,
    ready: Ready,
    limit_bytes: int,
    cycles: Callable[[Solved], float],
) -> Draft:
    """The draft with whichever buffers are faster, with those maps in fast storage that it counts
    on, or else all that can move there."""
    draft, now = ready
    room = Room(limit_bytes=limit_bytes, now=now, evicted_bytes={})
    late = with_buffers(draft, problem.nodes, estimates, room)
    if not compares_ways(estimates) or _all_are_asked(problem, estimates):
        return late
    ahead = with_buffers(draft, problem.nodes, estimates, replace(room, looks_ahead=True))
    if ahead.ops == late.ops:
        return late

    def before_spilling(each: Draft) -> float:
        solved = whole_maps(problem, Ready(each, now), limit_bytes)
        return cycles(replace(solved, fast=each.near or problem.movable))

    return min(late, ahead, key=before_spilling)


def _all_are_asked(problem: IslandProblem, estimates: Estimates) -> bool:
    """Whether edits leave nothing open about weights, as those of what is shown do."""
    asked = estimates.fixed.weights_of
    weighted = (node.op.id for node in problem.nodes if node.op.weights is not None)
    return all(op in asked and asked[op].is_all for op in weighted)
