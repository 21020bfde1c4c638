"""Runs as rows of a table."""

from __future__ import annotations

from core.base.frozen import replace
from gui.document.display import Display
from gui.present.runs.list import rows_of, settled
from tests.gui.answers import answer_of

WHEN = 4
MORNING, EVENING, LATER = "2026-11-23 08:15:00", "2026-11-23 20:15:00", "2026-11-24 08:00:00"


def times(*moments: str) -> list[str]:
    """What the column says of runs at some moments."""
    answer = answer_of("kws_dscnn")
    runs = tuple(replace(settled(answer, "", "open"), when=moment) for moment in moments)
    rows = rows_of(runs, answer.document, Display())
    assert all(row.tip.endswith(row.run.when) for row in rows)
    return [row.texts[WHEN] for row in rows]


def test_the_day_is_told_where_it_differs():
    assert times(EVENING, MORNING) == ["20:15:00", "08:15:00"]
    assert times(LATER, EVENING, MORNING) == [LATER, EVENING, MORNING]
