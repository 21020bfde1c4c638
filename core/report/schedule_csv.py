"""A scheduled network as CSV: a line for each operator in order of execution, or its figures alone.

Names, order and units of the columns are those that the ecosystem's Python core writes beside a
compiled model, so that tools which read such files go on working; one name stands there twice.
What they do not write comes last.
Operators on the CPU have no line, as there is no estimate for them.
"""

from __future__ import annotations

from core.base.harmless import csv_text
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.ir.cost import Term
from core.ir.npugraph import NpuOp
from core.ir.schedule import IslandSchedule, OpPlan
from core.ir.scheduled import Scheduled
from core.report.ecosystem_names import npu_name
from core.report.summary import summary_row
from core.report.where import decides_text, next_text
from core.target.target import Area

HEADERS = (
    "TFLite_operator",
    "NNG Operator",
    "SRAM Usage",
    "Peak%",
    "Op Cycles",
    "Network%",
    "NPU",
    "SRAM AC",
    "DRAM AC",
    "OnFlash AC",
    "OffFlash AC",
    "MAC Count",
    "Network%",
    "Util%",
    "Name",
    "Ecosystem Cycles",
    "Decides",
    "Next",
    *(f"Cycles of {term.value}" for term in Term),
)


def render_operators(material: Scheduled) -> str:
    """A line of names, and a line for each operator of the accelerator."""
    ecosystem = ecosystem_estimate(material)
    lines = [
        _line(material, island, plan, None if ecosystem is None else ecosystem.cycles[plan.op])
        for island in material.schedule.islands
        for plan in island.ops
    ]
    return csv_text([HEADERS, *lines])


def _line(
    material: Scheduled, island: IslandSchedule, plan: OpPlan, ecosystem: object
) -> tuple[object, ...]:
    op, cost, total = material.op(plan), material.cost(plan), material.total
    live = island.snapshot[plan.time] if plan.time < len(island.snapshot) else 0
    cycles = float(cost.total_cycles)
    return (
        source_kind(material, op),
        npu_name(op.kind),
        live,
        _percent(live, material.layout.used_bytes(Area.SRAM)),
        cycles,
        _percent(cycles, total.total_cycles),
        float(cost.npu_cycles),
        float(cost.sram_cycles),
        float(cost.dram_cycles),
        float(cost.on_chip_flash_cycles),
        float(cost.off_chip_flash_cycles),
        cost.macs,
        _percent(cost.macs, total.macs),
        _percent(cost.macs, cycles * total.macs_per_cycle),
        op.name,
        ecosystem,
        decides_text(cost),
        next_text(cost),
        *cost.terms,
    )


def source_kind(material: Scheduled, op: NpuOp) -> str:
    """The model's operator that an operator of the accelerator does the work of."""
    return op.origin or (material.network.operator(op.sources[0]).title if op.sources else "")


def _percent(part: float, whole: float) -> float:
    """A share in percent; of nothing, everything is all there is."""
    return 100.0 * part / whole if whole else 100.0


def render_summary(material: Scheduled) -> str:
    """Two lines with the columns and units of the ecosystem's summary files."""
    row = summary_row(material, ecosystem_estimate(material))
    return csv_text([list(row), list(row.values())])
