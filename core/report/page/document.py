"""A report as a value: what it says and in which order, before anybody draws it."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import Frozen
from core.report.tables import Listing, Row

_WIDEST_NAME = 60
_LONG_TEXT = 18
"""From here on a text may go on in a second line."""
_NAMES = ("name", "map", "rolling map")
"""Columns whose texts lose their middle where they are long."""


class Fixed(float):
    """A number that is written with two decimals."""

    def __str__(self) -> str:
        return f"{float(self):.2f}"


class Heading(Frozen):
    """What stands above a part of a section."""

    text: str
    is_estimate: bool = False


class Note(Frozen):
    """A sentence on the side."""

    text: str


class Points(Frozen):
    """Sentences, one below the other."""

    texts: tuple[str, ...]
    name: str = ""


class Pairs(Frozen):
    """Terms, and what they are."""

    name: str
    items: tuple[tuple[str, str], ...]


class Code(Frozen):
    """Text to copy."""

    text: str


class Picture(Frozen):
    """The content of an SVG or PNG file."""

    title: str
    content: bytes
    dark: bytes = b""
    """The same in dark colours, for who reads in such; without it there is only the one."""


class Column(Frozen):
    """How the cells of a column are written."""

    title: str
    is_number: bool = False
    is_long: bool = False
    bar_most: float = 0.0
    """The greatest number, where numbers are shown as bars too; else 0."""

    def text(self, cell: object) -> str:
        """A cell as it is written; a long name loses its middle."""
        whole = "" if cell is None else str(cell)
        if self.title not in _NAMES or len(whole) <= _WIDEST_NAME:
            return whole
        half = (_WIDEST_NAME - 1) // 2
        return f"{whole[:half]}\N{HORIZONTAL ELLIPSIS}{whole[-half:]}"


class Table(Frozen):
    """Cells are texts, numbers that know how they are written, or None."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]


Block = Heading | Note | Points | Pairs | Code | Picture | Table


class Section(Frozen):
    """A part of a report that can be gone to by its name."""

    name: str
    title: str
    blocks: tuple[Block, ...]


class Meter(Frozen):
    """What a memory needs beside what it may have."""

    text: str
    required_bytes: int
    limit_bytes: int


class Verdict(Frozen):
    """Whether everything fits."""

    headline: str
    is_over: bool
    meters: tuple[Meter, ...]
    advice: tuple[str, ...]


class KeyFigure(Frozen):
    """A number that somebody looks for first."""

    name: str
    number: str
    meaning: str


class Document(Frozen):
    """A whole report."""

    title: str
    """As windows and files name it."""
    model: str
    subtitle: str
    verdict: Verdict
    figures: tuple[KeyFigure, ...]
    sections: tuple[Section, ...]
    foot: str
    kicker: str = "Schedule report"
    """What kind of a report it is."""


def table(name: str, headers: Sequence[str], rows: Sequence[Row], *, bars: str = "") -> Table:
    """A table without the columns that are empty in every row.

    The column that `bars` names shows its numbers as bars too.
    """
    used = Listing(headers, rows).of_used()
    columns = (
        _column(title, [row[at] for row in used.rows], bars=bars)
        for at, title in enumerate(used.headers)
    )
    return Table(name=name, columns=tuple(columns), rows=tuple(map(tuple, used.rows)))


def _column(title: str, cells: Sequence[object], *, bars: str) -> Column:
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    if len(numbers) + cells.count(None) == len(cells):
        most = max(map(float, numbers), default=0.0) if title == bars else 0.0
        return Column(title=title, is_number=True, bar_most=most)
    is_long = any(len(str(cell or "")) > _LONG_TEXT for cell in cells)
    return Column(title=title, is_long=is_long)
