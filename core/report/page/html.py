"""A report as one HTML file that needs nothing else: to read, to mail, to print.

No address in it leads outside, pictures are parts of it, and the same report gives the same bytes.
"""

from __future__ import annotations

import base64

from core.base.digest import digest_bytes
from core.base.harmless import xml_text
from core.report.page.document import (
    Block,
    Code,
    Column,
    Document,
    Heading,
    KeyFigure,
    Meter,
    Note,
    Pairs,
    Picture,
    Points,
    Section,
    Table,
    Verdict,
)
from core.report.page.drawing import markup_of
from core.report.page.sorting import SORTING
from core.report.page.style import ReportTheme, style
from core.report.page.zooming import ZOOMING

_SVG, _HEAD_BYTES = b"<svg", 256
_FULL = 100.0
_PREFIX_LETTERS = 8


def render(document: Document, theme: ReportTheme = ReportTheme.AUTO) -> str:
    """The whole file."""
    links = "\n".join(
        f'<a href="#{section.name}">{_escaped(section.title)}</a>' for section in document.sections
    )
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escaped(document.title)}</title>\n"
        f"<style>\n{style(theme)}</style>\n</head>\n<body>\n"
        f'<header>\n<p class="kicker">{_escaped(document.kicker)}</p>\n'
        f"{_element('h1', _escaped(document.model))}\n"
        f"{_element('p', _escaped(document.subtitle))}\n{_element('nav', links)}\n</header>\n"
        f"<main>\n{_verdict(document.verdict)}\n{_figures(document.figures)}"
        f"{''.join(map(_section, document.sections))}"
        f"</main>\n{_element('footer', _escaped(document.foot))}\n"
        f"<script>\n{SORTING}{ZOOMING}</script>\n</body>\n</html>\n"
    )


def _escaped(text: object) -> str:
    """Text as it stands between tags and in attributes; no address in it can be followed."""
    return xml_text(text).replace("://", ":&#47;&#47;")


def _element(tag: str, content: str, **attributes: str) -> str:
    """An element around markup; an underscore ends names that Python has for itself."""
    named = "".join(
        f' {name.rstrip("_")}="{_escaped(value)}"' for name, value in attributes.items() if value
    )
    return f"<{tag}{named}>{content}</{tag}>"


def _verdict(verdict: Verdict) -> str:
    lines = [_element("p", f"<strong>{_escaped(verdict.headline)}</strong>")]
    lines += [_element("p", _escaped(meter.text)) + _meter(meter) for meter in verdict.meters]
    lines += [_element("p", _escaped(text)) for text in verdict.advice]
    return _element(
        "div", "\n".join(lines), id="verdict", class_="verdict" + " over" * verdict.is_over
    )


def _meter(meter: Meter) -> str:
    """The bytes that are required as a bar, and the limit as a mark on it."""
    whole = max(meter.required_bytes, meter.limit_bytes, 1)
    bar = _element("i", "", style=f"width:{_FULL * meter.required_bytes / whole:.2f}%")
    mark = _element("u", "", style=f"left:{_FULL * meter.limit_bytes / whole:.2f}%")
    is_over = meter.required_bytes > meter.limit_bytes
    return _element("div", bar + mark, class_="meter" + " over" * is_over)


def _figures(figures: tuple[KeyFigure, ...]) -> str:
    inner = "\n".join(
        _element(
            "div",
            _element("b", _escaped(figure.number), id=figure.name)
            + _element("span", _escaped(figure.meaning)),
        )
        for figure in figures
    )
    return _element("div", f"\n{inner}\n", class_="figures") + "\n"


def _section(section: Section) -> str:
    inner = "".join(f"{_block(block)}\n" for block in section.blocks)
    title = _element("h2", _escaped(section.title))
    return _element("section", f"\n{title}\n{inner}", id=section.name) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(text=text, is_estimate=is_estimate):
            mark = ' <span class="estimate">estimate</span>' if is_estimate else ""
            markup = _element("h3", _escaped(text) + mark)
        case Note(text=text):
            markup = _element("p", _escaped(text), class_="note")
        case Points(texts=texts, name=name):
            items = "".join(f"{_element('li', _escaped(text))}\n" for text in texts)
            markup = _element("ul", f"\n{items}", id=name)
        case Pairs(items=pairs, name=name):
            lines = (_element("dt", _escaped(k)) + _element("dd", _escaped(v)) for k, v in pairs)
            markup = _element("dl", "\n" + "".join(f"{line}\n" for line in lines), id=name)
        case Code(text=text):
            markup = _element("pre", _escaped(text))
        case Picture():
            markup = _picture(block)
        case Table():
            markup = _table(block)
    return markup


def _table(table: Table) -> str:
    head = "".join(
        _element("th", _escaped(column.title), scope="col", class_="n" * column.is_number)
        for column in table.columns
    )
    rows = (
        "".join(_cell(column, cell) for column, cell in zip(table.columns, row, strict=True))
        for row in table.rows
    )
    body = "".join(f"{_element('tr', row)}\n" for row in rows)
    inner = f"\n<thead>{_element('tr', head)}</thead>\n<tbody>\n{body}</tbody>\n"
    return _element("div", _element("table", inner, id=table.name), class_="wide")


def _cell(column: Column, cell: object) -> str:
    """A cell; a text that was shortened can be read whole under the pointer."""
    whole, text = "" if cell is None else str(cell), column.text(cell)
    kind, bar = "n" if column.is_number else "long" * column.is_long, ""
    if column.bar_most and isinstance(cell, int | float):
        kind, bar = f"{kind} bar", f"background-size:{_FULL * cell / column.bar_most:.1f}% 100%"
    title = whole if text != whole else ""
    return _element("td", _escaped(text), class_=kind, style=bar, title=title)


def _picture(picture: Picture) -> str:
    """A picture with its title, in the colours that there are of it."""
    title = _escaped(picture.title)
    if picture.dark:
        drawn = _drawn(picture.title, picture.content, "in-light")
        drawn += "\n" + _drawn(picture.title, picture.dark, "in-dark")
    else:
        drawn = _drawn(picture.title, picture.content, "")
    # Written here and not by `_element`, whose text is escaped character by character.
    return _element("figure", f"\n{drawn}\n{_element('figcaption', title)}\n")


def _drawn(title: str, content: bytes, when: str) -> str:
    """SVG becomes a part of the page, whose texts can be searched; PNG an image in it."""
    if _SVG in content[:_HEAD_BYTES]:
        prefix = f"{digest_bytes(title.encode() + when.encode())[:_PREFIX_LETTERS]}-"
        drawing = markup_of(content, prefix)
        named = f'<svg role="img" aria-label="{_escaped(title)}"'
        return f'<div class="{f"drawing {when}".strip()}">{drawing.replace("<svg", named, 1)}</div>'
    source = f"data:image/png;base64,{base64.b64encode(content).decode()}"
    kind = f' class="{when}"' if when else ""
    return f'<img{kind} alt="{_escaped(title)}" src="{source}">'
