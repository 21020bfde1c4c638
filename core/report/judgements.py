"""What was demanded of models, and whether it is so."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Frozen
from core.report.tables import Listing
from core.report.words import counted

HEADERS = ("", "model", "limit", "found")


class Judgement(Frozen):
    """One limit of one model."""

    model: str
    limit: str
    holds: bool
    found: str
    """The figure, or why there is none."""


def worst_first(all_of_them: Sequence[Judgement]) -> list[Judgement]:
    """Those that do not hold, then the others, each in their order."""
    return sorted(all_of_them, key=lambda each: each.holds)


def verdict(all_of_them: Sequence[Judgement]) -> str:
    """All of them in a line."""
    broken = sum(not each.holds for each in all_of_them)
    total = counted(len(all_of_them), "limit")
    return f"{broken} of {total} not met" if broken else f"{total} met"


def render(all_of_them: Sequence[Judgement]) -> str:
    """A table for a terminal, and the line."""
    rows = [
        ("ok" if each.holds else "FAILS", each.model, each.limit, each.found)
        for each in worst_first(all_of_them)
    ]
    return f"{Listing(HEADERS, rows).text(ends_whole=True)}\n\n{verdict(all_of_them)}\n"
