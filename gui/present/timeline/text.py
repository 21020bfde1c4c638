"""What the timeline says in words: tips, totals, and what is selected."""

from __future__ import annotations

from core.base.frozen import NamedTuple
from core.base.ids import NpuOpId
from core.ir.cost import OperatorCost
from core.ir.trace import NOTHING, Activity, Lane
from core.target.target import Area
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display, TimeUnit
from gui.document.selection import Selection
from gui.present import units
from gui.present.names import whole_name
from gui.present.runs.measured import ratio_text
from gui.present.timeline.data import TimelineData
from gui.present.timeline.memory import Usage
from gui.present.timeline.picture import cascade_label, cascade_name
from gui.present.timeline.rows import LANE_TITLES
from gui.present.timeline.totals import Totals

AREA_TITLES = {
    Area.SRAM: "SRAM",
    Area.DRAM: "DRAM",
    Area.ON_CHIP_FLASH: "on-chip flash",
    Area.OFF_CHIP_FLASH: "off-chip flash",
}
_DOES = {
    Activity.COMPUTE: "computes",
    Activity.STALL: "waits for a memory or for DMA",
    Activity.WEIGHTS: "weights arrive right before they are used",
    Activity.PREFETCH: "weights arrive ahead, under another operator",
    Activity.TABLE: "look-up table arrives",
    Activity.COPY: "copy between memories",
    Activity.CPU: "runs on the CPU, of which no time is known",
}


class Scale(NamedTuple):
    """In which units numbers are told."""

    time_unit: TimeUnit
    byte_unit: ByteUnit
    clock_hz: float

    def time(self, cycles: float) -> str:
        """A length of time."""
        return units.time(cycles, self.time_unit, self.clock_hz)

    def size(self, size_bytes: float) -> str:
        """An amount of memory."""
        return units.size(size_bytes, self.byte_unit)

    def stretch(self, start_cycle: float, end_cycle: float) -> str:
        """From when to when; the unit is told once."""
        first = self.time(start_cycle).rsplit(" ", 1)[0]
        return f"{first} to {self.time(end_cycle)}"


def scale_of(answer: Answer, display: Display) -> Scale:
    """The units that the user chose, at the target's clock."""
    return Scale(display.time_unit, display.byte_unit, answer.scheduled.total.clock_hz)


def slice_tip(answer: Answer, data: TimelineData, position: int, scale: Scale) -> str:
    """What a slice is, in some lines."""
    trace = data.trace
    graph = answer.scheduled.run.graph
    activity = Activity(int(trace.activity[position]))
    if activity is Activity.CPU:
        cpu_op = graph.cpu_ops[trace.cpu_op[position]]
        title = data.cpu_titles[trace.cpu_op[position]]
        return f"{title}\n{_DOES[activity]}\n{whole_name(cpu_op.name)}"
    number = int(trace.op[position])
    op, cost = graph.ops[number], answer.scheduled.costs[number]
    start, end = float(trace.start_cycle[position]), float(trace.end_cycle[position])
    lines = [f"{data.op_titles[number]} · {_DOES[activity]}"]
    if trace.stripe[position] != NOTHING:
        cascade = data.cascades[data.cascade_of_op[number]]
        lines.append(f"stripe {trace.stripe[position] + 1} in {cascade_name(cascade)}")
    if trace.depth_slice[position] != NOTHING:
        weights = answer.scheduled.schedule.ops[number].weights
        of_all = "" if weights is None else f" of {len(weights.slice_bytes)}"
        lines.append(f"slice {trace.depth_slice[position] + 1}{of_all} of its weights")
    lines.append(f"{scale.time(end - start)}: {scale.stretch(start, end)}")
    lines.append(f"operator: {scale.time(cost.total_cycles)}{decides_text(cost)}")
    if number in data.states:
        lines.append(data.states[number])
    lines.append(whole_name(op.name))
    return "\n".join(lines)


def measured_tip(answer: Answer, data: TimelineData, number: NpuOpId) -> str:
    """What was measured of an operator."""
    return f"{data.op_titles[number]}\n{ratio_text(answer, number)}"


def error_tip(data: TimelineData, key: int) -> str:
    """How far off an operator is, or what was fused into it."""
    title = data.op_titles[key] if key >= 0 else data.cpu_titles[-1 - key]
    return title if data.errors is None else f"{title}\n{data.errors.texts[key]}"


def decides_text(cost: OperatorCost) -> str:
    """What decides how long it takes, as Why and the summary say it."""
    return "" if cost.decides is None else f"; what decides: {cost.decides.value}"


def merged_tip(items: int) -> str:
    """What is told where too much is drawn in one pixel."""
    return f"{items:,} items in one pixel; zoom in to tell them apart"


def cascade_tip(data: TimelineData, position: int, scale: Scale) -> str:
    """What a cascade is."""
    cascade = data.cascades[position]
    length = cascade.end_cycle - cascade.start_cycle
    first, last = (data.op_titles[cascade.ops[place]] for place in (0, -1))
    return "\n".join(
        (
            cascade_label(data, position),
            f"{first} to {last}",
            f"{scale.time(length)}: {scale.stretch(cascade.start_cycle, cascade.end_cycle)}",
        )
    )


def usage_tip(usage: Usage, cycle: float, scale: Scale, before: Usage | None = None) -> str:
    """How much is in use at a time, and how much in A."""
    if not len(usage.used_bytes):
        return ""
    used = float(usage.used_bytes[usage.step_at(cycle)])
    lines = [f"{scale.size(used)} in use", f"peak {scale.size(usage.peak_bytes)}"]
    lines.append(f"at {scale.time(max(cycle, 0.0))}")
    if usage.limit_bytes is not None:
        over = used - usage.limit_bytes
        lines[0] += f", {scale.size(over)} above the limit" if over > 0 else ""
        lines.append(f"limit {scale.size(usage.limit_bytes)}")
    if before is not None and len(before.used_bytes):
        used = float(before.used_bytes[before.step_at(cycle)])
        lines.append(f"in A {scale.size(used)} in use, peak {scale.size(before.peak_bytes)}")
    return "\n".join(lines)


def totals_text(totals: Totals, scale: Scale) -> tuple[str, ...]:
    """The sums over a marked stretch, in parts that can be set one after the other."""
    span = totals.span
    parts = [
        f"{scale.time(span.cycles)} ({units.share(totals.share)} of the run)",
        units.counted(totals.ops, "operator"),
    ]
    if totals.cpu_ops:
        parts.append(units.counted(totals.cpu_ops, "CPU operator"))
    parts += [
        f"{LANE_TITLES[lane]} {scale.time(cycles)}"
        for lane, cycles in zip(Lane, totals.lane_cycles, strict=True)
        if cycles
    ]
    if totals.stall_cycles:
        parts.append(f"stalls {scale.time(totals.stall_cycles)}")
    parts += [
        f"{AREA_TITLES[area]} {scale.size(moved)} moved" for area, moved in totals.moved_bytes
    ]
    return tuple(parts)


SELECTING = "Click to select; Shift and drag to mark a stretch of time"


def selection_text(answer: Answer, data: TimelineData, selection: Selection, scale: Scale) -> str:
    """What is selected, in one sentence."""
    graph = answer.scheduled.run.graph
    if selection.buffer is not None:
        op, buffer = selection.buffer
        return f"Weight buffer {buffer + 1} of {data.op_titles[op]}"
    if selection.op is not None:
        return _op_text(answer, data, selection.op, scale)
    if selection.cpu_op is not None and selection.cpu_op < len(graph.cpu_ops):
        return f"{graph.titles.cpu_ops[selection.cpu_op]}, on the CPU"
    if selection.fm is not None:
        # Where there is little room, it is the end that goes.
        return f"{graph.titles.map(selection.fm)}: makers and readers"
    for position, cascade in enumerate(data.cascades):
        if cascade.ref == selection.cascade:
            length = cascade.end_cycle - cascade.start_cycle
            return f"{cascade_label(data, position)} · {scale.time(length)}"
    return "Nothing is selected"


def _op_text(answer: Answer, data: TimelineData, number: int, scale: Scale) -> str:
    cost = answer.scheduled.costs[number]
    start = float(data.trace.op_start_cycle[number])
    measured = ratio_text(answer, NpuOpId(number))
    return (
        f"{data.op_titles[number]}: {scale.time(cost.total_cycles)}"
        f" from {scale.time(start).removesuffix(' cycles')} on{decides_text(cost)}"
        f"{f'; {measured}' if measured else ''}"
    )
