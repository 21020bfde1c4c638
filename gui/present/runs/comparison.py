"""How what is shown differs from A, in the words and rows of the window; no Qt."""

from __future__ import annotations

from collections.abc import Iterator

from core.api.comparisons import Comparison, OpPair, tables, words
from core.base.frozen import NamedTuple
from core.base.ids import NpuOpId
from core.base.sentences import capitalised
from core.ir import knobs
from core.ir.knob import OneOf
from core.ir.knobs import KNOBS
from core.ir.settings import Settings
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.document import Document
from gui.document.kept import Kept
from gui.present import units

_MOST_KNOBS = 4


class Strip(NamedTuple):
    """The line about both sides."""

    a: str
    b: str
    change: str
    tip: str


def kept_answer(answer: Answer) -> Kept:
    """The answer that is shown, to be A."""
    return Kept(
        title=full_title(answer.document), document=answer.document, scheduled=answer.scheduled
    )


def full_title(document: Document) -> str:
    """A document by all that usually differs: model, accelerator, search, limit, edits."""
    return ", ".join(_parts(document))


def _parts(document: Document) -> Iterator[str]:
    settings = document.settings
    if document.model is not None:
        yield document.model.name
    yield settings.accelerator
    for name in ("memory_mode", "engine", "search", "limit_bytes"):
        knob = knobs.knob_named(name)
        if knob.is_turned(settings) or name == "engine":
            yield knob.text(knob.value(settings), units.size)
    if document.edits and not document.ignores_edits:
        yield units.counted(len(document.edits), "edit")


def side_titles(kept: Kept, document: Document) -> tuple[str, str]:
    """What tells A and B apart; all of A where it is no document of the app."""
    before = kept.document
    if before is None:
        return kept.title, full_title(document)
    if before.asked == document.asked and before.model == document.model:
        return "as kept", "the same"
    apart = [*_apart(before, document)][:_MOST_KNOBS]
    return ", ".join(one for one, _ in apart), ", ".join(other for _, other in apart)


def _apart(a: Document, b: Document) -> Iterator[tuple[str, str]]:
    if a.model != b.model:
        names = [each.model.name if each.model else "no model" for each in (a, b)]
        yield names[0], names[1] + " (changed)" * (names[0] == names[1])
    for knob in KNOBS:
        one, other = (_text(knob.name, each.settings) for each in (a, b))
        if one != other:
            yield one, other
    if a.asked.options.edits != b.asked.options.edits:
        yield _edits(a), _edits(b)


def _text(name: str, settings: Settings) -> str:
    """A value that can be told from those of other knobs."""
    knob = knobs.knob_named(name)
    value = knob.text(knob.value(settings), units.size)
    return value if isinstance(knob.takes, OneOf) else f"{knob.title} {value}"


def _edits(document: Document) -> str:
    count = sum(edit.is_on for edit in document.asked.options.edits)
    return units.counted(count, "edit") if count else "no edits"


def strip_of(kept: Kept, document: Document, found: Comparison | None, display: Display) -> Strip:
    """What is said of A and B in one line."""
    a, b = side_titles(kept, document)
    if found is None:
        return Strip(a, b, "comparing...", "")
    if found.is_equal:
        return Strip(a, b, "no difference", "")
    return Strip(a, b, ", ".join(_changes(found, display)), words.cause_text(found))


def _changes(found: Comparison, display: Display) -> Iterator[str]:
    if found.figure("total_cycles").change is not None:
        yield words.cycles_text(found) or "as many cycles"
    held = found.figure(words.fast_figure(found)).change
    if held is not None:
        yield signed_size(held, display)
    evicted = found.figure("evicted_bytes").change
    if evicted:
        yield f"{signed_size(evicted, display)} evicted"


def signed_size(size_bytes: float, display: Display) -> str:
    """An amount of memory that is more or less."""
    return f"{'+' if size_bytes >= 0 else '-'}{units.size(abs(size_bytes), display.byte_unit)}"


class Told(NamedTuple):
    """What is told above the tables."""

    headline: str
    lines: tuple[str, ...]


def told_of(found: Comparison) -> Told:
    """How much it is, what it comes from, and what is to be known of the figures."""
    lines = (words.cause_text(found), *map(capitalised, words.caveats(found)))
    return Told(words.headline(found), tuple(filter(None, lines)))


def cause_of(found: Comparison) -> str:
    """What most of the difference comes from, in a sentence; empty where nothing differs."""
    return words.cause_text(found)


TABLES = tables.TABLES
"""By title; the same as in reports and on the command line."""


def pairs_in(found: Comparison, title: str) -> tuple[OpPair, ...]:
    """What the rows of a table are about, where that is operators."""
    return tables.by_size(found) if title == "Operators" else ()


def op_of(pair: OpPair) -> NpuOpId | None:
    """The operator of B that a pair is about."""
    return None if pair.b is None else NpuOpId(pair.b.numbers[0])


def cycles_by_op(found: Comparison) -> dict[int, float]:
    """By operator of B, the cycles that it takes more than in A."""
    return {pair.b.numbers[0]: pair.cycles for pair in found.operators if pair.b}
