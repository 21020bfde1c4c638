"""What a user has decided, and what became of it: rows of a table, and how many of each kind."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from core.api.edits import anew_text, cycles_against, followed_text, reasons_text
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.sentences import capitalised
from core.ir.edits import Edit, EditFate, EditOutcome, EditPrice, EditReason, What
from gui.document.answer import Answer
from gui.document.decisions import AS_A_WHOLE, FROM_FRONT, FROZEN
from gui.document.document import Document
from gui.document.problem import Deed as ProblemDeed
from gui.document.problem import Lasts, Problem
from gui.document.selection import Selection
from gui.present.edits.subjects import call_of, selection_of
from gui.present.edits.text import asked_text, deed_text, subject_text
from gui.present.units import count, counted, size


class State(enum.Enum):
    """What is known of an edit; the value is the word for it."""

    HONOURED = "honoured"
    HELD = "held"
    """One of a whole schedule that was frozen or adopted, of which nothing has to be said."""
    CHANGED = "changed"
    REFUSED = "refused"
    ORPHAN = "no such subject"
    OFF = "off"
    UNCHECKED = "not checked yet"


MARKS = {
    State.HONOURED: "●",
    State.HELD: "•",
    State.CHANGED: "◐",
    State.REFUSED: "✕",
    State.ORPHAN: "?",
    State.OFF: "-",
    State.UNCHECKED: "○",
}
"""A shape for each, so that nobody has to tell colours apart."""
_STATES = {
    EditFate.HONOURED: State.HONOURED,
    EditFate.CHANGED: State.CHANGED,
    EditFate.REFUSED: State.REFUSED,
    EditFate.ORPHAN: State.ORPHAN,
    EditFate.OFF: State.OFF,
}


class EditRow(Frozen):
    """An edit as the table has it."""

    number: int
    """What reasons call it."""
    edit: Edit
    state: State
    subject: str
    deed: str
    """What undo calls it."""
    asked: str
    applied: str
    reason: str
    is_proved: bool
    """No schedule honours it as it stands; else none was found."""
    price: EditPrice | None
    """Where the search was tried without it."""
    target: Selection | None
    """What it is about, where the network on the screen has that."""
    more: tuple[int, ...] = ()
    """Places of others that the row stands for."""

    @property
    def places(self) -> tuple[int, ...]:
        """Places of the edits that it is about."""
        return (self.number - 1, *self.more)

    @property
    def numbers(self) -> str:
        """The first of them, where there are several."""
        return f"{self.number}, ..." if self.more else str(self.number)

    @property
    def fate(self) -> str:
        """The state as a shape and a word."""
        sure = _SURE[self.is_proved] if self.state is State.REFUSED and not self.more else ""
        return f"{MARKS[self.state]} {self.state.value}{sure}"

    @property
    def tip(self) -> str:
        """All of it in sentences."""
        if self.more:
            return f"{self.subject}, {self.edit.rule or self.edit.note}: {self.state.value}."
        told = f"{self.deed}: {self.state.value}."
        got = f" Found: {self.applied}." if self.applied and self.state in _NOT_AS_ASKED else ""
        why = f" {capitalised(self.reason)}." if self.reason else ""
        note = f" ({self.edit.note})" if self.edit.note else ""
        return f"{told}{got}{why}{note}"


_SURE = {True: ": impossible", False: ": not found"}
_NOT_AS_ASKED = frozenset({State.CHANGED, State.REFUSED})


class Column(NamedTuple):
    """A column of the table."""

    id: str
    title: str
    tip: str
    text: Callable[[EditRow], str]


def _cycles(price: EditPrice | None) -> str:
    if price is None:
        return ""
    return _change(price.cycles - price.cycles_without, count, "free")


def _fast(price: EditPrice | None) -> str:
    return "" if price is None else _change(price.fast_bytes - price.fast_bytes_without, size)


def _evicted(price: EditPrice | None) -> str:
    if price is None:
        return ""
    return _change(price.evicted_bytes - price.evicted_bytes_without, size)


def _change(difference: float, write: Callable[[float], str], nothing: str = "0") -> str:
    """What an edit adds, with its sign."""
    if round(difference) == 0:
        return nothing
    return f"{'+' if difference > 0 else ''}{write(difference)}"


COLUMNS = (
    Column("on", "On", "Whether the search has to heed it", lambda _: ""),
    Column("fate", "Fate", "What became of it", lambda row: row.fate),
    Column("number", "#", "What reasons call it", lambda row: row.numbers),
    Column("subject", "Subject", "Whom it is about", lambda row: row.subject),
    Column("asked", "Asked", "What was asked for", lambda row: row.asked),
    Column("cycles", "Cycles", "More or fewer than without it", lambda row: _cycles(row.price)),
    Column("sram", "SRAM", "More or less than without it", lambda row: _fast(row.price)),
    Column("evicted", "Evicted", "More or less than without it", lambda row: _evicted(row.price)),
    Column("applied", "Applied", "What the schedule has", lambda row: row.applied),
    Column("reason", "Reason", "Why it is not as it was asked for", lambda row: row.reason),
    Column("note", "Note", "Where it comes from", lambda row: row.edit.note),
)


_IF_USED = frozenset({"note", "cycles", "sram", "evicted"})


def shown_columns(rows: Sequence[EditRow]) -> frozenset[str]:
    """Columns that have something to say."""
    return frozenset(
        column.id
        for column in COLUMNS
        if column.id not in _IF_USED or any(column.text(row) for row in rows)
    )


def checked(document: Document, answer: Answer | None) -> tuple[EditOutcome, ...] | None:
    """What became of a document's edits; None until the answer to this very document is there."""
    if answer is None or answer.document != document:
        return None
    found = answer.scheduled.edits
    return found if len(found) == len(document.edits) else None


def edit_rows(document: Document, answer: Answer | None) -> tuple[EditRow, ...]:
    """A row for each edit, in their order."""
    outcomes = checked(document, answer)
    same = answer is not None and answer.document.model == document.model
    return tuple(
        _row(place, edit, outcomes[place] if outcomes else None, answer if same else None)
        for place, edit in enumerate(document.edits)
    )


def table_rows(document: Document, answer: Answer | None) -> tuple[EditRow, ...]:
    """The same with one row for all of a whole schedule of which nothing has to be said, and one
    for all that a rule has made, behind which come those of which something has."""
    groups: dict[object, list[EditRow]] = {}
    for row in edit_rows(document, answer):
        groups.setdefault(_group(row), []).append(row)
    return tuple(row for rows in groups.values() for row in _told_together(rows))


def _group(row: EditRow) -> object:
    """What rows of one kind share."""
    edit = row.edit
    if edit.rule:
        return edit.rule, edit.what, edit.value, edit.is_on
    is_quiet = edit.note in AS_A_WHOLE and row.state in _QUIET
    return (edit.note, row.state) if is_quiet else row.number


def _told_together(rows: Sequence[EditRow]) -> tuple[EditRow, ...]:
    first = rows[0]
    if not first.edit.rule:
        return (_folded(rows),)
    if len(rows) == 1:
        return (first,)
    targets = [row.target for row in rows if row.target is not None]
    ops = tuple(dict.fromkeys(op for target in targets for op in target.ops))
    worst = min((row.state for row in rows), key=_WORST_FIRST.index)
    whole = replace(
        _folded(rows),
        state=worst,
        subject=f"{first.edit.rule} ({len(rows)})",
        asked=first.asked,
        reason="" if worst in _QUIET else _of_several(rows),
        target=Selection(op=ops[0], more_ops=ops[1:]) if ops else None,
    )
    return (whole, *(row for row in rows if row.state not in _QUIET))


def _of_several(rows: Sequence[EditRow]) -> str:
    """How many of a rule's edits are as asked."""
    heard = sum(row.state is State.HONOURED for row in rows)
    return f"{heard} of {len(rows)} are as asked, the others follow one by one"


_QUIET = frozenset({State.HONOURED, State.UNCHECKED, State.OFF})


def _folded(rows: Sequence[EditRow]) -> EditRow:
    """One row for several that come from one schedule."""
    first, *others = rows
    if not others:
        return first
    return replace(
        first,
        more=tuple(row.number - 1 for row in others),
        subject=counted(len(rows), "decision"),
        asked=f"as {_LIKE.get(first.edit.note, first.edit.note)}",
        applied="",
        reason="",
        price=None,
        target=None,
    )


_LIKE = {FROZEN: "it was frozen", FROM_FRONT: "on the front"}


def _row(place: int, edit: Edit, outcome: EditOutcome | None, answer: Answer | None) -> EditRow:
    if outcome is None:
        state = State.UNCHECKED if edit.is_on else State.OFF
    else:
        state = _STATES[outcome.fate]
    reasons: Sequence[EditReason] = outcome.reasons if outcome else ()
    call = call_of(answer)
    return EditRow(
        number=place + 1,
        edit=edit,
        state=state,
        subject=subject_text(edit.subject, call),
        deed=deed_text(edit, call),
        asked=asked_text(edit.what, edit.value, call),
        applied=asked_text(edit.what, outcome.applied, call) if outcome else "",
        reason=reasons_text(reasons, call),
        is_proved=any(reason.is_proved for reason in reasons),
        price=outcome.price if outcome and outcome.fate is not EditFate.REFUSED else None,
        target=selection_of(answer, edit.subject) if answer is not None else None,
    )


class Tally(NamedTuple):
    """How many edits there are of each kind, as a line says it."""

    text: str
    worst: State | None
    """None where there are none."""
    counts: Mapping[State, int] = {}


_WORST_FIRST = (
    State.REFUSED,
    State.ORPHAN,
    State.CHANGED,
    State.UNCHECKED,
    State.OFF,
    State.HONOURED,
)


def tally_of(rows: Sequence[EditRow], *, is_ignoring: bool = False) -> Tally:
    """How many of each kind; empty where there are no edits."""
    if not rows:
        return Tally("", None)
    counts = Counter(row.state for row in rows for _ in row.places)
    if is_ignoring:
        return Tally(f"{counted(count_of(rows), 'edit')}: ignored for now", State.OFF, counts)
    told = ", ".join(f"{counts[state]} {state.value}" for state in State if counts[state])
    worst = next(state for state in _WORST_FIRST if counts[state])
    return Tally(f"{counted(count_of(rows), 'edit')}: {told}", worst, counts)


def around_text(document: Document, answer: Answer | None) -> str:
    """What edits around a schedule that was shown cost together, what they have carried along, and
    what it would bring to search the rest anew; empty of others."""
    around = None if answer is None else answer.scheduled.around
    if answer is None or around is None or document.ignores_edits or not document.edits:
        return ""
    cycles = answer.scheduled.total.total_cycles
    price = cycles_against(cycles, around.ground.cycles)
    rest = sum(each.what is not What.ADDRESS for each in around.followed)
    moved = len(around.followed) - rest
    followed = f"; {counted(rest, 'decision')} followed" if rest else ""
    room = f"; {moved} addresses made room" if moved > 1 else "; an address made room" * moved
    text = f"Against what was shown: {price}{followed}{room}; all else is as it was."
    return f"{text} {capitalised(anew_text(cycles, around.anew))}." if around.anew else text


_MOST_FOLLOWED = 12


def followed_tip(answer: Answer | None) -> str:
    """What edits have carried along, line by line."""
    around = None if answer is None else answer.scheduled.around
    if around is None:
        return ""
    followed = [each for each in around.followed if each.what is not What.ADDRESS]
    lines = [followed_text(each, call_of(answer)) for each in followed[:_MOST_FOLLOWED]]
    more = len(followed) - len(lines)
    return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)


def count_of(rows: Sequence[EditRow]) -> int:
    """How many edits rows are about."""
    return sum(len(row.places) for row in rows)


TAKEN_KEY = "edits.taken"


def taken_note(
    name: str, told: str, against: str = "", ways: tuple[bool, bool] = (False, False)
) -> Problem:
    """What came of decisions; once that is known, against what was searched without them, and
    whether the rest can be searched anew, and undo leads back."""
    note = Problem(key=TAKEN_KEY, message=f"{name}: {told}.", is_note=True, lasts=Lasts.MODEL)
    if not against:
        return note
    return replace(
        note,
        message=f"{note.message} {capitalised(against)}.",
        advice="One step of undo leads back." if ways[1] else "",
        deeds=(ProblemDeed("edits.search_anew"),) if ways[0] else (),
    )


def not_taken(name: str, reason: str) -> Problem:
    """Why nothing was decided as a file does."""
    return Problem(key=TAKEN_KEY, message=f"{name}: {reason}.", lasts=Lasts.MODEL)
