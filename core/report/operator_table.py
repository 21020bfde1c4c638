"""The operators of a schedule as a table."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.cost import Bound, Limit, OperatorCost
from core.ir.npugraph import CpuOp
from core.ir.schedule import IslandSchedule, OpPlan, WeightPlan
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import AREA_TITLES
from core.report.tables import Row, table_of_used
from core.report.words import Count, shape_text
from core.target.target import Area

HEADERS = (
    "#",
    "time",
    "kind",
    "output",
    "rows",
    "cascade",
    "block",
    "weights",
    "slices",
    "buffer",
    "SRAM live",
    "cycles",
    "waits for",
)
BOUND_TITLES = {
    Bound.NPU: "NPU",
    Bound.SRAM: AREA_TITLES[Area.SRAM],
    Bound.DRAM: AREA_TITLES[Area.DRAM],
    Bound.ON_CHIP_FLASH: AREA_TITLES[Area.ON_CHIP_FLASH],
    Bound.OFF_CHIP_FLASH: AREA_TITLES[Area.OFF_CHIP_FLASH],
}


def operator_table(material: Scheduled) -> str:
    """One row for each operator, on the NPU or on the CPU, in order of execution."""
    return table_of_used(HEADERS, operator_rows(material))


def operator_rows(material: Scheduled) -> list[Row]:
    """The cells of that table; where there is no number in the first one, it is the CPU's."""
    rows: list[Row] = []
    cascades = material.cascade_numbers()
    for steps in material.graph.steps:
        for step in steps:
            if isinstance(step, CpuOp):
                rows.append(_cpu_row(material, step))
                continue
            island = material.schedule.islands[step]
            for plan in island.ops:
                number = None if plan.cascade is None else cascades[step, plan.cascade]
                rows.append(_row(material, island, plan, number))
    return rows


def _cpu_row(material: Scheduled, op: CpuOp) -> Row:
    shapes = (shape_text(material.graph.feature_maps[fm].shape) for fm in op.outputs)
    row = (None, None, f"CPU: {op.kind}", ", ".join(shapes))
    return (*row, *[None] * (len(HEADERS) - len(row)))


def _row(material: Scheduled, island: IslandSchedule, plan: OpPlan, cascade: int | None) -> Row:
    op, cost = material.op(plan), material.cost(plan)
    is_striped = plan.stripe.ofm.h < op.ofm.touched.h
    return (
        int(plan.op),
        material.layout.op_times[plan.op],
        op.kind.value,
        shape_text(op.ofm.touched),
        plan.stripe.ofm.h if is_striped else None,
        cascade,
        shape_text(plan.block.ofm_block),
        *_weights(plan.weights),
        Count(island.snapshot[plan.time]),
        Count(round(cost.total_cycles)),
        _bound(cost),
    )


def _weights(weights: WeightPlan | None) -> Iterator[object]:
    """Bytes of the stream, the number of slices it is cut into, and how they reach fast storage."""
    if weights is None:
        yield from (None, None, None)
        return
    yield Count(weights.stream_bytes)
    yield len(weights.slice_bytes) if len(weights.slice_bytes) > 1 else None
    buffering = ("direct", "single", "double")[len(weights.buffer_bytes)]
    yield buffering + (", early" if weights.is_prefetched else "")


def _bound(cost: OperatorCost) -> str:
    """The slowest memory; where the accelerator itself is slowest, what its blocks wait for."""
    if cost.bound is not Bound.NPU:
        return BOUND_TITLES[cost.bound]
    return "scales, biases" if cost.limit is Limit.SCALES else cost.limit.value
