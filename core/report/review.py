"""What those who review are shown, whatever made it: a comment, a test report, annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import Frozen
from core.base.harmless import markdown_text, visible, xml_text
from core.report.judgements import HEADERS, Judgement, worst_first
from core.report.tables import Listing, Row
from core.report.words import counted

_MOST_JUDGED = 60
_MOST_ROWS = 10
"""A comment in a pull request is read, and no longer than so many of what is judged and told."""


class Review(Frozen):
    """A headline, what is told below it, what was demanded, and tables with what is worst first."""

    headline: str
    remarks: tuple[str, ...] = ()
    judged: tuple[Judgement, ...] = ()
    tables: tuple[tuple[str, Listing], ...] = ()


def markdown(review: Review) -> str:
    """The review for a comment: short, by the first rows of each table."""
    lines = [f"### Reefpoint: {markdown_text(review.headline)}", ""]
    lines += [f"- {markdown_text(text)}" for text in review.remarks if text]
    if review.judged:
        lines += [""] * bool(review.remarks) + list(_judged(review.judged))
    for title, listing in review.tables:
        found = listing.of_used()
        if found.rows:
            lines += ["", f"**{markdown_text(title)}**", "", *_rows(found, _MOST_ROWS)]
    return "\n".join(lines) + "\n"


def _judged(judged: Sequence[Judgement]) -> Iterator[str]:
    """Signs are put beside what is the others' text, which has none that Markdown knows."""
    signs = {True: "\N{WHITE HEAVY CHECK MARK}", False: "\N{CROSS MARK}"}
    rows = [(signs[each.holds], each.model, each.limit, each.found) for each in worst_first(judged)]
    return _rows(Listing(HEADERS, rows), _MOST_JUDGED)


def _rows(listing: Listing, most: int) -> Iterator[str]:
    yield _row(listing.headers)
    yield f"{'|-' * len(listing.headers)}|"
    yield from map(_row, listing.rows[:most])
    if len(listing.rows) > most:
        yield f"\n{counted(len(listing.rows) - most, 'row')} more"


def _row(cells: Row) -> str:
    texts = ("" if cell is None else markdown_text(str(cell)) for cell in cells)
    return f"| {' | '.join(texts)} |"


def junit(review: Review) -> str:
    """What was demanded as JUnit's XML: a suite for each model, a case for each limit."""
    judged = review.judged
    broken = sum(not each.holds for each in judged)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="reefpoint" tests="{len(judged)}" failures="{broken}">\n'
        + "".join(_suites(judged))
        + "</testsuites>\n"
    )


def _suites(judged: Sequence[Judgement]) -> Iterator[str]:
    for model in dict.fromkeys(each.model for each in judged):
        own = [each for each in judged if each.model == model]
        broken = sum(not each.holds for each in own)
        name = xml_text(model)
        yield f'<testsuite name="{name}" tests="{len(own)}" failures="{broken}">\n'
        for each in own:
            yield f'<testcase classname="{name}" name="{xml_text(each.limit)}">'
            if not each.holds:
                yield f'<failure message="{xml_text(each.found)}"/>'
            yield "</testcase>\n"
        yield "</testsuite>\n"


def runner_lines(review: Review, file: str) -> Iterator[str]:
    """Lines by which GitHub's runner marks a file where something does not hold."""
    for each in review.judged:
        if not each.holds:
            title = _of_a_command(f"{each.model}: {each.limit}", ":,")
            place = _of_a_command(file, ":,")
            yield f"::error file={place},title={title}::{_of_a_command(each.found)}"


def _of_a_command(text: str, more: str = "") -> str:
    """Text that ends no part of a command."""
    text = visible(text).replace("%", "%25")
    for sign in more:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
