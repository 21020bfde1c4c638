"""The slices of a trace: what engines do, from when to when operators and cascades run."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.ids import NpuOpId
from core.ir.npugraph import NpuOp
from core.ir.schedule import IslandSchedule, OpPlan
from core.ir.scheduled import Scheduled
from core.ir.trace import NOTHING, Activity, Trace
from core.ir.trace import Lane as Engine
from core.report.edits import subject_text
from core.report.measured.match import Measured
from core.report.notes import note_spans
from core.report.perfetto.lanes import Slice
from core.report.places import Places, address_of
from core.report.schedule_tables import BOUND_TITLES
from core.report.words import shape_text

ENGINE_TITLES = {
    Engine.MAC: "MAC engine",
    Engine.ELEMENTWISE: "Element-wise engine",
    Engine.DMA_IN: "DMA in",
    Engine.DMA_OUT: "DMA out",
    Engine.CPU: "CPU (no estimate)",
}


def engine_slices(material: Scheduled, trace: Trace, engine: Engine) -> Iterator[Slice]:
    """Everything that one engine does, in order of time."""
    ops, cpu_ops = material.graph.ops, material.graph.cpu_ops
    for at in (trace.lane == engine).nonzero()[0].tolist():
        activity = Activity(int(trace.activity[at]))
        start, end = float(trace.start_cycle[at]), float(trace.end_cycle[at])
        details: dict[str, object] = {"cycles": end - start}
        if trace.cpu_op[at] != NOTHING:
            name = f"CPU: {cpu_ops[trace.cpu_op[at]].kind}"
        else:
            op = ops[trace.op[at]]
            name = f"{activity.name.lower()} #{op.id} {op.kind.value}"
            details |= {"operator": int(op.id), "name": op.name}
        for key, column in (("stripe", trace.stripe), ("slice", trace.depth_slice)):
            if column[at] != NOTHING:
                details[key] = int(column[at])
                name += f", {key} {column[at]}"
        yield Slice(name, activity.name.lower(), start, end, details)


def operator_slices(material: Scheduled, trace: Trace, places: Places) -> Iterator[Slice]:
    """Each operator from its first to its last cycle; those of a cascade run beside each other."""
    numbers = material.cascade_numbers()
    for island in material.schedule.islands:
        for plan in island.ops:
            op = material.op(plan)
            number = None if plan.cascade is None else numbers[island.island, plan.cascade]
            yield Slice(
                f"#{op.id} {op.kind.value}",
                "operator",
                float(trace.op_start_cycle[op.id]),
                float(trace.op_end_cycle[op.id]),
                _details(material, places, plan, number),
            )


def _details(
    material: Scheduled, places: Places, plan: OpPlan, cascade: int | None
) -> dict[str, object]:
    op, cost = material.op(plan), material.cost(plan)
    found: dict[str, object] = {
        "operator": int(op.id),
        "name": op.name,
        "cycles": float(cost.total_cycles),
        "npu_cycles": cost.npu_cycles,
        "bound": BOUND_TITLES[cost.bound],
        "macs": cost.macs,
        "output": shape_text(op.ofm.touched),
        "output_region": material.map_plan(op.ofm).region.value,
        "output_address": _hex(address_of(places.maps.get(op.ofm.fm))),
        "block": shape_text(plan.block.ofm_block),
        "stripe_rows": plan.stripe.ofm.h,
        "from_model": _sources(material, op),
    }
    if plan.weights is not None:
        found["weight_bytes"] = plan.weights.stream_bytes
        found["weight_slices"] = len(plan.weights.slice_bytes)
        found["weights_address"] = _hex(address_of(places.streams.get(op.id)))
    if cascade is not None:
        found["cascade"] = cascade
    return found


def _hex(address: int | None) -> str:
    return "none" if address is None else f"0x{address:x}"


def _sources(material: Scheduled, op: NpuOp) -> str:
    named = (f"{material.network.operator(ref).title} {ref.op}" for ref in op.sources)
    return ", ".join(named)


def cascade_slices(material: Scheduled, trace: Trace) -> Iterator[Slice]:
    """Each cascade from the first cycle of its operators to the last."""
    for (place, position), number in material.cascade_numbers().items():
        island = material.schedule.islands[place]
        cascade = island.cascades[position]
        ops = list(cascade.ops)
        cycles = sum(material.costs[op].total_cycles for op in ops)
        yield Slice(
            f"cascade {number}: #{ops[0]} to #{ops[-1]}",
            "cascade",
            float(min(trace.op_start_cycle[op] for op in ops)),
            float(max(trace.op_end_cycle[op] for op in ops)),
            {
                "cycles": cycles,
                "operators": len(ops),
                "buffer_bytes": sum(buffer.size_bytes for buffer in cascade.buffers),
                "stripe_rows": _rows(island, cascade.ops[-1]),
            },
        )


def _rows(island: IslandSchedule, op: NpuOpId) -> int:
    return next(plan.stripe.ofm.h for plan in island.ops if plan.op == op)


def note_slices(material: Scheduled, trace: Trace) -> Iterator[Slice]:
    """Each note over the time of what it is about; those about nothing in the network have none."""
    for note, start, end in note_spans(material, trace):
        yield Slice(note.text, "note", start, end, {"about": subject_text(note.subject)})


def measured_slices(material: Scheduled, measured: Measured) -> Iterator[Slice]:
    """What was measured, one operator after the other; those without a measurement are left out."""
    cycles_of, now = measured.cycles_of, 0.0
    for plan in material.plans():
        cycles = cycles_of.get(plan.op)
        if cycles is None:
            continue
        op, estimate = material.op(plan), material.cost(plan).total_cycles
        details = {"operator": int(op.id), "name": op.name, "cycles": cycles, "estimate": estimate}
        name = f"#{op.id} {op.kind.value}"
        yield Slice(name, "measured", now, now + cycles, details)
        now += cycles
