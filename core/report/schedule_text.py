"""A scheduled network as text for the terminal."""

from __future__ import annotations

from collections.abc import Collection

from core.base.harmless import visible
from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.cost.ecosystem.of_schedule import ecosystem_estimate
from core.cost.spread import spread_of
from core.ir.engines import older_text
from core.ir.scheduled import Scheduled
from core.report import schedule_tables
from core.report.around import around_text
from core.report.edits import edits_text
from core.report.front import answer_lines, front_listing, front_note
from core.report.limits import misfits, over_limits
from core.report.notes import note_listing
from core.report.options_text import asked_text
from core.report.schedule_details import DETAILS, Detail
from core.report.schedule_tables import BOUND_TITLES
from core.report.spread import cases_text, range_text, robust_text
from core.report.summary import WeightSizes, weight_sizes
from core.report.where import where_listing
from core.report.words import counted, hertz_text, rate_text, seconds_text
from core.target.target import Area


def render(material: Scheduled, details: Collection[Detail] = ()) -> str:
    """Operators, cascades, memory, and totals; and what else is asked for."""
    parts = [_heading(material)]
    sections = {
        "Where the time goes": where_listing(material).text(ends_whole=True),
        "Operators": schedule_tables.operators(material).text(),
        "Cascades": schedule_tables.cascades(material).text(),
        "Schedules that were found": _front(material),
        "Command streams": schedule_tables.streams(material).text(),
        "Memory": schedule_tables.regions(material).text(),
        schedule_tables.EVICTED_TITLE: schedule_tables.evicted_maps(material).text(),
        "Traffic of one inference": schedule_tables.traffic(material.total).text(),
        **{
            title: listing(material).text()
            for detail, (title, listing) in DETAILS.items()
            if detail in details
        },
        "Edits": edits_text(material),
        "Around what was shown": around_text(material),
        "Notes": note_listing(material).text(),
        "Totals": _totals(material),
    }
    for title, text in sections.items():
        if text:
            parts += [title, text]
    parts += _over(material)
    parts += [f"Warning: {visible(warning)}" for warning in material.graph.warnings]
    return "\n\n".join(parts) + "\n"


def outline(material: Scheduled) -> str:
    """What and for what, its memory, its time, and limits that it exceeds, line by line."""
    total = material.total
    used = {area: material.layout.used_bytes(area) for area in Area}
    memory = ", ".join(f"{size:,} bytes of {area.value}" for area, size in used.items() if size)
    spread = spread_of(material)
    beside = "" if spread is None else f", {range_text(spread)} with other memories"
    cycles = f"{rough_text(total.total_cycles)} cycles{beside}"
    time = f"{cycles}; {seconds_text(total.seconds)} an inference"
    chosen = robust_text(material)
    lines = (*answer_lines(material), *[f"{capitalised(chosen)}."] * bool(chosen))
    return "\n".join((_heading(material), memory, time, *lines, *_over(material), ""))


def _over(material: Scheduled) -> tuple[str, ...]:
    lines = (*over_limits(material.schedule, material.layout), *misfits(material.layout))
    return tuple(f"{capitalised(visible(line))}." for line in lines)


def _heading(material: Scheduled) -> str:
    graph, target = material.graph, material.target
    cascades = sum(len(island.cascades) for island in material.schedule.islands)
    on_cpu = f", {counted(len(graph.cpu_ops), 'operator')} on the CPU" if graph.cpu_ops else ""
    return (
        f"{visible(material.name)}: {counted(len(graph.ops), 'NPU operator')}"
        f" in {counted(len(graph.islands), 'command stream')},"
        f" {counted(cascades, 'cascade')}{on_cpu}\n"
        f"for {target.accelerator.name}, {target.system.name}, {target.mode.name},"
        f" {asked_text(material)}"
    )


def _front(material: Scheduled) -> str:
    text, note = front_listing(material).text(), front_note(material)
    return f"{text}\n\n{note}" if text and note else text


def _weights(sizes: WeightSizes) -> str:
    share = f" ({sizes.encoded_bytes / sizes.original_bytes:.1%})" if sizes.original_bytes else ""
    return f"{sizes.original_bytes:,} bytes, encoded {sizes.encoded_bytes:,}{share}"


def _totals(material: Scheduled) -> str:
    total, sizes = material.total, weight_sizes(material)
    time = f"{seconds_text(total.seconds)} at {hertz_text(total.clock_hz)}"
    rate = f"{rate_text(total.inferences_per_second)} inferences per second"
    bounds = ", ".join(f"{BOUND_TITLES[bound]} {count}" for bound, count in total.bounds if count)
    ecosystem, spread = ecosystem_estimate(material), spread_of(material)
    lines = {
        "cycles": f"{round(total.total_cycles):,}; the NPU alone {total.npu_cycles:,}",
        "by the ecosystem": "-" if ecosystem is None else f"{ecosystem.total_cycles:,.0f}",
        "range": "-" if spread is None else f"{range_text(spread)}: {cases_text(spread)}",
        "robust": robust_text(material),
        "asked for by": "" if material.compiled_by else older_text(material.options),
        "one inference": f"{time}; {rate}",
        "utilisation": f"{total.utilisation:.1%} of {total.macs_per_cycle} MACs a cycle",
        "MACs": f"{total.macs:,}",
        "operators wait for": bounds,
        "weights": "-" if sizes is None else _weights(sizes),
    }
    return "\n".join(f"{name:18}  {text}" for name, text in lines.items() if text)
