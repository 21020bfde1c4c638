"""Pieces of HTML: text that cannot be taken for markup, tables, and pictures inside the file."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.report.tables import Row

_PNG = b"\x89PNG\r\n\x1a\n"
_WIDEST_TEXT = 60
_LONG_TEXT = 18
"""From here on a text may go on in a second line."""
_NAMES = ("name", "map", "rolling map")
"""Columns whose texts lose their middle where they are long."""


class Fixed(float):
    """A number that is written with two decimals."""

    def __str__(self) -> str:
        return f"{float(self):.2f}"


def escaped(text: object) -> str:
    """Text as it stands between tags and in attributes; no address in it can be followed."""
    return html.escape(str(text)).replace("://", ":&#47;&#47;")


def element(tag: str, content: str, **attributes: str) -> str:
    """An element around markup; an underscore ends names that Python has for itself."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for name, value in attributes.items()
        if value
    )
    return f"<{tag}{named}>{content}</{tag}>"


class _Column(NamedTuple):
    """How the cells of a column are written."""

    at: int
    title: str
    kind: str
    most: float
    """The greatest number, where numbers are shown as bars too; else 0."""

    def cell(self, row: Row) -> str:
        """The cell of a row."""
        value = row[self.at]
        text = "" if value is None else str(value)
        shown = shortened(text) if self.title in _NAMES else text
        kind, bar = self.kind, ""
        if self.most and isinstance(value, int | float):
            kind, bar = f"{kind} bar", f"background-size:{100 * value / self.most:.1f}% 100%"
        title = text if shown != text else ""
        return element("td", escaped(shown), class_=kind, style=bar, title=title)

    @property
    def head(self) -> str:
        """The cell above all others."""
        kind = self.kind if self.kind == "n" else ""
        return element("th", escaped(self.title), scope="col", class_=kind)


def table(name: str, headers: Sequence[str], rows: Iterable[Row], *, bars: str = "") -> str:
    """A table without the columns that are empty in every row; numbers stand right.

    The column that `bars` names shows its numbers as bars too.
    """
    given = list(rows)
    columns = [
        _column(at, title, [row[at] for row in given], has_bars=bool(bars) and title == bars)
        for at, title in enumerate(headers)
        if any(row[at] not in {None, ""} for row in given)
    ]
    head = element("tr", "".join(column.head for column in columns))
    lines = (element("tr", "".join(column.cell(row) for column in columns)) for row in given)
    body = "".join(f"{line}\n" for line in lines)
    inner = f"\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n"
    return element("div", element("table", inner, id=name), class_="wide") + "\n"


def _column(at: int, title: str, cells: list[object], *, has_bars: bool) -> _Column:
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    if len(numbers) + cells.count(None) == len(cells):
        most = max(map(float, numbers), default=0.0) if has_bars else 0.0
        return _Column(at, title, "n", most)
    is_long = any(len(str(cell or "")) > _LONG_TEXT for cell in cells)
    return _Column(at, title, "long" * is_long, 0.0)


def shortened(text: str) -> str:
    """A long text without its middle."""
    if len(text) <= _WIDEST_TEXT:
        return text
    half = (_WIDEST_TEXT - 1) // 2
    return f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[-half:]}"


def pairs(name: str, items: Iterable[tuple[str, str]]) -> str:
    """Terms and what they are, as a list."""
    inner = "".join(
        element("dt", escaped(term)) + element("dd", escaped(told)) + "\n" for term, told in items
    )
    return element("dl", f"\n{inner}", id=name) + "\n"


def picture(title: str, content: str | bytes) -> str:
    """A picture with its title; SVG and PNG both become a part of the file.

    SVG goes in as an image and not as markup: names in one picture cannot clash with those in
    another, and nothing in it can reach outside.
    """
    data = content.encode() if isinstance(content, str) else content
    kind = "png" if data.startswith(_PNG) else "svg+xml"
    source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    # Written here and not by `element`, whose text is escaped character by character.
    image = f'<img alt="{escaped(title)}" src="{source}">'
    return element("figure", f"\n{image}\n{element('figcaption', escaped(title))}\n") + "\n"
