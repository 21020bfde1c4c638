"""A comparison for a comment in a pull request: short, with what it comes from first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.harmless import markdown_text
from core.base.sentences import capitalised
from core.compare.comparison import Comparison
from core.report.comparison.tables import TABLES
from core.report.comparison.words import cause_text, caveats, headline, side_text
from core.report.judgements import Judgement, table_lines
from core.report.tables import Listing
from core.report.words import counted

_MOST_ROWS = 10


def render(comparison: Comparison, judged: Sequence[Judgement]) -> str:
    """What differs, what was demanded, and the first rows of each table."""
    told = (
        f"A: {side_text(comparison.a)}",
        f"B: {side_text(comparison.b)}",
        cause_text(comparison),
        *map(capitalised, caveats(comparison)),
    )
    lines = [f"### Reefpoint: {markdown_text(headline(comparison))}", ""]
    lines += [f"- {markdown_text(text)}" for text in told if text]
    if judged:
        lines += ["", *table_lines(judged)]
    for title, listing in TABLES.items():
        found = listing(comparison).of_used()
        if found.rows:
            lines += ["", f"**{markdown_text(title)}**", "", *_few(found)]
    return "\n".join(lines) + "\n"


def _few(listing: Listing) -> Iterator[str]:
    yield _row(listing.headers)
    yield f"{'|-' * len(listing.headers)}|"
    for row in listing.rows[:_MOST_ROWS]:
        yield _row(["" if cell is None else str(cell) for cell in row])
    rest = len(listing.rows) - _MOST_ROWS
    if rest > 0:
        yield f"\n{counted(rest, 'row')} more"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(markdown_text, cells))} |"
