"""Judges what is said of edits: that what counts as honoured is so, and all else has a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.check.finding import Finding
from core.edits.names import Names
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    EditOutcome,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    SpanNamed,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.layout import MemoryLayout, Purpose
from core.ir.npugraph import NpuGraph
from core.ir.schedule import MapPlan, OpPlan, Schedule
from core.target.region import Region
from core.target.target import Target


def verify(
    graph: NpuGraph,
    target: Target,
    schedule: Schedule,
    layout: MemoryLayout,
    outcomes: Sequence[EditOutcome],
) -> tuple[Finding, ...]:
    """Everything that is wrong with what is said of the edits."""
    if not outcomes:
        return ()
    judge = _Judge(graph, target, schedule, layout)
    return tuple(found for each in outcomes for found in judge.findings(each))


class _Judge:
    def __init__(
        self, graph: NpuGraph, target: Target, schedule: Schedule, layout: MemoryLayout
    ) -> None:
        self._graph = graph
        self._target = target
        self._layout = layout
        self._names = Names.of(graph)
        self._maps = schedule.maps
        self._made_by_cpu = [op.outputs[0] for op in graph.cpu_ops if op.outputs]
        self._plans: dict[int, OpPlan] = {}
        self._order: dict[int, tuple[int, int]] = {}
        """By operator: when it runs, and its place in its island."""
        self._groups: dict[int, tuple[int, int]] = {}
        """By operator that is in a cascade: its island, and which cascade there."""
        for island in schedule.islands:
            self._plans.update((plan.op, plan) for plan in island.ops)
            self._order.update(
                (plan.op, (layout.op_times[plan.op], at)) for at, plan in enumerate(island.ops)
            )
            for number, cascade in enumerate(island.cascades):
                self._groups.update(dict.fromkeys(cascade.ops, (island.island, number)))

    def findings(self, outcome: EditOutcome) -> Iterator[Finding]:
        """What is wrong with what is said of one edit."""
        edit = outcome.edit
        where = f"edit of {edit.subject}"
        if outcome.fate is EditFate.HONOURED:
            if not edit.is_on:
                yield Finding(where, "is off, and is said to be honoured")
            elif not (self._is_on_cpu(edit) or self._is_so(edit)):
                yield Finding(where, f"{edit.what.value} is not {edit.value}, as is said")
        elif outcome.fate in (EditFate.REFUSED, EditFate.ORPHAN) and not outcome.reasons:
            yield Finding(where, f"is said to be {outcome.fate.value} for no reason")

    def _is_on_cpu(self, edit: Edit) -> bool:
        if edit.what is not What.PROCESSOR or not isinstance(edit.subject, OpNamed):
            return False
        return edit.subject.name in {self._graph.feature_maps[fm].name for fm in self._made_by_cpu}

    def _is_so(self, edit: Edit) -> bool:
        match edit.subject:
            case MapNamed():
                return self._is_map_so(edit, self._names.map_ids[edit.subject])
            case OpNamed() if isinstance(edit.value, OpNamed):
                first, then = edit.subject, edit.value
                if edit.what is What.AFTER:
                    first, then = then, first
                ids = self._names.op_ids
                return self._order[ids[first]] < self._order[ids[then]]
            case OpNamed():
                op = self._names.op_ids.get(edit.subject)
                return op is not None and self._is_op_so(edit, [op])
            case OpsNamed(ops):
                return self._is_op_so(edit, sorted(self._names.op_ids[op] for op in ops))
            case EdgeNamed(maker, reader):
                one, other = (self._groups.get(self._names.op_ids[op]) for op in (maker, reader))
                return one is None or one != other
            case SpanNamed(first, last):
                times = [self._layout.op_times[self._names.op_ids[op]] for op in (first, last)]
                return self._is_reserved(edit, min(times), max(times))

    def _is_map_so(self, edit: Edit, fm: int) -> bool:
        plan = self._maps[fm]
        match edit.what:
            case What.REGION:
                return self._living(plan) is edit.value
            case What.FORMAT:
                return plan.format is edit.value
            case What.ROLLING:
                return plan.rolling is not None and plan.rolling.h == edit.value
            case _:
                return any(
                    fm in item.fms and item.address == edit.value and plan.region is item.region
                    for area in self._layout.areas
                    for item in area.placements
                )

    def _living(self, plan: MapPlan) -> Living:
        if plan.region.is_permanent:
            return Living.SLOW
        is_near = plan.region is Region.SCRATCH_FAST or not self._target.is_spilling
        return Living.FAST if is_near else Living.SLOW

    def _is_op_so(self, edit: Edit, ops: Sequence[int]) -> bool:
        plan = self._plans[ops[-1]]
        match edit.what:
            case What.CASCADE:
                return self._are_grouped_so(edit, {*ops})
            case What.STRIPE:
                return plan.stripe.ofm.h == edit.value
            case What.BLOCK:
                return plan.block.ofm_block == edit.value
            case What.TRAVERSAL:
                return plan.block.is_part_kernel == (edit.value is Traversal.PART_KERNEL)
            case What.WEIGHTS:
                return _are_weights_so(plan, edit.value)
            case _:
                return False

    def _are_grouped_so(self, edit: Edit, ops: set[int]) -> bool:
        groups = [self._groups[op] for op in ops if op in self._groups]
        if edit.value is Grouping.NEVER:
            return not groups
        if edit.value is Grouping.APART:
            return len({*groups}) == len(groups)
        return len(groups) == len(ops) and len({*groups}) == 1

    def _is_reserved(self, edit: Edit, first: int, last: int) -> bool:
        return edit.value == 0 or any(
            item.purpose is Purpose.RESERVED
            and item.size_bytes == edit.value
            and item.start_time <= first
            and item.end_time >= last
            for area in self._layout.areas
            for item in area.placements
        )


def _are_weights_so(plan: OpPlan, asked: object) -> bool:
    weights = plan.weights
    if weights is None or not isinstance(asked, WeightsAsked):
        return False
    return (
        (asked.buffers is None or asked.buffers == len(weights.buffer_bytes))
        and (asked.depths is None or asked.depths == weights.depth_slices)
        and (asked.prefetch is None or asked.prefetch == weights.is_prefetched)
        and (asked.lead_steps is None or asked.lead_steps == weights.lead_steps)
    )
