"""Edits and values in words that are short enough for a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.api.edits import Call, whole
from core.base.frozen import NamedTuple
from core.ir.edits import (
    EdgeNamed,
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    OpsNamed,
    Subject,
    Value,
    WeightsAsked,
    What,
)
from core.target.format import Format
from gui.document.answer import Answer
from gui.present.compiled import is_compiled
from gui.present.units import address, counted, size_exact

_Deed = Callable[[str, Edit, Call], str]
_MOST_NAMED = 3


def no_edits_text(answer: Answer | None) -> str:
    """What is said where there is no edit; of a compiled model nothing can be decided."""
    if is_compiled(answer):
        return (
            "This model is compiled: its compiler has decided all of it.\n\n"
            "Open the model that it was made from to decide something, and adopt there what this"
            " one has."
        )
    return (
        "Nothing is decided by you: all of it is searched.\n\n"
        "Right-click anything, or see Edit > Decisions, to keep a feature map in fast storage, to"
        " cut a cascade, or to choose a stripe, a block, a format. What became of it is told here."
    )


def subject_text(subject: Subject, call: Call) -> str:
    """Whom an edit is about."""
    match subject:
        case OpNamed() | MapNamed():
            return call(subject)
        case OpsNamed(ops):
            if len(ops) <= _MOST_NAMED:
                return ", ".join(map(call, ops))
            return f"{call(ops[0])} to {call(ops[-1])} ({len(ops)} operators)"
        case EdgeNamed(maker, reader):
            return f"{call(maker)} | {call(reader)}"
        case span:
            return f"fast storage, {call(span.first)} to {call(span.last)}"


def value_text(what: What, value: Value | None, call: Call = whole) -> str:
    """A value of a decision; what is not there is a dash."""
    if value is None:
        return "-"
    if isinstance(value, OpNamed):
        return call(value)
    return _WORDS[what].value(value)


_GROUPINGS = {
    Grouping.TOGETHER: "in one cascade",
    Grouping.APART: "not in one cascade",
    Grouping.NEVER: "in no cascade",
}


def weights_text(value: WeightsAsked) -> str:
    """How weights arrive."""
    parts = []
    if value.buffers is not None:
        parts.append(("direct", "one buffer", "two buffers")[value.buffers])
    if value.depths is not None:
        parts.append(counted(len(value.depths) - 1, "slice"))
    if value.prefetch is not None:
        parts.append("fetched early" if value.prefetch else "not fetched early")
    if value.lead_steps is not None:
        parts.append(f"{counted(value.lead_steps, 'operator')} ahead")
    return ", ".join(parts)


def asked_text(what: What, value: Value | None, call: Call = whole) -> str:
    """A value with the decision that it is of, where the value alone would not tell."""
    before = _WORDS[what].before if value is not None else ""
    return f"{before} {value_text(what, value, call)}".strip()


def deed_text(edit: Edit, call: Call) -> str:
    """An edit as something to do: what undo and menus call it."""
    words, name = _WORDS[edit.what].deed, subject_text(edit.subject, call)
    if callable(words):
        return words(name, edit, call)
    return words.format(name=name, value=value_text(edit.what, edit.value, call))


def _living_deed(name: str, edit: Edit, _: Call) -> str:
    is_fast = edit.value is Living.FAST
    return f"Keep {name} in fast storage" if is_fast else f"Move {name} out of fast storage"


def _cascade_deed(name: str, edit: Edit, call: Call) -> str:
    match edit.subject:
        case EdgeNamed(_, op) | OpsNamed((*_, op)) if edit.value is Grouping.APART:
            return f"End a cascade before {call(op)}"
    is_together = edit.value is Grouping.TOGETHER
    return f"Run {name} in one cascade" if is_together else f"Keep {name} out of cascades"


class _Words(NamedTuple):
    """How a decision is told."""

    deed: str | _Deed
    """As something to do, with the places of `name` and `value`."""
    value: Callable[[Any], str] = str
    before: str = ""
    """What stands before the value, where that alone would not tell what is decided."""


def _rows(value: int) -> str:
    return counted(value, "row")


_WORDS: Mapping[What, _Words] = {
    What.REGION: _Words(
        _living_deed,
        lambda value: "in fast storage" if value is Living.FAST else "not in fast storage",
    ),
    What.FORMAT: _Words(
        "Store {name} in {value}",
        lambda value: "bricks" if value is Format.BRICKS else "rows",
        before="in",
    ),
    What.ADDRESS: _Words("Put {name} at {value}", address, before="at"),
    What.CASCADE: _Words(_cascade_deed, _GROUPINGS.__getitem__),
    What.STRIPE: _Words("Run {name} in stripes of {value}", _rows, before="stripes of"),
    What.BLOCK: _Words(
        "Run {name} in blocks of {value}",
        lambda value: "x".join(map(str, value)),
        before="blocks of",
    ),
    What.TRAVERSAL: _Words(
        "Take weights of {name} {value}", lambda value: value.value, before="weights"
    ),
    What.ROLLING: _Words("Hand on {name} through {value}", _rows, before="buffer of"),
    What.WEIGHTS: _Words("Fetch weights of {name}: {value}", weights_text, before="weights"),
    What.BEFORE: _Words("Run {name} before {value}", before="before"),
    What.AFTER: _Words("Run {name} after {value}", before="after"),
    What.RESERVE: _Words("Reserve {value} of {name}", size_exact),
    What.PROCESSOR: _Words("Run {name} {value}", lambda value: f"on the {value.value.upper()}"),
}
"""Operators that are values are named by whoever calls them so."""
