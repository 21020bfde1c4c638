"""A report in the few words of HTML that Qt's pages understand; no Qt.

Grids become tables, and what can only be clicked is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.api.reports import document as report
from core.base.harmless import xml_text

_FIGURES_A_ROW = 4
_WHOLE_LETTERS = 32
"""So much stays on one line: a shape or a number in two lines would be taken for two."""
_WIDE = 'width="100%" cellspacing="0"'


def markup_of(document: report.Document, pictures: Sequence[str]) -> str:
    """The markup for pages of a report; elements for its pictures are given, in their order."""
    shown = iter(pictures)
    parts = [
        _element("p", document.kicker, "kicker"),
        _element("h1", document.model),
        _element("p", document.subtitle),
        _verdict(document.verdict),
        _figures(document.figures),
    ]
    for section in document.sections:
        blocks = section.blocks
        # Pictures begin pages of their own, each under its title.
        if not any(isinstance(block, report.Picture) for block in blocks):
            parts.append(_element("h2", section.title))
        parts += [_block(block, shown) for block in blocks]
    return "\n".join([*parts, _element("p", document.foot, "faint")])


def pictures_of(document: report.Document) -> Iterator[report.Picture]:
    """The pictures of a report in their order."""
    blocks = (block for section in document.sections for block in section.blocks)
    return (block for block in blocks if isinstance(block, report.Picture))


def _element(tag: str, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f"<{tag}{named}>{xml_text(text)}</{tag}>"


def _verdict(verdict: report.Verdict) -> str:
    # What is over a limit is told in another colour.
    kind = "over" if verdict.is_over else "verdict"
    told = [*(meter.text for meter in verdict.meters), *verdict.advice]
    lines = "\n".join(_element("p", text) for text in told)
    return (
        f'<table class="{kind}" {_WIDE} cellpadding="8"><tr><td>'
        f"<p><strong>{xml_text(verdict.headline)}</strong></p>\n{lines}</td></tr></table>"
    )


def _figures(figures: Sequence[report.KeyFigure]) -> str:
    cells = [
        f"<td>{_element('span', figure.number, 'number')}<br>"
        f"{_element('span', figure.meaning, 'faint')}</td>"
        for figure in figures
    ]
    rows = (cells[at : at + _FIGURES_A_ROW] for at in range(0, len(cells), _FIGURES_A_ROW))
    inner = "</tr><tr>".join("".join(row) for row in rows)
    return f'<table class="figures" {_WIDE} cellpadding="6"><tr>{inner}</tr></table>'


def _block(block: report.Block, pictures: Iterator[str]) -> str:
    match block:
        case report.Heading(text=text, is_estimate=is_estimate):
            mark = ' <span class="faint">estimate</span>' if is_estimate else ""
            markup = f"<h3>{xml_text(text)}{mark}</h3>"
        case report.Note(text=text):
            markup = _element("p", text, "note")
        case report.Points(texts=texts):
            markup = f"<ul>{''.join(_element('li', text) for text in texts)}</ul>"
        case report.Pairs(items=pairs):
            rows = "".join(
                f'<tr><td class="term" width="16%">{xml_text(term)}</td>{_element("td", told)}</tr>'
                for term, told in pairs
            )
            markup = f'<table class="terms" {_WIDE} cellpadding="1">{rows}</table>'
        case report.Code(text=text):
            markup = _element("pre", text)
        case report.Picture(title=title):
            markup = f"{_element('h2', title, 'new-page')}<p>{next(pictures)}</p>"
        case report.Table():
            markup = _table(block)
    return markup


def _table(table: report.Table) -> str:
    head = "".join(_cell("th", column, column.title) for column in table.columns)
    rows = (
        "".join(
            _cell("td", column, column.text(cell))
            for column, cell in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    )
    body = "".join(f"<tr>{row}</tr>\n" for row in rows)
    return (
        f'<table class="rows" {_WIDE} cellpadding="0">'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"
    )


def _cell(tag: str, column: report.Column, text: str) -> str:
    side = "right" if column.is_number else "left"
    kind = ' class="whole"' if len(text) <= _WHOLE_LETTERS else ""
    return f'<{tag} align="{side}"{kind}>{xml_text(text)}</{tag}>'
