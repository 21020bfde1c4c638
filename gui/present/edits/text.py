"""Edits and values in words that are short enough for a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.api.edits import Call, whole
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
    write = _WRITERS.get(what)
    return str(value) if write is None else write(value)


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
    return ", ".join(parts)


_WRITERS: Mapping[What, Callable[[Any], str]] = {
    What.REGION: lambda value: "in fast storage" if value is Living.FAST else "not in fast storage",
    What.FORMAT: lambda value: "bricks" if value is Format.BRICKS else "rows",
    What.ADDRESS: address,
    What.CASCADE: _GROUPINGS.__getitem__,
    What.STRIPE: lambda value: counted(value, "row"),
    What.BLOCK: lambda value: "x".join(map(str, value)),
    What.TRAVERSAL: lambda value: value.value,
    What.ROLLING: lambda value: counted(value, "row"),
    What.WEIGHTS: weights_text,
    What.RESERVE: size_exact,
    What.PROCESSOR: lambda value: f"on the {value.value.upper()}",
}


_BEFORE_VALUES = {
    What.FORMAT: "in",
    What.ADDRESS: "at",
    What.STRIPE: "stripes of",
    What.BLOCK: "blocks of",
    What.TRAVERSAL: "weights",
    What.ROLLING: "buffer of",
    What.WEIGHTS: "weights",
    What.BEFORE: "before",
    What.AFTER: "after",
}


def asked_text(what: What, value: Value | None, call: Call = whole) -> str:
    """A value with the decision that it is of, where the value alone would not tell."""
    before = _BEFORE_VALUES.get(what, "") if value is not None else ""
    return f"{before} {value_text(what, value, call)}".strip()


def deed_text(edit: Edit, call: Call) -> str:
    """An edit as something to do: what undo and menus call it."""
    return _DEEDS[edit.what](subject_text(edit.subject, call), edit, call)


def _living_deed(name: str, edit: Edit, _: Call) -> str:
    is_fast = edit.value is Living.FAST
    return f"Keep {name} in fast storage" if is_fast else f"Move {name} out of fast storage"


def _cascade_deed(name: str, edit: Edit, call: Call) -> str:
    match edit.subject:
        case EdgeNamed(_, op) | OpsNamed((*_, op)) if edit.value is Grouping.APART:
            return f"End a cascade before {call(op)}"
    is_together = edit.value is Grouping.TOGETHER
    return f"Run {name} in one cascade" if is_together else f"Keep {name} out of cascades"


def _weights_deed(name: str, edit: Edit, _: Call) -> str:
    return f"Fetch weights of {name}: {value_text(edit.what, edit.value)}"


def _plain_deed(words: str) -> _Deed:
    return lambda name, edit, call: words.format(
        name=name, value=value_text(edit.what, edit.value, call)
    )


_DEEDS: Mapping[What, _Deed] = {
    What.REGION: _living_deed,
    What.FORMAT: _plain_deed("Store {name} in {value}"),
    What.ADDRESS: _plain_deed("Put {name} at {value}"),
    What.CASCADE: _cascade_deed,
    What.STRIPE: _plain_deed("Run {name} in stripes of {value}"),
    What.BLOCK: _plain_deed("Run {name} in blocks of {value}"),
    What.TRAVERSAL: _plain_deed("Take weights of {name} {value}"),
    What.ROLLING: _plain_deed("Hand on {name} through {value}"),
    What.WEIGHTS: _weights_deed,
    What.BEFORE: _plain_deed("Run {name} before {value}"),
    What.AFTER: _plain_deed("Run {name} after {value}"),
    What.RESERVE: _plain_deed("Reserve {value} of {name}"),
    What.PROCESSOR: _plain_deed("Run {name} {value}"),
}
