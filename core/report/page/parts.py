"""The sections of a report: figures, operators, memory, decisions, and why what is on the CPU."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.base.sentences import capitalised
from core.ir.layout import AreaLayout
from core.ir.trace import Analysis
from core.report import cascade_table, memory_tables, operator_table
from core.report.decisions_json import kind_of
from core.report.ecosystem_names import AREA_TITLES
from core.report.limits import least_bytes, least_text
from core.report.material import ScheduleMaterial
from core.report.measured.match import Measured
from core.report.page.markup import Fixed, element, escaped, table
from core.report.summary import weight_sizes
from core.report.tables import Row
from core.report.why.facts import Facts
from core.report.why.network import network_sentences
from core.report.words import Count, counted, rate_text, seconds_text, shape_text

_FULL = 100.0


def verdict(material: ScheduleMaterial) -> str:
    """Whether everything fits: required, limit and excess of each memory that has a limit."""
    most = material.target.accelerator.max_address
    limited = [
        area
        for area in material.layout.areas
        if area.limit_bytes is not None and area.limit_bytes < most
    ]
    over = [area for area in limited if area.excess_bytes]
    head = "Does not fit" if over else "Fits" if limited else "No limit was set"
    lines = [element("p", f"<strong>{head}</strong>")]
    lines += [element("p", _fit(area)) + _meter(area) for area in limited]
    lines += [element("p", text) for area in over if (text := _least(material, area))]
    return element("div", "\n".join(lines), id="verdict", class_="verdict" + " over" * bool(over))


def _fit(area: AreaLayout) -> str:
    limit = area.limit_bytes or 0
    room = limit - area.height_bytes
    rest = f"{room:,} bytes free" if room >= 0 else f"{-room:,} bytes too many"
    what = " + ".join(region.value for region in area.regions)
    title = f"{AREA_TITLES[area.area]} ({what})"
    return escaped(f"{title}: {area.height_bytes:,} bytes required, {limit:,} allowed, {rest}")


def _least(material: ScheduleMaterial, area: AreaLayout) -> str:
    least = least_bytes(material.schedule, material.layout, area)
    text = least_text(least, area.height_bytes)
    return escaped(capitalised(text))


def _meter(area: AreaLayout) -> str:
    """The bytes that are required as a bar, and the limit as a mark on it."""
    limit = area.limit_bytes or 0
    whole = max(area.height_bytes, limit, 1)
    bar = element("i", "", style=f"width:{_FULL * area.height_bytes / whole:.2f}%")
    mark = element("u", "", style=f"left:{_FULL * limit / whole:.2f}%")
    return element("div", bar + mark, class_="meter" + " over" * bool(area.excess_bytes))


def figures(material: ScheduleMaterial) -> str:
    """The numbers that somebody looks for first."""
    total, sizes = material.total, weight_sizes(material)
    used = material.layout.used_bytes(material.target.fast.area)
    cells = [
        ("total-cycles", f"{round(total.total_cycles):,}", "cycles, estimated"),
        ("seconds", seconds_text(total.seconds), "one inference, estimated"),
        ("rate", rate_text(total.inferences_per_second), "inferences per second"),
        ("utilisation", f"{total.utilisation:.1%}", f"of {total.macs_per_cycle} MACs a cycle"),
        ("fast-bytes", f"{used:,}", f"bytes of {AREA_TITLES[material.target.fast.area]}"),
        (
            "weight-bytes",
            f"{sizes.encoded_bytes:,}",
            f"bytes of weights, of {sizes.original_bytes:,}",
        ),
        ("npu-ops", f"{len(material.graph.ops):,}", "operators on the NPU"),
        ("cpu-ops", f"{len(material.graph.cpu_ops):,}", "operators on the CPU"),
    ]
    inner = "\n".join(
        element("div", element("b", escaped(number), id=name) + element("span", escaped(what)))
        for name, number, what in cells
    )
    return element("div", f"\n{inner}\n", class_="figures") + "\n"


def operators(material: ScheduleMaterial, measured: Measured | None) -> str:
    """All operators in order, with what was measured beside what was estimated."""
    headers = [*operator_table.HEADERS, "share %", "measured", "measured / estimate", "name"]
    total = material.total.total_cycles
    cycles_of = {} if measured is None else measured.cycles_of
    rows: list[Row] = []
    cpu_ops = iter(material.graph.cpu_ops)
    for row in operator_table.operator_rows(material):
        if row[0] is None:
            rows.append((*row, None, None, None, next(cpu_ops).name))
            continue
        op = material.graph.ops[int(str(row[0]))]
        estimate, found = material.costs[op.id].total_cycles, cycles_of.get(op.id)
        share = Fixed(_FULL * estimate / total) if total else None
        ratio = None if found is None or not estimate else Fixed(found / estimate)
        rows.append((*row, share, None if found is None else Count(round(found)), ratio, op.name))
    return table("operators", headers, rows, bars="share %")


def cpu_operators(material: ScheduleMaterial) -> str:
    """Each operator on the CPU, and the rule that keeps it there."""
    reasons = {reason.op: reason for reason in material.graph.rejections}
    rows: list[Row] = []
    for op in material.graph.cpu_ops:
        found = reasons.get(op.source)
        shapes = ", ".join(shape_text(material.graph.feature_maps[fm].shape) for fm in op.outputs)
        why = (found.rule, found.found, found.accepted) if found else ("not supported", "", "")
        rows.append((int(op.source.op), op.kind, shapes, *why))
    headers = ("operator of the model", "kind", "output", "rule", "found", "accepted")
    return table("cpu-operators", headers, rows)


def memory(material: ScheduleMaterial) -> Iterator[str]:
    """Regions, what lies where, traffic, and what found no room."""
    yield table("regions", memory_tables.REGION_HEADERS, memory_tables.region_rows(material))
    yield element("h3", "Traffic of one inference")
    yield table(
        "traffic", memory_tables.TRAFFIC_HEADERS, memory_tables.traffic_rows(material.total)
    )
    evicted = memory_tables.evicted_rows(material)
    if evicted:
        yield element("h3", "Maps that found no room in fast storage")
        yield table("evicted", memory_tables.EVICTED_HEADERS, evicted)
    yield element("h3", "Addresses")
    headers = ("memory", "region", "address", "bytes", "from", "to", "what", "name")
    rows = [
        (
            AREA_TITLES[area.area],
            place.region.value,
            f"0x{place.address:06x}",
            Count(place.size_bytes),
            place.start_time,
            place.end_time,
            place.purpose.value,
            place.name,
        )
        for area in material.layout.areas
        for place in sorted(area.placements, key=lambda place: (place.address, place.start_time))
    ]
    yield table("addresses", headers, rows)


def cascades(material: ScheduleMaterial) -> str:
    """The cascades, buffer by buffer."""
    return table("cascades", cascade_table.HEADERS, cascade_table.cascade_rows(material))


def decisions(material: ScheduleMaterial, analysis: Analysis) -> str:
    """Why the schedule is as it is, in sentences, and how much was decided."""
    told = [sentence.text for sentence in network_sentences(Facts(material, analysis))]
    items = "".join(element("li", escaped(text)) + "\n" for text in told)
    kinds = Counter(kind_of(type(decision)) for decision in material.schedule.decisions)
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items()))
    total = counted(len(material.schedule.decisions), "decision")
    note = element("p", escaped(f"The log has {total}: {counts}."), class_="note")
    return element("ul", f"\n{items}", id="decisions") + "\n" + (note if kinds else "")


def measured_summary(material: ScheduleMaterial, measured: Measured) -> Iterator[str]:
    """How what was measured compares, and what could not be compared."""
    estimate = sum(material.costs[row.op].total_cycles for row in measured.rows)
    rows: list[Row] = [
        ("operators that were measured", Count(len(measured.rows))),
        ("their measured cycles", Count(round(measured.total_cycles))),
        ("their estimated cycles", Count(round(estimate))),
        ("operators that were not measured", Count(len(measured.missing))),
    ]
    yield table("measured", ("", "number"), rows)
    if measured.unmatched:
        yield element("h3", "Rows that are no measurement of an operator")
        unmatched = [(row.line, row.label, row.reason) for row in measured.unmatched]
        yield table("unmatched", ("line", "row", "why"), unmatched)
