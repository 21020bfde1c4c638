"""A comparison as a document, for a page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.frozen import Frozen, field
from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.base.version import VERSION
from core.compare.comparison import Comparison
from core.report.comparison.tables import TABLES
from core.report.comparison.words import cause_text, caveats, fast_figure, headline, side_text
from core.report.page.document import (
    Document,
    KeyFigure,
    Note,
    Pairs,
    Picture,
    Section,
    Verdict,
    table,
)

_BARS = {"Operators": "cycles B"}
_KEYS = (
    ("total-cycles", "total_cycles", "cycles"),
    ("evicted-bytes", "evicted_bytes", "bytes evicted"),
    ("cpu-ops", "cpu_operators", "operators on the CPU"),
)


class Pictures(Frozen):
    """Views of B with what they show of A, by their titles; contents of SVG or PNG files."""

    light: Mapping[str, bytes] = field(default_factory=dict)
    dark: Mapping[str, bytes] = field(default_factory=dict)
    obstacle: str = ""
    """Why there are none, where there should be."""


NO_PICTURES = Pictures()


def document_of(comparison: Comparison, pictures: Pictures = NO_PICTURES) -> Document:
    """Both sides, what differs, and what it comes from."""
    a, b = comparison.a, comparison.b
    keys = (
        *_KEYS[:1],
        ("fast-bytes", fast_figure(comparison), "bytes of fast storage"),
        *_KEYS[1:],
    )
    sides = (("A", side_text(a)), ("B", side_text(b)))
    sections = [
        Section(
            name="sides",
            title="What is compared",
            blocks=(
                Pairs(name="sides-list", items=sides),
                *(Note(text=capitalised(text)) for text in caveats(comparison)),
            ),
        )
    ]
    shown = tuple(
        Picture(title=title, content=content, dark=pictures.dark.get(title, b""))
        for title, content in pictures.light.items()
    )
    if shown:
        sections.append(
            Section(name="pictures", title="Pictures of B, and A in them", blocks=shown)
        )
    for title, listing in TABLES.items():
        rows = listing(comparison)
        if rows.rows:
            name = f"all-{title.split()[0].lower()}"
            block = table(name, rows.headers, rows.rows, bars=_BARS.get(title, ""))
            sections.append(Section(name=title.split()[0].lower(), title=title, blocks=(block,)))
    return Document(
        title=f"{a.title} and {b.title}",
        model=f"{a.title} and {b.title}",
        subtitle="B held against A",
        verdict=Verdict(
            headline=headline(comparison),
            is_over=False,
            meters=(),
            advice=tuple(filter(None, (cause_text(comparison),))),
        ),
        figures=tuple(
            KeyFigure(name=name, number=_number(comparison, figure, found.change), meaning=meaning)
            for name, figure, meaning in keys
            if (found := comparison.figure(figure)).change is not None
        ),
        sections=tuple(sections),
        foot=f"Reefpoint {VERSION}. Cycles are estimates; the board has the last word.",
        kicker="Comparison",
    )


def _number(comparison: Comparison, figure: str, change: float) -> str:
    """A difference; of cycles as far as the estimate can tell."""
    if figure != "total_cycles":
        return f"{round(change):+,}"
    if not comparison.tells_cycles_apart:
        return "no difference told" if change else "0"
    return f"{'+' if change > 0 else ''}{rough_text(change)}"
