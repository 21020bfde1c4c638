"""A page of HTML as a reader sees it: elements by their ids, tables as rows, and every link."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Refuses what is not closed in the order in which it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, str] = {}
        self.tables: dict[str, list[list[str]]] = {}
        self.pairs: dict[str, str] = {}
        self.attributes: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self._open: list[tuple[str, str]] = []
        self._term = ""
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in values.items()]
        name = values.get("id", "")
        if name:
            assert name not in self.texts, f"two elements are called {name}"
            self.texts[name] = ""
        if tag == "table":
            self.tables[name] = []
        if tag == "tr":
            self._rows.append([])
        if tag in {"td", "th"}:
            self._rows[-1].append(values.get("title", ""))
        if tag not in VOID:
            self._open.append((tag, name))

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        for _, name in self._open:
            if name:
                self.texts[name] += data
        inner = self._open[-1][0] if self._open else ""
        if inner in {"td", "th"} and not self._is_titled:
            self._rows[-1][-1] += data
        if inner == "dt":
            self._term = data
        if inner == "dd":
            self.pairs[self._term] = self.pairs.get(self._term, "") + data

    @property
    def _rows(self):
        return self.tables[next(name for tag, name in reversed(self._open) if tag == "table")]

    @property
    def _is_titled(self):
        """A shortened cell has its whole text as its title."""
        return (
            bool(self._rows[-1][-1])
            and "\N{HORIZONTAL ELLIPSIS}" not in self._rows[-1][-1]
            and (self.attributes[-1][1] == "title")
        )

    def rows(self, table):
        """The rows of a table by their headings."""
        head, *rows = self.tables[table]
        return [dict(zip(head, row, strict=True)) for row in rows]

    def number(self, name):
        return number(self.texts[name])


def number(text):
    """A figure as it is written, as a number."""
    return float(text.replace(",", "")) if text else None
