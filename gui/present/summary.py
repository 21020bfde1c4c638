"""What a whole answer comes to: whether it fits, how fast it is, and what was asked."""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence

from core.api import reasons
from core.api.comparisons import Comparison, Figure
from core.api.schedules import Scheduled, cases_text, range_text
from core.base.frozen import Frozen, NamedTuple
from core.base.ids import NpuOpId
from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.ir import knobs
from core.ir.cost import Purpose, Traffic, TrafficTotal
from core.ir.layout import AreaLayout
from core.ir.trace import Lane
from core.target.target import Area
from gui.document.answer import Answer
from gui.document.display import ByteUnit, Display, Span
from gui.present import units
from gui.present.company import arena_lines, fast_memory, shared_text
from gui.present.compiled import is_compiled, origin, untold
from gui.present.controls import applied
from gui.present.memory.ranges import limit_bytes, no_limit_text
from gui.present.memory.text import AREA_NAMES, area_name
from gui.present.timeline.rows import LANE_TITLES
from gui.present.timeline.text import scale_of
from gui.present.timeline.totals import op_shares, totals_of
from gui.present.units import counted, size_exact

_PLURALS = {"feature map": "feature maps", "look-up table": "look-up tables"}


_NOTHING = "nothing"


class Asked(NamedTuple):
    """A setting as the user gave it, and as it was applied."""

    title: str
    asked: str
    applied: str


def asked_rows(answer: Answer) -> tuple[Asked, ...]:
    """All settings that have an effect; of a compiled model, those that are assumed."""
    settings, taken = answer.document.settings, applied(answer, size_exact)
    return tuple(
        Asked(knob.title, knob.text(knob.value(settings), size_exact), taken[knob.name])
        for knob in knobs.told(settings)
        if knob.name in taken
    )


class Verdict(enum.Enum):
    """Whether something fits."""

    FITS = "fits"
    OPEN = "no limit"
    UNTOLD = "limit not told"
    """By a compiled model."""
    EXCEEDS = "does not fit"


class RegionSummary(NamedTuple):
    """A range of addresses against its limit."""

    title: str
    verdict: Verdict
    text: str
    """Required, limit, and the difference."""
    advice: str
    """What would fit, and how low it could get."""
    share: float | None
    """Required by limit; None where there is no limit."""


class Fact(NamedTuple):
    """A number with its name, and what has to be known about it."""

    title: str
    value: str
    note: str = ""
    tip: str = ""
    """The note with whole names, where it has shortened ones."""


class Bar(NamedTuple):
    """A number that is a part of something."""

    title: str
    value: str
    share: float
    note: str = ""
    ops: tuple[NpuOpId, ...] = ()
    """Whose it is, where operators have it."""


class Summary(Frozen):
    """Everything that the summary shows, as text."""

    verdict: Verdict
    headline: str
    model: str
    subject: str
    """The model and the target."""
    regions: tuple[RegionSummary, ...]
    facts: tuple[Fact, ...]
    traffic: tuple[Bar, ...]
    waits: tuple[Bar, ...]
    warnings: tuple[str, ...]
    untold: tuple[str, ...]
    """What a compiled model cannot tell."""


class Stretch(Frozen):
    """The same about a stretch of time."""

    facts: tuple[Fact, ...]
    traffic: tuple[Bar, ...]
    waits: tuple[Bar, ...]


def stretch_of(answer: Answer, span: Span, display: Display) -> Stretch:
    """What a stretch of time comes to; operators that are partly inside count by their share."""
    scheduled, scale = answer.scheduled, scale_of(answer, display)
    totals, shares = totals_of(answer, span), op_shares(answer.analysis.trace, span).tolist()
    cpu = units.counted(totals.cpu_ops, "CPU operator") if totals.cpu_ops else ""
    lanes = zip(Lane, totals.lane_cycles, strict=True)
    worked = [Fact(LANE_TITLES[lane], scale.time(cycles)) for lane, cycles in lanes if cycles]
    if totals.stall_cycles:
        worked.append(Fact("Stalls", scale.time(totals.stall_cycles)))
    parts = [
        part._replace(size_bytes=part.size_bytes * share)
        for cost, share in zip(scheduled.costs, shares, strict=True)
        for part in cost.traffic
        if share
    ]
    return Stretch(
        facts=(
            Fact("Length", scale.time(span.cycles), f"{units.share(totals.share)} of the run"),
            Fact("NPU operators", units.count(totals.ops), cpu),
            *worked,
        ),
        traffic=tuple(_traffic(parts, display.byte_unit)),
        waits=tuple(_waits(scheduled, display, shares)),
    )


def summary_of(answer: Answer, display: Display) -> Summary:
    """The summary of an answer, in the units of a display."""
    scheduled = answer.scheduled
    unit = display.byte_unit
    verdict, headline = _together(answer, unit) or _headline(scheduled, unit)
    model = answer.document.model
    return Summary(
        verdict=verdict,
        headline=headline,
        model=model.name if model is not None else "a model",
        subject=subject_text(answer),
        regions=(
            *(
                region_summary(scheduled, area, unit)
                for area in scheduled.layout.areas
                if area.height_bytes
            ),
            *_shared_regions(answer, unit),
        ),
        facts=(*_speed(answer), *_space(scheduled, unit), *_counts(scheduled, unit)),
        traffic=tuple(_traffic(scheduled.total.traffic, unit)),
        waits=tuple(_waits(scheduled, display, itertools.repeat(1.0))),
        warnings=scheduled.run.graph.warnings,
        untold=untold(answer),
    )


def _together(answer: Answer, unit: ByteUnit) -> tuple[Verdict, str] | None:
    """Whether all models of the device fit fast storage; None where this one has it alone."""
    memory = fast_memory(answer)
    if memory is None:
        return None
    name, count = AREA_NAMES[memory.area], counted(len(memory.arenas), "model")
    if memory.limit_bytes is None:
        return Verdict.OPEN, f"{count} need {_size(memory.peak_bytes, unit)} of {name} together"
    if memory.excess_bytes:
        over = _size(memory.excess_bytes, unit)
        return Verdict.EXCEEDS, f"{count} do not fit together: {over} of {name} too much"
    left = _size(memory.limit_bytes - memory.peak_bytes, unit)
    return Verdict.FITS, f"{count} fit together: {left} of {name} left"


def _shared_regions(answer: Answer, unit: ByteUnit) -> Iterator[RegionSummary]:
    """Memories that all models of the device have together."""
    for memory in () if answer.together is None else answer.together.memories:
        limit = memory.limit_bytes
        verdict = Verdict.OPEN if limit is None else Verdict.FITS
        yield RegionSummary(
            title=f"{capitalised(AREA_NAMES[memory.area])}: all models of the device",
            verdict=Verdict.EXCEEDS if memory.excess_bytes else verdict,
            text=capitalised(shared_text(memory, unit)),
            advice="\n".join(arena_lines(answer, memory)),
            share=memory.peak_bytes / limit if limit else None,
        )


def subject_text(answer: Answer) -> str:
    """For what it was compiled."""
    target = answer.scheduled.target
    where = f"on {target.accelerator.name}, {target.system.name}, {target.mode.name}"
    return f"{where}; {origin(answer)}" if is_compiled(answer) else where


def _headline(scheduled: Scheduled, unit: ByteUnit) -> tuple[Verdict, str]:
    if over := over_text(scheduled, unit):
        return Verdict.EXCEEDS, over
    limited = [area for area in scheduled.layout.areas if limit_bytes(scheduled, area) is not None]
    if not limited:
        fast = scheduled.target.fast.area
        needed = _size(scheduled.layout.used_bytes(fast), unit)
        return _open(scheduled), f"Needs {needed} of {AREA_NAMES[fast]}; {no_limit_text(scheduled)}"
    parts = (f"{_size(_free(area), unit)} of {AREA_NAMES[area.area]}" for area in limited)
    return Verdict.FITS, f"Fits: {' and '.join(parts)} left"


def over_text(scheduled: Scheduled, unit: ByteUnit) -> str:
    """By how much limits are exceeded; empty where none is."""
    over = [area for area in scheduled.layout.areas if area.excess_bytes]
    parts = (f"{_size(area.excess_bytes, unit)} of {AREA_NAMES[area.area]}" for area in over)
    return f"Does not fit: {' and '.join(parts)} too much" if over else ""


def _open(scheduled: Scheduled) -> Verdict:
    return Verdict.OPEN if scheduled.compiled_by is None else Verdict.UNTOLD


def _free(area: AreaLayout) -> int:
    return (area.limit_bytes or 0) - area.height_bytes


def region_summary(scheduled: Scheduled, area: AreaLayout, unit: ByteUnit) -> RegionSummary:
    """One range of addresses: required, limit, excess, and what would do."""
    limit = area.limit_bytes if area.excess_bytes else limit_bytes(scheduled, area)
    title = capitalised(area_name(area))
    required = f"requires {_size(area.height_bytes, unit)}"
    proven = area.height_bytes == area.lower_bound_bytes
    least = (
        "No layout of these ranges is lower: proven."
        if proven
        else f"No layout of these ranges is below {_size(area.lower_bound_bytes, unit)}."
    )
    if limit is None:
        told = f"{required}; {no_limit_text(scheduled)}"
        return RegionSummary(title, _open(scheduled), told, least, None)
    share = area.height_bytes / limit if limit else math.inf
    told = f"{required}; the limit is {_size(limit, unit)}"
    if not area.excess_bytes:
        rest = f"{_size(limit - area.height_bytes, unit)} left ({units.share(1 - share)})"
        return RegionSummary(title, Verdict.FITS, f"{told}: {rest}", least, share)
    enough = units.size_exact(area.height_bytes, unit)
    advice = f"A limit of {enough} would do for this schedule. {least}"
    known = reasons.least_bytes(scheduled, area)
    if known:
        than = "" if known >= area.height_bytes else f" than {units.size_exact(known, unit)}"
        advice += f" No schedule that keeps the order of operators takes less{than}."
    excess = f"{units.size_exact(area.excess_bytes, unit)} too much"
    return RegionSummary(title, Verdict.EXCEEDS, f"{told}: {excess}", advice, share)


def _speed(answer: Answer) -> Iterator[Fact]:
    total, ecosystem = answer.scheduled.total, answer.analysis.ecosystem
    clock = units.trimmed(total.clock_hz / 1e6, 2)
    error = answer.scheduled.target.accelerator.family.estimate_error
    note = f"estimate, off by {units.share(error)} or so"
    if answer.spread is not None:
        note += f"; {range_text(answer.spread)} with other memories"
    exact = f"{units.count(total.total_cycles)}, {note}"
    if ecosystem is not None:
        note += f"; the ecosystem's: {rough_text(ecosystem.total_cycles)}"
        exact += f"; the ecosystem's: {units.count(ecosystem.total_cycles)}"
    if answer.spread is not None:
        exact += f"\n{cases_text(answer.spread)}"
    yield Fact("Cycles", rough_text(total.total_cycles), note, exact)
    yield Fact("Time", milliseconds_text(total.seconds), f"estimate, at {clock} MHz")
    yield Fact("Inferences per second", rate_text(total.inferences_per_second), "estimate")
    yield Fact(
        "Utilisation",
        units.share(total.utilisation),
        f"estimate, of {total.macs_per_cycle:,} MACs a cycle",
    )
    yield Fact("MACs", units.count(total.macs), f"{units.short(total.macs)} multiplications")


def _space(scheduled: Scheduled, unit: ByteUnit) -> Iterator[Fact]:
    areas = scheduled.layout.areas
    live = scheduled.schedule.peak_bytes
    yield Fact(
        f"{AREA_NAMES[scheduled.target.fast.area]} taken",
        _size(scheduled.fast_bytes, unit),
        f"peak {_size(live, unit)}{_padding_text(scheduled, unit)}",
    )
    permanent = [area for area in areas if any(region.is_permanent for region in area.regions)]
    where = AREA_NAMES[scheduled.target.permanent.area]
    yield Fact(
        "Weights and constants",
        _size(sum(area.height_bytes for area in permanent), unit),
        f"in {where}, without the command stream",
    )


def _padding_text(scheduled: Scheduled, unit: ByteUnit) -> str:
    """What of the peak holds no element, and which map has most of it."""
    padding = reasons.padding_at_peak(scheduled)
    if padding is None:
        return ""
    name = scheduled.run.graph.titles.map(padding.largest)
    most = f"most of it in {name} ({_size(padding.largest_bytes, unit)})"
    return f"; {_size(padding.size_bytes, unit)} of it is padding, {most}"


def _counts(scheduled: Scheduled, unit: ByteUnit) -> Iterator[Fact]:
    graph, schedule = scheduled.run.graph, scheduled.schedule
    streams = units.counted(len(graph.islands), "command stream")
    yield Fact("NPU operators", units.count(len(graph.ops)), f"in {streams}")
    untimed = "their time is not counted" if graph.cpu_ops else ""
    yield Fact("CPU operators", units.count(len(graph.cpu_ops)), untimed)
    cascades = [cascade for island in schedule.islands for cascade in island.cascades]
    cascaded = units.counted(sum(len(cascade.ops) for cascade in cascades), "operator")
    yield Fact("Cascades", units.count(len(cascades)), f"of {cascaded}" if cascades else "")
    if scheduled.evicted_maps is None:
        yield Fact("Evictions", "-", "not told by a compiled model")
        return
    size = f"{_size(schedule.evicted_bytes, unit)} that could be in fast storage"
    count = units.count(scheduled.evicted_maps)
    yield Fact("Evictions", count, size if scheduled.evicted_maps else "")


def _traffic(traffic: Sequence[Traffic | TrafficTotal], unit: ByteUnit) -> Iterator[Bar]:
    moved = {
        area: size_bytes
        for area in Area
        if (size_bytes := math.fsum(part.size_bytes for part in traffic if part.area is area))
    }
    most = max(moved.values(), default=0.0)
    for area, size_bytes in moved.items():
        parts: dict[Purpose, float] = {}
        for part in traffic:
            if part.area is area:
                parts[part.purpose] = parts.get(part.purpose, 0.0) + part.size_bytes
        note = ", ".join(
            f"{_PLURALS.get(purpose.value, purpose.value)} {_size(parts[purpose], unit)}"
            for purpose in Purpose
            if purpose in parts
        )
        yield Bar(capitalised(AREA_NAMES[area]), _size(size_bytes, unit), size_bytes / most, note)


def _waits(scheduled: Scheduled, display: Display, shares: Iterable[float]) -> Iterator[Bar]:
    """What decides operators, those with most cycles first, and what to do about it; each operator
    counts by its share."""
    cycles: dict[str, float] = {}
    operators: dict[str, list[NpuOpId]] = {}
    for op, cost, share in zip(scheduled.graph.ops, scheduled.costs, shares, strict=False):
        if not share:
            continue
        decides = cost.decides
        name = _NOTHING if decides is None else decides.value
        cycles[name] = cycles.get(name, 0.0) + cost.total_cycles * share
        operators.setdefault(name, []).append(op.id)
    whole = math.fsum(cycles.values())
    deeds = {term.value: deed for term, deed in reasons.DEEDS.items()}
    for name in sorted(cycles, key=lambda name: (-cycles[name], name)):
        share = cycles[name] / whole if whole else 0.0
        time = units.time(cycles[name], display.time_unit, scheduled.total.clock_hz)
        note = f"{units.counted(len(operators[name]), 'operator')}, {time}"
        note += f"; {deeds[name]}" if name in deeds else ""
        yield Bar(capitalised(name), units.share(share), share, note, tuple(operators[name]))


class Versus(NamedTuple):
    """A total of both sides."""

    title: str
    a: str
    b: str
    change: str
    is_better: bool | None
    """None where that cannot be said."""


_MEANT = {
    "total_cycles": ("Cycles", False),
    "npu_cycles": ("NPU alone", False),
    "fast_storage_bytes": ("Fast storage", True),
    "excess_bytes": ("Above limits", True),
    "evicted_bytes": ("Evicted", True),
    "sram_bytes": ("SRAM", True),
    "dram_bytes": ("DRAM", True),
    "on_chip_flash_bytes": ("On-chip flash", True),
    "off_chip_flash_bytes": ("Off-chip flash", True),
    "sram_moved_bytes": ("SRAM traffic", True),
    "dram_moved_bytes": ("DRAM traffic", True),
    "on_chip_flash_moved_bytes": ("On-chip flash traffic", True),
    "off_chip_flash_moved_bytes": ("Off-chip flash traffic", True),
    "evicted_maps": ("Evictions", False),
    "cascades": ("Cascades", False),
    "npu_operators": ("NPU operators", False),
    "cpu_operators": ("CPU operators", False),
}
"""Totals that are held against those of A, and whether they are bytes."""
_NEUTRAL = frozenset({"cascades", "npu_operators"})


def versus(found: Comparison, display: Display) -> tuple[Versus, ...]:
    """The totals that either side has, A beside B."""
    return tuple(
        _versus(title, figure, found.figure(figure), display, is_size=is_size)
        for figure, (title, is_size) in _MEANT.items()
        if found.figure(figure).before or found.figure(figure).after
    )


def _versus(title: str, name: str, figure: Figure, display: Display, *, is_size: bool) -> Versus:
    def text(value: float | None) -> str:
        if value is None:
            return "not told"
        return _size(value, display.byte_unit) if is_size else units.count(value)

    change = figure.change
    told = ""
    if change is not None:
        amount = text(abs(change))
        told = f"{'+' if change > 0 else '-'}{amount}" if change else "the same"
        told += f" ({change / figure.before:+.1%})" if change and figure.before else ""
    is_better = None if not change or name in _NEUTRAL else change < 0
    return Versus(title, text(figure.before), text(figure.after), told, is_better)


def milliseconds_text(seconds: float) -> str:
    """A time that people can compare with a frame or a window of audio."""
    if seconds >= 1:
        return f"{units.trimmed(seconds, 2)} s"
    return f"{units.trimmed(seconds * 1e3, 3 if seconds < 1e-3 else 2)} ms"


def rate_text(rate: float) -> str:
    """How often something happens, with decimals where that is seldom.

    Where only the CPU works there is nothing to tell it from.
    """
    if math.isinf(rate):
        return "not known"
    return units.count(rate) if rate >= 100 else f"{rate:.3g}"


def _size(size_bytes: float, unit: ByteUnit) -> str:
    return units.size(size_bytes, unit)
