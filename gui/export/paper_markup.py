"""A report's HTML in the few words that Qt's pages understand; no Qt.

Grids become tables, links become text, and pictures are taken out and named.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import NamedTuple

_LEFT_OUT = {"head", "nav", "figcaption"}
"""A picture's title is above it here."""
_PICTURES = "pictures"
_LEFT_OUT_CLASSES = {"meter"}
_AS_IT_IS = {"h1", "h2", "h3", "p", "ul", "li", "strong", "tr", "thead", "tbody", "pre"}
_NO_END = {"img", "meta", "br", "link"}
_FIGURES_A_ROW = 4
_WHOLE_LETTERS = 24
"""So much stays on one line: a shape or a number in two lines would be taken for two."""
_WHOLE_WIDTH = 'width="100%" cellspacing="0"'


class Markup(NamedTuple):
    """What is laid out: text with pictures in it, by their names."""

    text: str
    pictures: Mapping[str, bytes]


def markup_of(report: str) -> Markup:
    """The markup for pages of a report."""
    typesetter = _Typesetter()
    typesetter.feed(report)
    typesetter.close()
    return Markup("".join(typesetter.written), typesetter.pictures)


class _Typesetter(HTMLParser):
    """Reads one markup and writes the other; each element's end is decided at its start."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.written: list[str] = []
        self.pictures: dict[str, bytes] = {}
        self._ends: list[str] = []
        self._classes: list[str] = []
        self._left_out = 0
        self._figures = 0
        self._cell = 0
        """Where the last cell of a table begins."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        kind = given.get("class", "") or (_PICTURES if given.get("id") == _PICTURES else "")
        if tag in _NO_END:
            if tag == "img" and not self._left_out:
                self._picture(given)
            return
        inside = self._classes[-1] if self._classes else ""
        self._classes.append(kind)
        if self._left_out or tag in _LEFT_OUT or kind in _LEFT_OUT_CLASSES:
            self._left_out += 1
            return
        if tag == "h2" and inside == _PICTURES:
            # Its pictures begin pages of their own.
            self._left_out += 1
            return
        begin, end = self._translated(tag, kind, inside)
        self.written.append(begin)
        self._ends.append(end)

    def handle_endtag(self, tag: str) -> None:
        if tag in _NO_END:
            return
        self._classes.pop()
        if self._left_out:
            self._left_out -= 1
            return
        if tag in ("td", "th") and sum(map(len, self.written[self._cell + 1 :])) <= _WHOLE_LETTERS:
            begin = self.written[self._cell]
            self.written[self._cell] = f'{begin[:-1]} class="whole">'
        self.written.append(self._ends.pop())

    def handle_data(self, data: str) -> None:
        if not self._left_out:
            self.written.append(html.escape(data))

    def _translated(self, tag: str, kind: str, inside: str) -> tuple[str, str]:
        """What an element begins and ends with on a page."""
        if tag in _AS_IT_IS:
            named = f' class="{kind.split(maxsplit=1)[0]}"' if kind else ""
            return f"<{tag}{named}>", f"</{tag}>"
        if tag in ("td", "th"):
            side = "right" if "n" in kind.split() else "left"
            self._cell = len(self.written)
            return f'<{tag} align="{side}">', f"</{tag}>"
        if tag == "div" and inside == "figures":
            self._figures += 1
            is_first = self._figures % _FIGURES_A_ROW == 1
            return ("</tr><tr>" if is_first and self._figures > 1 else "") + "<td>", "</td>"
        if tag == "div" and kind.startswith("verdict"):
            # What is over a limit is told in another colour.
            named = kind.rsplit(maxsplit=1)[-1]
            begin = f'<table class="{named}" {_WHOLE_WIDTH} cellpadding="8"><tr><td>'
            return begin, "</td></tr></table>"
        return _OTHERS.get((tag, kind)) or _OTHERS.get((tag, ""), ("", ""))

    def _picture(self, given: Mapping[str, str]) -> None:
        _, _, data = given.get("src", "").partition("base64,")
        name = f"picture-{len(self.pictures)}"
        self.pictures[name] = base64.b64decode(data)
        title = html.escape(given.get("alt", ""))
        self.written.append(f'<h2 class="new-page">{title}</h2><p><img src="{name}"></p>')


_OTHERS = {
    ("table", ""): (f'<table class="rows" {_WHOLE_WIDTH} cellpadding="3">', "</table>"),
    ("dl", ""): (f'<table class="terms" {_WHOLE_WIDTH} cellpadding="1">', "</table>"),
    ("dt", ""): ('<tr><td class="term" width="16%">', "</td>"),
    ("dd", ""): ("<td>", "</td></tr>"),
    ("b", ""): ('<span class="number">', "</span><br>"),
    ("span", ""): ('<span class="faint">', "</span>"),
    ("code", ""): ("<code>", "</code>"),
    ("div", "figures"): (
        f'<table class="figures" {_WHOLE_WIDTH} cellpadding="6"><tr>',
        "</tr></table>",
    ),
    ("footer", ""): ('<p class="faint">', "</p>"),
}
"""What other elements begin and end with, by their names and classes."""
