"""The sections of a report: verdict, figures, operators, memory, decisions, measurements, board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.cost.spread import spread_of
from core.ir.advice import Tip
from core.ir.layout import AreaLayout
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.ir.together import Together
from core.ir.trace import Analysis
from core.report import schedule_tables
from core.report.advice import listing
from core.report.board.sizes import Board
from core.report.board.snippets import SNIPPETS
from core.report.calls import listing_of
from core.report.decisions_json import kind_of
from core.report.ecosystem_names import AREA_TITLES
from core.report.edits import edit_listing, unheard
from core.report.estimate_error import listing as estimate_error_listing
from core.report.estimate_error import rows
from core.report.front import front_listing, front_note
from core.report.limits import least_bytes, least_text
from core.report.measured.match import Measured
from core.report.naming import titled
from core.report.notes import note_listing
from core.report.page.document import (
    Block,
    Code,
    Fixed,
    Heading,
    KeyFigure,
    Meter,
    Note,
    Pairs,
    Points,
    Table,
    Verdict,
    table,
)
from core.report.schedule_details import front_costs, live_ranges, stripes
from core.report.spread import range_text
from core.report.summary import weight_sizes
from core.report.tables import Row
from core.report.together import together_listing, verdicts
from core.report.where import terms_listing, where_listing
from core.report.why.explain import AboutNetwork, explain
from core.report.words import (
    Count,
    counted,
    kib_text,
    rate_text,
    seconds_text,
    shape_text,
)

_FULL = 100.0


def board_blocks(board: Board) -> Iterator[Block]:
    """Everything that a board must have."""
    yield table("board-sizes", ("what", "memory", "bytes", ""), list(_sizes(board)))
    yield Heading(text="What the runtime adds to the arena", is_estimate=True)
    rows: list[Row] = [
        (part.what, Count(part.number), Count(part.size_bytes), part.basis)
        for part in board.runtime.parts
    ]
    rows.append(("together, in steps of 16", None, Count(board.runtime.size_bytes), ""))
    yield table("board-runtime", ("what", "number", "bytes", "basis"), rows)
    yield from (Note(text=text) for text in board.runtime.caveats)
    yield Heading(text="What the device must have")
    yield Pairs(name="device", items=tuple(_device(board)))
    yield Points(texts=board.device.notes)


def snippet_blocks(board: Board) -> Iterator[Block]:
    """The sizes as text to copy."""
    for title, text in SNIPPETS:
        yield Heading(text=title)
        yield Code(text=text(board))


def _sizes(board: Board) -> Iterator[Row]:
    sizes = board.sizes
    yield _size("feature maps, in the tensor arena", board.arena_memory, sizes.arena_bytes)
    if sizes.fast_scratch_bytes:
        what = "fast scratch, for the driver"
        yield _size(what, board.fast_memory, sizes.fast_scratch_bytes)
    if sizes.separate_io_bytes:
        what = "inputs and outputs, in buffers of the application's"
        yield _size(what, board.arena_memory, sizes.separate_io_bytes)
    yield _size(
        "tensor arena to begin with, estimate included",
        board.arena_memory,
        board.tensor_arena_bytes,
    )
    constants = board.constants_memory
    yield _size("weights and constants of the NPU", constants, sizes.npu_constants_bytes)
    yield _size("constants of the CPU", constants, sizes.cpu_constants_bytes)
    if sizes.command_stream_bytes is not None:
        yield _size("command streams", constants, sizes.command_stream_bytes)
    if sizes.other_file_bytes is not None:
        yield _size("the rest of the file", constants, sizes.other_file_bytes)
    whole = "the whole file" if sizes.file_bytes is not None else "the file, at least"
    yield _size(whole, constants, sizes.flash_bytes)


def _size(what: str, memory: str, size_bytes: int) -> Row:
    return what, memory, Count(size_bytes), kib_text(size_bytes)


def _device(board: Board) -> Iterator[tuple[str, str]]:
    device = board.device
    yield "accelerator", f"{device.product}, {device.macs} MACs a cycle ({device.config_id})"
    yield "driver's build", f"ETHOSU_TARGET_NPU_CONFIG={device.driver_config}"
    yield "Zephyr", f"CONFIG_ETHOS_U=y {device.kconfig}=y"
    yield "memory routes", " ".join(f"{name}={number}" for name, number in device.routes)
    yield "command streams", device.stream_version or "known when there is a compiled file"
    yield "operators to register", ", ".join(device.resolver_ops) or "none"


def verdict(material: Scheduled, beside: Together | None = None) -> Verdict:
    """Whether everything fits: required, limit and excess of each memory that has a limit."""
    if beside is not None:
        return _verdict_together(beside)
    most = material.target.accelerator.max_address
    limited = [
        area
        for area in material.layout.areas
        if area.limit_bytes is not None and area.limit_bytes < most
    ]
    over = [area for area in limited if area.excess_bytes]
    unlimited = "No limit was set" if material.compiled_by is None else "Its limit is not told"
    return Verdict(
        headline="Does not fit" if over else "Fits" if limited else unlimited,
        is_over=bool(over),
        meters=tuple(map(_meter, limited)),
        advice=tuple(text for area in over if (text := _least(material, area))),
    )


def _verdict_together(beside: Together) -> Verdict:
    """The same of all models in a device."""
    limited = [memory for memory in beside.memories if memory.limit_bytes is not None]
    fitting = "Fit together" if limited else "No limit was set"
    return Verdict(
        headline=fitting if beside.fits else "Do not fit together",
        is_over=not beside.fits,
        advice=(),
        meters=tuple(
            Meter(
                text=text,
                required_bytes=memory.peak_bytes,
                limit_bytes=memory.limit_bytes or 0,
            )
            for memory, text in zip(beside.memories, verdicts(beside), strict=True)
            if memory in limited
        ),
    )


def together(beside: Together | None) -> Iterator[Block]:
    """Where the arenas of all models in a device lie, and whether they fit."""
    if beside is not None:
        yield Note(text=capitalised(f"{beside.calls.value}: {beside.calls.meaning}."))
        yield table("together", *together_listing(beside).of_used())
        yield Points(texts=verdicts(beside))


def _meter(area: AreaLayout) -> Meter:
    required, limit = area.height_bytes, area.limit_bytes or 0
    room = limit - required
    rest = f"{room:,} bytes free" if room >= 0 else f"{-room:,} bytes too many"
    what = " + ".join(region.value for region in area.regions)
    return Meter(
        text=f"{AREA_TITLES[area.area]} ({what}): {required:,} bytes required,"
        f" {limit:,} allowed, {rest}",
        required_bytes=required,
        limit_bytes=limit,
    )


def _least(material: Scheduled, area: AreaLayout) -> str:
    least = least_bytes(material.schedule, material.layout, area)
    return capitalised(least_text(least, area.height_bytes))


def figures(material: Scheduled) -> Iterator[KeyFigure]:
    """The numbers that somebody looks for first."""
    total, sizes = material.total, weight_sizes(material)
    used, graph = material.layout.used_bytes(material.target.fast.area), material.graph
    fast = AREA_TITLES[material.target.fast.area]
    for name, number, meaning in (
        ("total-cycles", rough_text(total.total_cycles), "cycles, estimated"),
        ("range", _range(material), "cycles with somewhat other memories"),
        ("seconds", seconds_text(total.seconds), "one inference, estimated"),
        ("rate", rate_text(total.inferences_per_second), "inferences per second"),
        ("utilisation", f"{total.utilisation:.1%}", f"of {total.macs_per_cycle} MACs a cycle"),
        ("fast-bytes", f"{used:,}", f"bytes of {fast}"),
        (
            "weight-bytes",
            "-" if sizes is None else f"{sizes.encoded_bytes:,}",
            f"bytes of weights, of {'-' if sizes is None else f'{sizes.original_bytes:,}'}",
        ),
        ("npu-ops", f"{len(graph.ops):,}", "operators on the NPU"),
        ("cpu-ops", f"{len(graph.cpu_ops):,}", "operators on the CPU"),
    ):
        yield KeyFigure(name=name, number=number, meaning=meaning)


def operators(material: Scheduled, measured: Measured | None) -> Table:
    """All operators in order, with what was measured beside what was estimated."""
    listing = schedule_tables.operators(material)
    headers = [*listing.headers, "share %", "measured", "measured / estimate", "name"]
    total = material.total.total_cycles
    cycles_of = {} if measured is None else measured.cycles_of
    rows: list[Row] = []
    titles = material.graph.titles
    cpu_parts = iter(titles.cpu_parts)
    for row in listing.rows:
        if row[0] is None:
            rows.append((*row, None, None, None, next(cpu_parts)))
            continue
        op = material.graph.ops[int(str(row[0]))]
        estimate, found = material.costs[op.id].total_cycles, cycles_of.get(op.id)
        share = Fixed(_FULL * estimate / total) if total else None
        ratio = None if found is None or not estimate else Fixed(found / estimate)
        rows.append(
            (
                *row,
                share,
                None if found is None else Count(round(found)),
                ratio,
                titles.op_parts[op.id],
            )
        )
    return table("operators", headers, rows, bars="share %")


def _range(material: Scheduled) -> str:
    spread = spread_of(material)
    return "not known" if spread is None else range_text(spread)


def where(material: Scheduled) -> Iterator[Block]:
    """What decides operators, and what to do about it."""
    listing = where_listing(material)
    if listing.rows:
        yield table("where-table", *listing)
        yield table("terms-table", *terms_listing(material))


def estimate_error() -> Iterator[Block]:
    """How far estimates were off where cycles were measured."""
    yield Note(
        text="Compiled programs whose cycles were measured; a system config that does not tell the"
        " memories of a board is further off."
    )
    yield table("estimate-error-table", *estimate_error_listing(rows()))


def stripe_tables(material: Scheduled) -> Iterator[Table]:
    """What each operator makes and reads at once."""
    yield table("stripes", *stripes(material))


def front_tables(material: Scheduled) -> Iterator[Block]:
    """What else could be taken, and what it would cost."""
    listing, note = front_listing(material), front_note(material)
    if listing.rows:
        yield table("front", *listing)
        yield from [Note(text=note)] * bool(note)
        yield table("front-costs", *front_costs(material))


def cpu_operators(material: Scheduled) -> Iterator[Table]:
    """Each operator on the CPU, and the rule that keeps it there."""
    reasons = {reason.op: reason for reason in material.graph.rejections}
    rows: list[Row] = []
    for op in material.graph.cpu_ops:
        found = reasons.get(op.source)
        shapes = ", ".join(shape_text(material.graph.feature_maps[fm].shape) for fm in op.outputs)
        why = (found.rule, found.found, found.accepted) if found else ("not supported", "", "")
        rows.append((int(op.source.op), op.kind, shapes, *why))
    headers = ("operator of the model", "kind", "output", "rule", "found", "accepted")
    if rows:
        yield table("cpu-operators", headers, rows)


def calls(material: Scheduled) -> Iterator[Table]:
    """Of a compiled model: who runs what, and what is handed over."""
    if len(material.calls) > 1:
        yield table("calls", *listing_of(material.calls))


def memory(material: Scheduled) -> Iterator[Block]:
    """Regions, what lies where, traffic, and what could be in fast storage."""
    yield table("regions", *schedule_tables.regions(material))
    yield Heading(text="Traffic of one inference")
    yield table("traffic", *schedule_tables.traffic(material.total))
    evicted = schedule_tables.evicted_maps(material)
    if evicted.rows:
        yield Heading(text=schedule_tables.EVICTED_TITLE)
        yield table("evicted", *evicted)
    yield Heading(text="Addresses")
    yield table("addresses", *live_ranges(material))


def cascades(material: Scheduled) -> Iterator[Table]:
    """The cascades, buffer by buffer."""
    if material.cascade_numbers():
        yield table("cascades", *schedule_tables.cascades(material))


def edits(material: Scheduled) -> Iterator[Block]:
    """What was not the compiler's to decide, what became of it, and why."""
    if material.edits:
        yield table("all-edits", *edit_listing(material).of_used())
        lines = unheard(material.edits, titled(material.graph))
        yield Points(texts=tuple(map(capitalised, lines)), name="unheard-edits")


def notes(material: Scheduled) -> Iterator[Table]:
    """What the user has to say."""
    if material.notes:
        yield table("all-notes", *note_listing(material).of_used())


def advice(material: Scheduled, tips: tuple[Tip, ...]) -> Iterator[Table]:
    """What would help, and what it brings: all of it was tried."""
    if tips:
        shown = Settings.of(material.target, material.options)
        yield table("all-advice", *listing(tips, shown, material.graph))


def decisions(material: Scheduled, analysis: Analysis) -> Iterator[Block]:
    """Why the schedule is as it is, in sentences, and how much was decided."""
    told = explain(material, analysis, AboutNetwork())
    yield Points(texts=tuple(sentence.text for sentence in told), name="decisions")
    kinds = Counter(kind_of(type(decision)) for decision in material.schedule.decisions)
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items()))
    total = counted(len(material.schedule.decisions), "decision")
    if kinds:
        yield Note(text=f"The log has {total}: {counts}.")


def measured_summary(material: Scheduled, measured: Measured) -> Iterator[Block]:
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
        yield Heading(text="Rows that are no measurement of an operator")
        unmatched = [(row.line, row.label, row.reason) for row in measured.unmatched]
        yield table("unmatched", ("line", "row", "why"), unmatched)
