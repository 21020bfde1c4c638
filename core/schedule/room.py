"""How much fast storage decisions need, however a network is scheduled that has them."""

from __future__ import annotations

from dataclasses import replace

from core.ir.edits import Living
from core.liveness.sizes import map_bytes
from core.schedule.branches.flow import can_roll
from core.schedule.problem import IslandProblem
from core.schedule.run import Prepared
from core.schedule.spans import spans_of
from core.schedule.spilling import movable_maps
from core.target.format import Format


def proved_need(prepared: Prepared) -> int:
    """Bytes that no schedule with what is fixed does without: of maps that cannot roll there, each
    in the smaller of its formats, and of what others need."""
    return max((_need(prepared, problem) for problem in prepared.ways[-1].problems), default=0)


def _need(prepared: Prepared, problem: IslandProblem) -> int:
    smallest = _smallest(prepared, problem)
    rolling = can_roll(smallest, prepared.free.estimates.freedoms)
    whole = {fm for node in smallest.nodes for fm in node.maps if fm not in rolling}
    if not problem.storage.has_all_maps:
        living = prepared.ways[-1].estimates.fixed.living_of
        whole &= {fm for fm in movable_maps(problem) if living.get(fm) is Living.FAST}
    live = spans_of(smallest, frozenset(whole)).alone
    return max(live, default=0)


def _smallest(prepared: Prepared, problem: IslandProblem) -> IslandProblem:
    """The island with maps as small, and outputs as often on inputs, as any formats allow."""
    maps, free = problem.graph.feature_maps, prepared.free.fms
    sizes = tuple(
        min(map_bytes(maps[fm], order) for order in Format) if fm in free else size
        for fm, size in enumerate(problem.sizes)
    )
    nodes = tuple(replace(node, overwrites=node.alike) for node in problem.nodes)
    return replace(problem, sizes=sizes, nodes=nodes)
