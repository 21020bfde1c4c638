"""An island with the draft that was chosen for it: what it costs, and the values it becomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from core.base.frozen import Frozen, replace
from core.base.ids import FmId
from core.cost.from_graph import Place
from core.cost.from_schedule import estimated_costs
from core.cost.island import Entry, Pieces, costs_of_commands
from core.cost.spent import Cycles
from core.ir.cost import OperatorCost
from core.ir.decisions import BlockChosen, Candidate, Decision, Fate, FormatChosen, MapPlaced
from core.ir.fixed import Reserve
from core.ir.npugraph import NpuGraph
from core.ir.schedule import (
    Cascade,
    Evicted,
    IslandSchedule,
    MapPlan,
    OpPlan,
    RollingBuffer,
)
from core.liveness.sizes import rolling_bytes
from core.schedule.draft import Draft, OpDraft, Snapshot, rolling_maps, snapshot
from core.schedule.estimates import Estimates
from core.schedule.problem import IslandProblem, Node
from core.schedule.spilling import accesses_of, evicted, placed
from core.target.format import Format
from core.target.region import Region

_STORED = {
    (order, region): MapPlan(format=order, region=region) for order in Format for region in Region
}
"""Most maps are whole; plans of these are shared."""


class Solved(Frozen):
    """An island with the draft that was chosen for it."""

    problem: IslandProblem
    candidate: Candidate
    draft: Draft
    now: Snapshot
    limit_bytes: int
    fast: frozenset[FmId] = frozenset()
    sent_away: tuple[Evicted, ...] = ()
    """Maps that the search would have moved to fast storage."""
    decisions: tuple[Decision, ...] = ()
    formats: tuple[FormatChosen, ...] = ()
    """Of the maps that it makes and that can be in either format."""


def island_schedule(solved: Solved) -> IslandSchedule:
    """The schedule of one island."""
    return IslandSchedule(
        island=solved.problem.island.id,
        candidate=solved.candidate,
        ops=op_plans(solved),
        cascades=_cascades(solved.problem, solved.draft),
        limit_bytes=solved.limit_bytes,
        snapshot=tuple(solved.now.usage),
        evicted=evicted_maps(solved),
    )


def slow_maps(solved: Solved) -> frozenset[FmId]:
    """Maps that could be in fast storage and are not, whoever left them where they live."""
    return solved.problem.movable.difference(rolling_maps(solved.draft), solved.fast)


def evicted_maps(solved: Solved) -> tuple[Evicted, ...]:
    """The same with what they would take there; those that could share their bytes are one."""
    slow = slow_maps(solved)
    if not slow:
        return ()
    lives = snapshot(solved.problem, solved.draft, slow).lives
    return tuple(evicted(life) for life in lives if not slow.isdisjoint(life.fms))


def with_lost_bytes(solved: Solved, lost: Sequence[Reserve]) -> Solved:
    """The same as it is: what it leaves free for addresses is nobody's."""
    own = len(solved.problem.reserves) - len(lost)
    problem = replace(solved.problem, reserves=solved.problem.reserves[:own])
    return replace(solved, problem=problem, now=snapshot(problem, solved.draft, solved.fast))


def op_plans(solved: Solved) -> tuple[OpPlan, ...]:
    """The plans of an island's operators."""
    numbers = {last: number for number, last in enumerate(sorted(solved.draft.cascades))}
    return tuple(
        _op_plan(node, solved.draft.ops[node.index], solved.now.times[node.index], numbers)
        for node in solved.problem.nodes
    )


def block_records(solved: Solved) -> Iterator[BlockChosen]:
    """What the blocks were chosen from, as far as they were by their cost."""
    for node in solved.problem.nodes:
        cost = solved.draft.ops[node.index].cost
        if cost.choice is None:
            continue
        told = (*cost.choice.best, cost.choice.usual)
        yield BlockChosen(
            op=node.op.id,
            height=cost.stripe.ofm.h,
            blocks=tuple(price.ofm_block for price in told),
            cycles=tuple(price.cycles for price in told),
            fetched_bytes=tuple(price.fetched_bytes for price in told),
            asked=cost.choice.asked,
        )


def moved_maps(solved: Solved) -> frozenset[FmId]:
    """Maps that are in fast storage because the island has moved them there, or rolls them."""
    return solved.fast.union(rolling_maps(solved.draft))


def island_maps(solved: Solved) -> dict[FmId, MapPlan]:
    """How the maps are stored that an island makes, and where they live."""
    rolling, formats = rolling_maps(solved.draft), solved.problem.formats
    moved = moved_maps(solved)
    found = {}
    for fm in (node.ofm.fm for node in solved.problem.nodes):
        plan = _STORED[formats[fm], Region.SCRATCH_FAST if fm in moved else Region.SCRATCH]
        found[fm] = replace(plan, rolling=rolling[fm]) if fm in rolling else plan
    return found


def default_maps(graph: NpuGraph, formats: Sequence[Format]) -> list[MapPlan]:
    """Maps in the arena; constants where they are stored, for whoever reads them."""
    on_npu = {view.fm for op in graph.ops for view in op.views}
    plans = []
    for fm in graph.feature_maps:
        region = Region.SCRATCH
        if fm.data is not None:
            region = Region.PERMANENT_NPU if fm.id in on_npu else Region.PERMANENT_CPU
        plans.append(_STORED[formats[fm.id], region])
    return plans


def with_island_maps(plans: Iterable[MapPlan], solved: Iterable[Solved]) -> tuple[MapPlan, ...]:
    """The plans of all maps, given those of maps that no island makes."""
    result = list(plans)
    for each in solved:
        for fm, plan in island_maps(each).items():
            result[fm] = plan
    return tuple(result)


def _op_plan(node: Node, plan: OpDraft, time: int, numbers: dict[int, int]) -> OpPlan:
    return OpPlan(
        op=node.op.id,
        stripe=plan.cost.stripe,
        block=plan.cost.block,
        cascade=None if plan.cascade is None else numbers[plan.cascade],
        weights=None if plan.weights is None else plan.weights.plan,
        macs=plan.cost.macs,
        cycles=plan.cost.cycles,
        slack_cycles=plan.slack_cycles,
        slack_bytes=plan.slack_bytes,
        time=time,
    )


def _cascades(problem: IslandProblem, draft: Draft) -> tuple[Cascade, ...]:
    maps = problem.graph.feature_maps
    found = []
    for _, cascade in sorted(draft.cascades.items()):
        nodes = problem.nodes[cascade.first : cascade.last + 1]
        buffers = tuple(
            RollingBuffer(fm=fm, shape=shape, size_bytes=rolling_bytes(maps[fm], shape))
            for fm, shape in cascade.rolling
        )
        found.append(
            Cascade(
                ops=tuple(node.op.id for node in nodes),
                buffers=buffers,
                size_bytes=cascade.size_bytes,
                overlays=cascade.overlays,
            )
        )
    return tuple(found)


def island_costs(
    solved: Solved, estimates: Estimates, defaults: Sequence[MapPlan]
) -> tuple[OperatorCost, ...]:
    """What each operator of an island costs; maps that it does not make are where they are by
    default."""
    if estimates.options.freedoms.priced_stripes:
        return costs_as_commands(solved, estimates, defaults)
    plans, plan_of = op_plans(solved), map_of(solved, defaults)
    return tuple(estimated_costs(solved.problem.graph, estimates.model, plans, plan_of))


def costs_as_commands(
    solved: Solved, estimates: Estimates, defaults: Sequence[MapPlan]
) -> tuple[OperatorCost, ...]:
    """The same by the price that is shown, addresses left aside."""
    plan_of = map_of(solved, defaults)
    return tuple(costs_of_commands(estimates.prices, op_plans(solved), plan_of))


def island_cycles(solved: Solved, estimates: Estimates, defaults: Sequence[MapPlan]) -> Cycles:
    """The sum of the same; what it is for a draft is worked out once."""
    known = solved.draft.prices
    key = solved.problem.formats, solved.fast
    if key not in known:
        known[key] = _island_cycles(solved, estimates, defaults)
    return known[key]


def _island_cycles(solved: Solved, estimates: Estimates, defaults: Sequence[MapPlan]) -> Cycles:
    if estimates.options.freedoms.priced_stripes:
        return _cycles_of_commands(solved, estimates.pieces, defaults)
    costs = island_costs(solved, estimates, defaults)
    return Cycles(
        math.fsum(cost.total_cycles for cost in costs),
        math.fsum(cost.dram_cycles for cost in costs),
    )


def _cycles_of_commands(solved: Solved, pieces: Pieces, defaults: Sequence[MapPlan]) -> Cycles:
    ops, plan_of = solved.draft.ops, map_of(solved, defaults)
    places: dict[FmId, Place] = {}
    entries = []
    for node in solved.problem.nodes:
        plan, cost = ops[node.index], ops[node.index].cost
        for fm in node.fms:
            if fm not in places:
                stored = plan_of(fm)
                places[fm] = pieces.prices.place(stored.region, stored.format)
        key = (
            pieces.prices.twins[node.op.id],
            cost.stripe.ofm.h,
            cost.block,
            tuple([places[fm] for fm in node.fms]),
            None if plan.weights is None else plan.weights.plan,
        )
        is_rolling = plan.cascade is not None and plan_of(node.ofm.fm).rolling is not None
        entries.append(Entry(node.op.id, key, plan.cascade, is_rolling))
    return pieces.cycles(entries, lambda: op_plans(solved), plan_of)


def map_of(solved: Solved, defaults: Sequence[MapPlan]) -> Callable[[FmId], MapPlan]:
    """How each map is stored while an island runs."""
    own = island_maps(solved)
    return lambda fm: own.get(fm) or defaults[fm]


def unmoved(solved: Solved, estimates: Estimates) -> Iterator[MapPlaced]:
    """A record for each: edits ask for it, or a cascade makes them, which the search leaves; others
    would have lengthened the lives of maps that stay for as long as there is no room."""
    told = {fm for each in solved.decisions if isinstance(each, MapPlaced) for fm in each.fms}
    left = slow_maps(solved) - told
    if not left:
        return
    worth = accesses_of(
        solved.problem, estimates.with_formats(solved.problem.formats), solved.draft
    )
    living, nodes = estimates.fixed.living_of, solved.problem.nodes
    made = {node.ofm.fm for node in nodes if solved.draft.ops[node.index].cascade is not None}
    for life in snapshot(solved.problem, solved.draft, left).lives:
        fms = [fm for fm in life.fms if fm in left]
        fates = {
            fm: Fate.ASKED if fm in living else Fate.CASCADED if fm in made else Fate.NEVER_FITS
            for fm in fms
        }
        for fate in dict.fromkeys(fates.values()):
            own = replace(life, fms=tuple(fm for fm in fms if fates[fm] is fate))
            yield placed(own, fate, Region.SCRATCH, worth, solved.limit_bytes)
