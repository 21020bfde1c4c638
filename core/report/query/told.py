"""Answers to queries, as tables and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from core.base.harmless import visible
from core.base.query import Query, Value
from core.ir.scheduled import Scheduled
from core.report.json_forms.stamp import stamp
from core.report.query.things import NOTHING_TAGGED, Found, Tagged, things_of
from core.report.tables import Listing
from core.report.words import Count, counted

Json = dict[str, Any]
_OPERATORS = ("operator", "cycles", "%", "waits for", "cascade", "output", "bytes", "in")
_MAPS = ("map", "shape", "bytes", "as", "in", "is")


def matches(
    scheduled: Scheduled, query: Query, tagged: Tagged = NOTHING_TAGGED
) -> tuple[Found, ...]:
    """All things that meet a query."""
    return tuple(found for found in things_of(scheduled, tagged) if query.test(found.thing))


def render(query: Query, found: Sequence[Found], meant: str = "") -> str:
    """How many meet it, and which; of none, what may have been meant."""
    ops = [part for part in found if part.fm is None]
    maps = [part for part in found if part.fm is not None]
    cycles = sum(_number(part, "cycles") or 0 for part in ops)
    heads = [counted(len(ops), "operator"), counted(len(maps), "map")]
    text = f"{visible(query.text)}: {' and '.join(heads)}"
    if cycles:
        text += f", {cycles:,.0f} cycles ({sum(_number(p, 'share') or 0 for p in ops):.1%})"
    parts = [f"{text}: {meant}" if meant else text]
    if ops:
        parts.append(Listing(_OPERATORS, [_op_row(part) for part in ops]).text())
    if maps:
        parts.append(Listing(_MAPS, [_map_row(part) for part in maps]).text())
    return "\n\n".join(parts) + "\n"


def describe(answers: Iterable[tuple[Query, Sequence[Found]]]) -> Json:
    """What meets each of some queries, for programs."""
    return {**stamp("matches"), "queries": [_described(*answer) for answer in answers]}


def _described(query: Query, found: Sequence[Found]) -> Json:
    """Each with all that can be asked about it."""
    return {
        "where": query.text,
        "matches": [
            {field: _plain(value) for field, value in part.thing.values.items() if _is_known(value)}
            for part in found
        ],
    }


def _plain(value: Value) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _number(part: Found, field: str) -> float | None:
    value = part.thing.values.get(field)
    return value if isinstance(value, float) and _is_known(value) else None


def _is_known(value: Value) -> bool:
    return not (isinstance(value, float) and math.isnan(value))


def _count(part: Found, field: str) -> Count | None:
    value = _number(part, field)
    return None if value is None else Count(round(value))


def _op_row(part: Found) -> Sequence[object]:
    values, share = part.thing.values, _number(part, "share")
    return (
        values["title"],
        _count(part, "cycles"),
        None if share is None else f"{share:.1%}",
        values.get("waits"),
        _count(part, "cascade"),
        values.get("shape"),
        _count(part, "bytes"),
        values.get("memory"),
    )


def _map_row(part: Found) -> Sequence[object]:
    values = part.thing.values
    tags = values["is"]
    told = sorted(tags - {"map"}) if isinstance(tags, frozenset) else []
    return (
        values["title"],
        values["shape"],
        _count(part, "bytes"),
        values["format"],
        values["memory"],
        ", ".join(told),
    )
