"""The door to queries: which operators and maps of a schedule are what is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.checked import door
from core.base.query import BYTE_FIELDS, SHARE_FIELDS, Query, Thing, meant
from core.base.query import query_of as _query_of
from core.ir.scheduled import Scheduled
from core.report.query import told
from core.report.query.things import FIELDS, NOTHING_TAGGED, TAGS, Found, Tagged, things_of

__all__ = [
    "BYTE_FIELDS",
    "FIELDS",
    "NOTHING_TAGGED",
    "SHARE_FIELDS",
    "TAGS",
    "Found",
    "Query",
    "Tagged",
    "Thing",
    "describe_matches",
    "query_of",
    "render_matches",
    "things_of",
]


@door
def query_of(text: str) -> Query:
    """What a text such as `kind=conv2d and share>1%` asks; an OptionError says what is wrong."""
    return _query_of(text, FIELDS)


@door
def render_matches(scheduled: Scheduled, queries: Sequence[Query]) -> str:
    """What meets each of some queries, as text."""
    return "\n".join(_render(scheduled, query) for query in queries)


def _render(scheduled: Scheduled, query: Query) -> str:
    if found := told.matches(scheduled, query):
        return told.render(query, found)
    return told.render(query, (), meant(query, (each.thing for each in things_of(scheduled))))


@door
def describe_matches(scheduled: Scheduled, queries: Sequence[Query]) -> told.Json:
    """The same as JSON."""
    return told.describe((query, told.matches(scheduled, query)) for query in queries)
