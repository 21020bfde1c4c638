"""What judges of schedules and layouts ask of a feature map: its users, size, and successors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping

from core.base.frozen import NamedTuple
from core.base.geometry import ORIGIN, round_up
from core.base.ids import FmId, NpuOpId
from core.ir.npugraph import CpuOp, FeatureMap, NpuGraph, NpuOp, OpKind, View
from core.ir.schedule import MapPlan, Schedule
from core.target.format import Format
from core.target.region import Region
from core.target.target import Target

_QUANTUM = 16
"""Everything in memory takes a multiple of so many bytes, and at least that."""


class Uses(NamedTuple):
    """Who touches each feature map, in the order in which the whole network runs."""

    moments: Mapping[NpuOpId, int]
    """When each operator runs, counted in steps."""
    writes: Mapping[FmId, tuple[int, ...]]
    reads: Mapping[FmId, tuple[int, ...]]
    outside: frozenset[FmId]
    """Maps that come from outside an island, or are handed on."""
    results: frozenset[FmId]
    """What the network hands out."""
    fixed: frozenset[FmId]
    """Constants, states, and maps that share their bytes with others."""
    sharing: Mapping[FmId, tuple[FmId, ...]]
    """By storage: the maps whose bytes it is."""


def op_name(graph: NpuGraph, op: NpuOpId) -> str:
    """How findings call an operator."""
    return f"operator {op} '{graph.ops[op].name}'"


def map_name(graph: NpuGraph, fm: FmId) -> str:
    """How findings call a feature map."""
    return f"feature map {fm} '{graph.feature_maps[fm].name}'"


def stored_bytes(fm: FeatureMap, plan: MapPlan) -> int:
    """Bytes that a map takes, or as much of it as exists at once."""
    if plan.rolling is not None:
        elements = plan.rolling.elements
    elif plan.format is Format.BRICKS and fm.shape:
        elements = math.prod(fm.shape[:-1]) * round_up(fm.shape[-1], 16)
    else:
        elements = math.prod(fm.shape)
    return max(round_up(elements * fm.dtype.size_bytes, _QUANTUM), _QUANTUM)


def is_fast(target: Target, plan: MapPlan) -> bool:
    """Whether a map takes fast storage."""
    if plan.region.is_permanent:
        return False
    return plan.region is Region.SCRATCH_FAST or not target.is_spilling


def inputs_of(op: NpuOp) -> tuple[View, ...]:
    """What an operator reads."""
    return op.views[:-1]


def uses_of(graph: NpuGraph, schedule: Schedule) -> Uses:
    """Who touches each feature map of a network, in the order of a schedule."""
    moments: dict[NpuOpId, int] = {}
    writes: dict[FmId, list[int]] = defaultdict(list)
    reads: dict[FmId, list[int]] = defaultdict(list)
    for moment, step in enumerate(_steps(graph, schedule)):
        if isinstance(step, NpuOp):
            moments[step.id] = moment
            made, given = [step.ofm.fm], [view.fm for view in inputs_of(step)]
        else:
            made, given = list(step.outputs), list(step.inputs)
        for fm in made:
            writes[fm].append(moment)
        for fm in given:
            reads[fm].append(moment)
    sharing: dict[FmId, list[FmId]] = defaultdict(list)
    for item in graph.feature_maps:
        sharing[item.storage].append(item.id)
    ends = [fm for maps in (*graph.inputs, *graph.outputs) for fm in maps]
    borders = [fm for island in graph.islands for fm in (*island.inputs, *island.outputs)]
    by_cpu = [fm for step in graph.cpu_ops for fm in (*step.inputs, *step.outputs)]
    return Uses(
        moments=moments,
        writes={fm: tuple(found) for fm, found in writes.items()},
        reads={fm: tuple(found) for fm, found in reads.items()},
        outside=frozenset((*ends, *borders, *by_cpu)),
        results=frozenset(fm for maps in graph.outputs for fm in maps),
        fixed=frozenset(
            fm.id
            for fm in graph.feature_maps
            if fm.data is not None or fm.is_variable or len(sharing[fm.storage]) > 1
        ),
        sharing={storage: tuple(fms) for storage, fms in sharing.items()},
    )


def _steps(graph: NpuGraph, schedule: Schedule) -> Iterator[NpuOp | CpuOp]:
    for steps in graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                yield step
            else:
                yield from (graph.ops[plan.op] for plan in schedule.islands[step].ops)


def overwritable(
    graph: NpuGraph, target: Target, schedule: Schedule, uses: Uses, op: NpuOp
) -> Iterator[FeatureMap]:
    """Inputs whose bytes the output of an operator may take while it reads them."""
    now, made = uses.moments[op.id], op.ofm.fm
    if op.may_lie_on_input:
        is_same_place = _lie_alike
    elif op.kind is OpKind.COPY:
        is_same_place = _are_same_bytes
    else:
        return
    if min(uses.writes[made]) < now:
        return
    for view in inputs_of(op):
        fm = graph.fm(view)
        if max(uses.reads[fm.id]) > now or not _may_be_lost(uses, fm, now):
            continue
        plans = schedule.maps[fm.id], schedule.maps[made]
        is_one_memory = is_fast(target, plans[0]) == is_fast(target, plans[1])
        if is_one_memory and is_same_place(graph, (view, op.ofm), plans):
            yield fm


def _may_be_lost(uses: Uses, fm: FeatureMap, now: int) -> bool:
    """Whether nobody misses a map that no operator reads from now on."""
    if fm.data is not None or fm.id in uses.results:
        return False
    same = uses.sharing[fm.storage]
    if not fm.is_variable and len(same) == 1:
        return True
    return any(moment >= now for other in same for moment in uses.writes.get(other, ()))


def _lie_alike(graph: NpuGraph, views: tuple[View, View], plans: tuple[MapPlan, MapPlan]) -> bool:
    """Whether each element has the same place in both maps."""
    one, other = (
        (
            view.shape,
            view.start,
            view.touched,
            (view.step_h, view.step_w, view.base_offset_bytes, view.is_transposed),
            (graph.fm(view).dtype, plan.format),
        )
        for view, plan in zip(views, plans, strict=True)
    )
    return one == other


def _are_same_bytes(
    graph: NpuGraph, views: tuple[View, View], plans: tuple[MapPlan, MapPlan]
) -> bool:
    """Whether a copy only gives the same bytes, row by row, another shape or type."""
    sizes = {stored_bytes(graph.fm(view), plan) for view, plan in zip(views, plans, strict=True)}
    is_linear = all(plan.format is Format.LINEAR for plan in plans)
    return is_linear and len(sizes) == 1 and all(map(is_whole, views))


def is_whole(view: View) -> bool:
    """Whether a view is the whole map, element by element."""
    is_plain = view.step_h == view.step_w == 1 and not view.base_offset_bytes
    at_start = view.start == ORIGIN and view.touched == view.shape
    return is_plain and at_start and not view.is_transposed
