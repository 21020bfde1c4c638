"""What the ecosystem's compiler estimates of a schedule: each operator once, over its whole maps.

Cascades move less memory by that estimate, and cost no more time. What they do cost says
`core/cost/island.py`; this is what schedules that are to be compatible are searched by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.base.geometry import round_up
from core.base.ids import FmId
from core.cost.from_graph import Place, uses_table
from core.cost.model import CostModel
from core.cost.work import Step, Table, WeightBuffer, WeightUse
from core.ir.cost import OperatorCost
from core.ir.npugraph import NpuGraph, NpuOp, OpKind
from core.ir.schedule import MapPlan, OpPlan
from core.target.format import ALIGNMENT_BYTES
from core.target.region import memory_of
from core.target.target import Target


def estimated_costs(
    graph: NpuGraph,
    model: CostModel,
    plans: Sequence[OpPlan],
    map_of: Callable[[FmId], MapPlan],
) -> list[OperatorCost]:
    """The estimate for each operator of an island."""
    return [model.cost(step) for step in steps(graph, model, plans, map_of)]


def steps(
    graph: NpuGraph,
    model: CostModel,
    plans: Sequence[OpPlan],
    map_of: Callable[[FmId], MapPlan],
) -> Iterator[Step]:
    """The operators of an island in their places in the schedule."""
    slack_cycles, target = 0, model.target
    for plan in plans:
        op = graph.ops[plan.op]
        places = tuple(_place(target, map_of(view.fm)) for view in op.views)
        weights = _weights(target, op, plan)
        is_near = weights is None or weights.buffer is None
        constants = target.permanent.area if is_near else target.fast.area
        yield Step(
            work=model.work(graph, op, plan.block, places, constants),
            weights=weights,
            table=_table(target, op),
            copied_bytes=_copied_bytes(graph, op),
            slack_cycles=slack_cycles,
        )
        slack_cycles = plan.slack_cycles


def _place(target: Target, plan: MapPlan) -> Place:
    return Place(memory_of(target, plan.region).area, plan.format)


def _weights(target: Target, op: NpuOp, plan: OpPlan) -> WeightUse | None:
    weights = plan.weights
    if weights is None or op.weights is None:
        return None
    buffer = None
    if weights.buffer_bytes:
        buffer = WeightBuffer(
            area=target.fast.area,
            is_double=weights.is_double_buffered,
            first_bytes=weights.slice_bytes[0],
            whole_cycles=weights.transfer_cycles,
            last_slice_cycles=plan.slack_cycles,
        )
    return WeightUse(
        area=target.permanent.area,
        stream_bytes=weights.stream_bytes,
        elements=op.weights.values.array.size,
        scale_bytes=target.accelerator.family.weights.record.size_bytes,
        buffer=buffer,
    )


def _table(target: Target, op: NpuOp) -> Table | None:
    activation = op.activation
    if activation is None or activation.table is None or not uses_table(op):
        return None
    size = round_up(activation.table.size_bytes, ALIGNMENT_BYTES)
    return Table(area=target.permanent.area, size_bytes=size)


def _copied_bytes(graph: NpuGraph, op: NpuOp) -> int:
    if op.kind is not OpKind.COPY:
        return 0
    size = op.ifm.touched.elements * graph.fm(op.ifm).dtype.bits // 8
    return round_up(size, ALIGNMENT_BYTES)
