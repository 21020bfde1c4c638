"""Text of others, as it may go to those who take some of it for orders.

Names come from files that somebody sent. A terminal obeys escape codes in them, a browser elements,
a spreadsheet formulas; letters that turn the direction of writing let all of them show another
text. What cannot be printed is told as Python tells it, such as `\\x1b`; each reader has its own
function beside that, and whatever is printed or written goes through it.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[\d,]+(\.\d+)?(e[+-]?\d+)?( ?%)?|-")
_ODD = re.compile(r"[^\n -~]")
_MARKED = re.compile(r"([\\`\[\]<>|&])")


def visible(text: str) -> str:
    """One line in which everything can be seen, and does nothing."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def terminal_text(text: str) -> str:
    """Lines for people, whatever shows them; only the ends of lines are obeyed."""
    return text if text.isprintable() else "\n".join(map(visible, text.split("\n")))


def xml_text(text: object) -> str:
    """Text between tags and in attributes of HTML, SVG and other XML."""
    return html.escape(terminal_text(str(text)))


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Lines of cells with commas between them, in which no text is a formula."""
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows([_cell(each) for each in row] for row in rows)
    return lines.getvalue()


def tab_text(rows: Iterable[Sequence[str]]) -> str:
    """Lines of cells with tabs between them, for the same readers."""
    lines = (map(_cell, map(_joined, row)) for row in rows)
    return "".join("\t".join(map(str, line)) + "\n" for line in lines)


def _cell(cell: object) -> object:
    """A cell that spreadsheets take for what it is; a quote before it says that it is text."""
    if not isinstance(cell, str):
        return cell
    is_formula = _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{terminal_text(cell)}" if is_formula else terminal_text(cell)


def markdown_text(text: str) -> str:
    """Text in a cell of a table, or between other text."""
    return _MARKED.sub(r"\\\1", visible(_joined(text)))


def _joined(text: str) -> str:
    """On one line, for cells that have no more."""
    return " ".join(text.split()) if any(mark in text for mark in "\t\n\r") else text


def to_json(value: Any, *, indent: int | None = None, keeps_letters: bool = False) -> str:
    """A value as JSON in which nothing has to be read with care: signs of no letter are numbers.

    Halves of a sign, which other readers refuse, are told as text. Letters of other scripts are
    numbers too, unless people are to read them.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if text.isascii() and "\x7f" not in text:
        return text

    def numbered(found: re.Match[str]) -> str:
        sign = found[0]
        if "\ud800" <= sign <= "\udfff":
            return f"\\\\u{ord(sign):04x}"
        if keeps_letters and sign.isprintable():
            return sign
        return json.dumps(sign)[1:-1] if ord(sign) > 0x7F else f"\\u{ord(sign):04x}"

    return _ODD.sub(numbered, text)
