"""A comparison as text for a terminal."""

from __future__ import annotations

from core.base.harmless import visible
from core.base.sentences import capitalised
from core.compare.comparison import Comparison
from core.report.comparison.tables import TABLES
from core.report.comparison.words import cause_text, caveats, headline, side_text
from core.report.tables import Listing
from core.report.words import counted

MOST_ROWS = 40


def render(comparison: Comparison) -> str:
    """Both sides, what is more and what less, its cause, and the tables."""
    head = [
        f"A: {side_text(comparison.a)}",
        f"B: {side_text(comparison.b)}",
        headline(comparison),
        cause_text(comparison),
        *map(capitalised, caveats(comparison)),
    ]
    parts = ["\n".join(map(visible, filter(None, head)))]
    for title, listing in TABLES.items():
        found = listing(comparison)
        if found.rows:
            parts += [title, _few(found)]
    return "\n\n".join(parts) + "\n"


def _few(listing: Listing) -> str:
    """The first rows; of the others, how many there are."""
    rest = len(listing.rows) - MOST_ROWS
    text = Listing(listing.headers, listing.rows[:MOST_ROWS]).text(ends_whole=True)
    return text if rest <= 0 else f"{text}\n{counted(rest, 'row')} more"
