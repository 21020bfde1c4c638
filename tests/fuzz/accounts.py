"""Schedules as JSON, damaged, held against what they were."""

from __future__ import annotations

from random import Random

from core.api import comparisons, reports
from tests.fuzz import edits
from tests.fuzz.damage import damaged_json
from tests.fuzz.kind import Kind


def _base(random: Random) -> str:
    text: str = edits.ADOPTED.base(random).text
    return text


def _use(original: str, data: bytes, _: Random) -> None:
    before = comparisons.account_of_json(original.encode(), "before")
    after = comparisons.account_of_json(data, "after")
    for pair in ((before, after), (after, before), (after, after)):
        found = comparisons.compare(*pair)
        comparisons.render(found)
        comparisons.render_csv(found)
        comparisons.describe(found)
        reports.render_html(comparisons.document_of(found, comparisons.Pictures()))


KIND = Kind("json", _base, damaged_json, _use)
