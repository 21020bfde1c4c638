"""Edits in words and as JSON: what was asked, what became of it, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.base.harmless import visible
from core.edits.adopt import Adopted
from core.edits.plain import to_plain, value_to_plain
from core.ir.decisions import CascadeEnd, FormatReason, UnstripedReason, WeightsReason, WholeReason
from core.ir.edits import (
    EdgeNamed,
    Edit,
    EditFate,
    EditOutcome,
    EditPrice,
    EditReason,
    Ground,
    MapNamed,
    OpNamed,
    OpsNamed,
    Rule,
    SpanNamed,
    Subject,
    Value,
    Way,
    WayOut,
    WeightsAsked,
    What,
)
from core.ir.scheduled import Scheduled
from core.report.naming import Call, titled, whole
from core.report.tables import Listing
from core.report.why.reasons import because
from core.report.words import counted

Json = dict[str, Any]

_HEADERS = ("#", "subject", "decision", "asked", "fate", "applied", "cycles", "fast storage")
_GROUNDS: Mapping[Ground, str] = {
    Ground.NO_SUBJECT: "the network has no such name",
    Ground.NO_EDGE: "the second does not read what the first makes",
    Ground.ITSELF: "an operator runs neither before nor after itself",
    Ground.CONTRADICTED: "other edits ask for what cannot be beside it",
    Ground.NOT_LEGAL: "the hardware or the operator does not allow it",
    Ground.ONE_MEMORY: "the target has one memory for all maps",
    Ground.CANNOT_STRIPE: "it cannot run in stripes",
    Ground.CANNOT_LINK: "rows cannot be handed on there",
    Ground.DEPENDS: "what is to run first needs the other",
    Ground.NO_ADDRESS: "it has no address that can be chosen",
    Ground.NO_ROOM: "there is no room",
    Ground.HELD: "what is shown stands against it, and was to stay as it is",
    Ground.NOT_FOUND: "the search did not find how",
}
_LOGGED = {
    name: reason
    for kind in (FormatReason, UnstripedReason, WholeReason, CascadeEnd, WeightsReason)
    for reason in kind
    for name in (reason.name, reason.value)
}
_MOST_ROWS = 40
_MOST_LINES = 8
_ALIKE = 0.01
"""Within it, adopting is held to be exact."""
_MANIFEST = 0.5
"""From it on, what is lost is told in times."""
_FEW = 4
"""Names and values that a sentence has before it says how many more there are."""


def describe_edits(material: Scheduled) -> list[Json]:
    """What became of each edit; `without` is null where a schedule without it was not tried."""
    return [
        {
            "asked": to_plain(outcome.edit),
            "fate": outcome.fate.value,
            "applied": None if outcome.applied is None else value_to_plain(outcome.applied),
            "reasons": [_describe_reason(reason) for reason in outcome.reasons],
            **_describe_price(material, outcome.price),
            "ways_out": [_describe_way(way) for way in outcome.ways],
        }
        for outcome in material.edits
    ]


def _describe_reason(reason: EditReason) -> Json:
    return {
        "ground": reason.ground.value,
        "is_proved": reason.is_proved,
        "needed_bytes": reason.needed_bytes,
        "tried_bytes": reason.tried_bytes,
        "available_bytes": reason.available_bytes,
        "edits": list(reason.edits),
        "maps": [whole(name) for name in reason.maps],
        "operators": [whole(name) for name in reason.ops],
        "legal": [value_to_plain(value) for value in reason.legal],
        "legal_is_all": reason.legal_is_all,
        "instead": None if reason.instead is None else value_to_plain(reason.instead),
        "detail": reason.detail,
        "near": list(reason.near),
    }


def _describe_way(way: WayOut) -> Json:
    return {
        "way": way.way.value,
        "edits": list(way.edits),
        "value": None if way.value is None else value_to_plain(way.value),
        "limit_bytes": way.limit_bytes,
        "moved_out": [whole(name) for name in way.moved],
        "cycles": way.cycles,
        "fast_storage_bytes": way.fast_bytes,
        "evicted_bytes": way.evicted_bytes,
        "is_within_limits": way.is_within_limits,
        "lost_edits": list(way.lost),
    }


def _describe_price(material: Scheduled, price: EditPrice | None) -> Json:
    return {
        "cycles": {
            "with": material.total.total_cycles if price is None else price.cycles,
            "without": None if price is None else price.cycles_without,
        },
        "fast_storage_bytes": {
            "with": material.fast_bytes if price is None else price.fast_bytes,
            "without": None if price is None else price.fast_bytes_without,
        },
        "evicted_bytes": {
            "with": material.evicted_bytes if price is None else price.evicted_bytes,
            "without": None if price is None else price.evicted_bytes_without,
        },
    }


def edit_listing(material: Scheduled) -> Listing:
    """One row for each edit, numbered from 1; what it changes where that was tried."""
    call, rows = titled(material.graph), []
    for place, outcome in enumerate(material.edits):
        edit, applied, price = outcome.edit, outcome.applied, outcome.price
        rows.append(
            (
                place + 1,
                subject_text(edit.subject, call),
                edit.what.value,
                value_text(edit.what, edit.value, call),
                outcome.fate.value,
                None if applied is None else value_text(edit.what, applied, call),
                None if price is None else _change(price.cycles, price.cycles_without),
                None if price is None else _change(price.fast_bytes, price.fast_bytes_without),
            )
        )
    return Listing(_HEADERS, rows)


def _change(now: float, without: float) -> str:
    return f"{round(now - without):+,}" if round(now) != round(without) else "no change"


def edits_text(material: Scheduled) -> str:
    """How many edits became what, a table, and why some are not honoured; nothing without edits.

    Where there are many, the table has those that are not honoured.
    """
    if not material.edits:
        return ""
    fates = Counter(outcome.fate for outcome in material.edits)
    listing = edit_listing(material)
    if len(listing.rows) > _MOST_ROWS:
        rows = zip(listing.rows, material.edits, strict=True)
        kept = [row for row, outcome in rows if outcome.fate is not EditFate.HONOURED]
        listing = listing._replace(rows=kept)
    call = titled(material.graph)
    lines = (
        line for place, outcome in enumerate(material.edits) for line in _told(place, outcome, call)
    )
    counts = ", ".join(f"{fates[fate]:,} {fate.value}" for fate in EditFate if fates[fate])
    return "\n".join(part for part in (counts, listing.text(), *map(visible, lines)) if part)


def _told(place: int, outcome: EditOutcome, call: Call) -> Iterator[str]:
    if outcome.reasons:
        yield f"{place + 1}: {reasons_text(outcome.reasons, call)}"
    yield from (f"   {way_text(outcome.edit, way, call)}" for way in outcome.ways)


def unheard(outcomes: Iterable[EditOutcome], call: Call = whole) -> Iterator[str]:
    """One line for each edit that is asked for and is not so."""
    for place, outcome in enumerate(outcomes):
        if outcome.fate in (EditFate.HONOURED, EditFate.OFF):
            continue
        said = reasons_text(outcome.reasons, call)
        yield f"edit {place + 1} ({edit_text(outcome.edit, call)}): {outcome.fate.value}: {said}"


def few_unheard(outcomes: Iterable[EditOutcome], call: Call = whole) -> Iterator[str]:
    """The first of these lines, and how many more there are."""
    lines = tuple(unheard(outcomes, call))
    yield from lines[:_MOST_LINES]
    more = len(lines) - _MOST_LINES
    if more > 0:
        yield f"{counted(more, 'edit')} more not as asked"


def edit_text(edit: Edit, call: Call = whole) -> str:
    """What an edit asks for, in a few words."""
    about, asked = subject_text(edit.subject, call), value_text(edit.what, edit.value, call)
    if edit.what is What.BEFORE:
        return f"{about} before {asked}"
    return f"{edit.what.value} of {about}: {asked}"


def subject_text(subject: Subject, call: Call = whole) -> str:
    """A subject in one line."""
    match subject:
        case OpNamed() | MapNamed():
            return call(subject)
        case EdgeNamed(maker, reader):
            return f"{call(maker)} to {call(reader)}"
        case OpsNamed(ops):
            return _few(map(call, ops))
        case SpanNamed(first, last):
            return f"from {call(first)} to {call(last)}"


def value_text(what: What, value: Value, call: Call = whole) -> str:
    """A value in words, with its unit."""
    match value:
        case WeightsAsked():
            return ", ".join(_weights(value))
        case OpNamed():
            return call(value)
        case int() if what in (What.STRIPE, What.ROLLING):
            return counted(value, "row")
        case int() if what is What.RESERVE:
            return f"{value:,} bytes"
        case int():
            return f"{value:#x}"
        case _:
            return str(value_to_plain(value))


def _weights(asked: WeightsAsked) -> Iterator[str]:
    if asked.buffers is not None:
        yield counted(asked.buffers, "buffer") if asked.buffers else "direct"
    if asked.depths is not None:
        yield counted(len(asked.depths) - 1, "slice")
    if asked.prefetch is not None:
        yield "prefetched" if asked.prefetch else "not prefetched"
    if asked.lead_steps is not None:
        yield f"{counted(asked.lead_steps, 'operator')} ahead"


def reasons_text(reasons: Iterable[EditReason], call: Call) -> str:
    """All reasons for one edit."""
    return "; ".join(reason_text(reason, call) for reason in reasons)


def reason_text(reason: EditReason, call: Call = whole) -> str:
    """Why an edit is not honoured, with what stands against it and what could be asked instead."""
    parts = [_GROUNDS[reason.ground]]
    if reason.detail:
        parts.append(_detail_text(reason.detail))
    if reason.needed_bytes is not None:
        parts.append(f"{reason.needed_bytes:,} bytes needed")
    if reason.tried_bytes is not None:
        parts.append(f"{reason.tried_bytes:,} bytes as tried")
    if reason.available_bytes is not None:
        parts.append(f"{reason.available_bytes:,} available")
    if reason.edits:
        parts.append("against it: edit " + _few(str(place + 1) for place in reason.edits))
    parts += _witnesses(reason, call)
    if reason.legal:
        among = "" if reason.legal_is_all else ", among others"
        values = _few(str(value_to_plain(value)) for value in reason.legal)
        parts.append(f"possible{among}: {values}")
    if reason.near:
        parts.append(f"did you mean {' or '.join(map(visible, reason.near))}?")
    if reason.is_proved and reason.ground is Ground.NO_ROOM:
        parts.append("no schedule has it")
    text = ", ".join(parts)
    return text if reason.is_proved else f"not found: {text}"


def _witnesses(reason: EditReason, call: Call) -> Iterator[str]:
    """Maps and operators that stand against it."""
    maps, ops = (_few(map(call, names)) for names in (reason.maps, reason.ops))
    if reason.ground is Ground.NO_ROOM and ops:
        yield f"while {ops} runs" + (f" these are live: {maps}" if maps else "")
        return
    yield from filter(None, (maps, ops))


def way_text(edit: Edit, way: WayOut, call: Call = whole) -> str:
    """What lets a refused edit be, and what the whole then takes."""
    match way.way:
        case Way.WITHOUT:
            what = "without edit " + _few(str(place + 1) for place in way.edits)
        case Way.VALUE:
            what = "" if way.value is None else f"as {value_text(edit.what, way.value, call)}"
        case Way.LIMIT:
            what = f"within {way.limit_bytes:,} bytes"
        case Way.MOVED:
            what = f"with {_few(map(call, way.moved))} moved out"
    lost = f"; edit {_few(str(each + 1) for each in way.lost)} is lost" if way.lost else ""
    over = "" if way.is_within_limits else ", above the limit"
    figures = f"{round(way.cycles):,} cycles, {way.fast_bytes:,} bytes of fast storage{over}"
    return f"possible {what}: {figures}{lost}"


def rule_text(rule: Rule, count: int) -> str:
    """How many operators or maps a rule has found."""
    noun = "map" if rule.what.is_of_maps else "operator"
    return f"{visible(rule.query)}: {counted(count, noun)}"


def adopted_text(adopted: Adopted) -> str:
    """What of another schedule is asked for, and what could not be, by kind and count."""
    text = (
        f"{counted(len(adopted.edits), 'decision')} of"
        f" {counted(adopted.matched, 'operator')} are asked for"
    )
    rest = "; ".join(f"{kind.value}: {count:,}" for kind, count in adopted.unadopted)
    return f"{text}; {rest}" if rest else text


def adopted_against(scheduled: Scheduled, other: float, *, is_within_limits: bool) -> str:
    """What is adopted beside the cycles of what the search finds that adopts nothing."""
    cycles = scheduled.total.total_cycles
    over = "" if is_within_limits else " (above the limit)"
    figures = f"{round(cycles):,} cycles, and {round(other):,} without it{over}"
    change = cycles / other - 1 if other else 0.0
    if abs(change) <= _ALIKE:
        return f"what is adopted is as fast as what is searched: {figures}"
    if change >= _MANIFEST:
        return f"what is adopted is {1 + change:.1f} times slower than what is searched: {figures}"
    word = "more" if change > 0 else "fewer"
    return f"what is adopted takes {abs(change):.1%} {word} cycles than what is searched: {figures}"


def _detail_text(detail: str) -> str:
    """What the decision log has under this name, in its words."""
    return because(_LOGGED[detail]) if detail in _LOGGED else detail


def _few(texts: Iterable[str]) -> str:
    every = tuple(texts)
    more = len(every) - _FEW
    return ", ".join(every[:_FEW]) + (f" and {more} more" if more > 0 else "")
