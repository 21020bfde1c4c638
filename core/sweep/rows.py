"""Rows of a sweep's file as values: whoever has written them, each is of its type or is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from core.base.errors import InputError
from core.base.frozen import Frozen, NamedTuple, field_names
from core.ir.sweep import Cell, Outcome, SweptModel, SweptSettings, Totals, Verdict

Value = TypeVar("Value", bound=Frozen)

_TOTALS = field_names(Totals)
CELL = ("model", "settings", "verdict", "error", *_TOTALS)
"""The columns that make a cell."""
_END = 1 << 63
"""No figure is as large; SQLite's whole numbers are not."""
_LAST_PROCESS = (1 << 31) - 1
_SHOWN = 40
"""Characters of what is refused."""


def value_of(kind: type[Value], row: Sequence[Any], where: str) -> Value:
    """The value that has the columns of a row, in the order of its fields."""
    parts = zip(field_names(kind), row, strict=True)
    readers = kind.__annotations__
    return kind(**{name: _READERS[readers[name]](part, f"{where}, {name}") for name, part in parts})


class Told(NamedTuple):
    """A row of cells, whose digests stand for what other tables tell."""

    model: str
    settings: str
    outcome: Outcome
    where: str

    def cell(self, models: Mapping[str, SweptModel], settings: Mapping[str, SweptSettings]) -> Cell:
        """The cell."""
        for digest, known in ((self.model, models), (self.settings, settings)):
            if digest not in known:
                raise InputError(f"nothing tells what {_shown(digest)} is", self.where)
        return Cell(
            model=models[self.model], settings=settings[self.settings], outcome=self.outcome
        )


def told_of(row: Sequence[Any], where: str) -> Told:
    """What a row of cells says."""
    model, settings, verdict, error, *figures = row
    found = verdict_of(verdict, f"{where}, verdict")
    is_scheduled = found not in (Verdict.REFUSED, Verdict.LOST)
    if not is_scheduled and any(figure is not None for figure in figures):
        raise InputError(f"is {found.value}, and has figures", where)
    return Told(
        model=text_of(model, f"{where}, model"),
        settings=text_of(settings, f"{where}, settings"),
        outcome=Outcome(
            verdict=found,
            totals=value_of(Totals, figures, where) if is_scheduled else None,
            error=text_of(error, f"{where}, error"),
        ),
        where=where,
    )


def verdict_of(value: Any, where: str) -> Verdict:
    """One of those that there are."""
    try:
        return Verdict(value)
    except ValueError:
        raise _refused(value, "a verdict", where) from None


def text_of(value: Any, where: str) -> str:
    """A text in UTF-8."""
    if not isinstance(value, str):
        raise _refused(value, "a text", where)
    # What is no UTF-8 is read as surrogates, which cannot be written.
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InputError("is not text in UTF-8", where)
    return value


def whole_of(value: Any, where: str) -> int:
    """A whole number."""
    if not isinstance(value, int) or value < 0:
        raise _refused(value, "a whole number, which is not negative,", where)
    return value


def process_of(value: Any, where: str) -> int:
    """The number of a process: 0 and what is negative would mean many."""
    if not isinstance(value, int) or not 0 < value <= _LAST_PROCESS:
        raise _refused(value, "the number of a process", where)
    return value


def _number_of(value: Any, where: str) -> float:
    if not isinstance(value, int | float) or not (math.isfinite(value) and 0 <= value < _END):
        raise _refused(value, "a number, which is not negative,", where)
    return value


def _texts_of(value: Any, where: str) -> tuple[str, ...]:
    """A list as JSON."""
    try:
        found = json.loads(text_of(value, where))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise _refused(value, "a list as JSON", where)
    return tuple(text_of(each, where) for each in found)


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "str": text_of,
    "int": whole_of,
    "float": _number_of,
    "tuple[str, ...]": _texts_of,
}
"""By what fields are said to be."""


def _refused(value: Any, wanted: str, where: str) -> InputError:
    return InputError(f"{_shown(value)} is there, where {wanted} belongs", where)


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    # A long text is not told as a whole to cut it off then.
    told = ascii(value[:_SHOWN] if isinstance(value, str | bytes) else value)
    return f"{told[:_SHOWN]}..." if len(told) > _SHOWN else told
