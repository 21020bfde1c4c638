"""Pages to read, as they come with the app: Markdown, a file for each page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.frozen import NamedTuple

HELP = Path(__file__).parents[2] / "resources" / "help"
FIRST = "start"


class Page(NamedTuple):
    """A page of the help."""

    name: str
    title: str
    text: str
    """In Markdown; a picture whose address is `view:NAME` is that of a view as it is now."""


@cache
def pages() -> tuple[Page, ...]:
    """All pages, in the order in which they are read."""
    return tuple(_page(file) for file in sorted(HELP.glob("*.md")))


def _page(file: Path) -> Page:
    text = file.read_text("utf-8")
    title = text.splitlines()[0].removeprefix("# ")
    return Page(file.stem.partition("_")[2], title, text)


def found(query: str, among: Sequence[Page] = ()) -> tuple[Page, ...]:
    """Pages that have all words of a query, those with them in the title first."""
    words = query.lower().split()
    hits = [page for page in among or pages() if all(word in page.text.lower() for word in words)]
    return tuple(
        sorted(hits, key=lambda page: not all(word in page.title.lower() for word in words))
    )
