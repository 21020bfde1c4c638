"""What the user has decided about what is selected: what became of it, and what can be done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.api.edits import Call, way_text
from core.api.offers import moving
from core.base.frozen import NamedTuple, replace
from core.base.sentences import capitalised
from core.ir.edits import Edit, Way, WayOut
from gui.document.answer import Answer
from gui.document.decisions import AS_A_WHOLE, without
from gui.document.document import Document
from gui.document.selection import Selection
from gui.present.edits.rows import EditRow, checked, edit_rows
from gui.present.edits.subjects import call_of, places_about
from gui.present.edits.text import asked_text, deed_text
from gui.present.units import counted, size


class Do(NamedTuple):
    """A command, as the target of a link."""

    command: str


class Fold(NamedTuple):
    """Opens or closes what is folded, by its name."""

    name: str


class TakeWay(NamedTuple):
    """A way out that was tried, as the target of a link."""

    place: int
    """Of the edit."""
    way: int


class WayOffer(NamedTuple):
    """A way out that was tried, as a button has it."""

    text: str
    tip: str
    way: TakeWay


class ToldEdit(NamedTuple):
    """An edit about the selection, and the ways out that were tried."""

    row: EditRow
    ways: tuple[tuple[str, TakeWay], ...]


def edits_about(document: Document, answer: Answer, selection: Selection) -> Iterator[ToldEdit]:
    """The edits about the selection: a user's own in their order, then those of whole schedules."""
    if not document.edits or answer.document.model != document.model:
        return
    rows, outcomes = edit_rows(document, answer), checked(document, answer)
    places = places_about(answer, document.edits, selection)
    for place in sorted(places, key=lambda place: document.edits[place].note in AS_A_WHOLE):
        ways = outcomes[place].ways if outcomes else ()
        edit = document.edits[place]
        told = tuple(
            (capitalised(way_text(edit, way, call_of(answer))), TakeWay(place, number))
            for number, way in enumerate(ways)
        )
        yield ToldEdit(rows[place], told)


def way_offers(
    document: Document, answer: Answer | None, places: Iterable[int]
) -> tuple[WayOffer, ...]:
    """The ways out of the edits in some places, with what the schedule then gains or loses."""
    outcomes = checked(document, answer)
    if answer is None or outcomes is None:
        return ()
    before, call = answer.scheduled.total.total_cycles, call_of(answer)
    return tuple(
        WayOffer(
            f"{_way_words(outcomes[place].edit, way, call)}: {_cycles_text(way, before)}",
            capitalised(way_text(outcomes[place].edit, way, call)),
            TakeWay(place, number),
        )
        for place in places
        for number, way in enumerate(outcomes[place].ways)
    )


def _way_words(edit: Edit, way: WayOut, call: Call) -> str:
    match way.way:
        case Way.WITHOUT:
            return "Without edit " + ", ".join(str(place + 1) for place in way.edits)
        case Way.VALUE:
            return f"Instead {asked_text(edit.what, way.value, call)}"
        case Way.LIMIT:
            return f"Limit {size(way.limit_bytes or 0)}"
        case Way.MOVED:
            return "With " + ", ".join(map(call, way.moved)) + " moved out"


def _cycles_text(way: WayOut, before: float) -> str:
    """What a way out costs, and what it breaks."""
    change = round(way.cycles - before)
    cycles = f"{change:+,} cycles ({change / before:+.1%})" if change else "as many cycles"
    over = ", above the limit" if not way.is_within_limits else ""
    lost = f", {counted(len(way.lost), 'other edit')} lost" if way.lost else ""
    return f"{cycles}, {size(way.fast_bytes)} of SRAM{over}{lost}"


def after_way(document: Document, answer: Answer, taken: TakeWay) -> tuple[Document, str] | None:
    """The document after a way out, and what undo calls that; None where it is gone meanwhile."""
    outcomes = checked(document, answer)
    if outcomes is None or taken.place >= len(outcomes):
        return None
    outcome = outcomes[taken.place]
    if taken.way >= len(outcome.ways):
        return None
    way = outcome.ways[taken.way]
    label = f"Make room: {deed_text(outcome.edit, call_of(answer))}"
    return _taken(document, outcome.edit, taken.place, way), label


def _taken(document: Document, edit: Edit, place: int, way: WayOut) -> Document:
    edits = document.edits
    if way.way is Way.WITHOUT:
        return document.with_edits(without(edits, frozenset(way.edits)))
    if way.way is Way.LIMIT:
        return document.with_limit(way.limit_bytes)
    if way.way is Way.MOVED:
        return document.with_edits((*edits, *moving(way.moved)))
    assert way.value is not None
    return document.with_edits(
        (*edits[:place], replace(edit, value=way.value), *edits[place + 1 :])
    )
