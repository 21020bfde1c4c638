"""The decision log as JSON: one record for each decision, whatever its fields are."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from typing import Any

from core.base.frozen import members
from core.ir.decisions import Decision

Json = dict[str, Any]


def describe_decisions(decisions: Iterable[Decision]) -> list[Json]:
    """Every decision in the order in which it was taken."""
    return [_record(decision) for decision in decisions]


def _record(decision: Decision) -> Json:
    values = {name: _plain(part) for name, part in members(decision).items()}
    return {"kind": kind_of(type(decision)), **values}


def kind_of(decision: type) -> str:
    """The name of a kind of decision: its words in small letters, with hyphens."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", decision.__name__).lower()


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a decision holds a {type(value).__name__}, for which there is no JSON")
