"""A comparison as reviewers are shown it: what it comes from, and the first rows of each table."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.sentences import capitalised
from core.compare.comparison import Comparison
from core.report.comparison.tables import TABLES
from core.report.comparison.words import cause_text, caveats, headline, side_text
from core.report.judgements import Judgement
from core.report.review import Review


def review_of(comparison: Comparison, judged: Sequence[Judgement]) -> Review:
    """What differs, and what was demanded."""
    return Review(
        headline=headline(comparison),
        remarks=(
            f"A: {side_text(comparison.a)}",
            f"B: {side_text(comparison.b)}",
            cause_text(comparison),
            *map(capitalised, caveats(comparison)),
        ),
        judged=tuple(judged),
        tables=tuple((title, listing(comparison)) for title, listing in TABLES.items()),
    )
