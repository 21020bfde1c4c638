"""What was demanded of models, and whether it is so: for people, pull requests and test reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.base.frozen import Frozen
from core.base.harmless import markdown_text, visible, xml_text
from core.report.tables import Listing
from core.report.words import counted

HEADERS = ("", "model", "limit", "found")
_MOST_ROWS = 60
"""A comment in a pull request is read, and no longer than so many."""


class Judgement(Frozen):
    """One limit of one model."""

    model: str
    limit: str
    holds: bool
    found: str
    """The figure, or why there is none."""


def worst_first(all_of_them: Sequence[Judgement]) -> list[Judgement]:
    """Those that do not hold, then the others, each in their order."""
    return sorted(all_of_them, key=lambda each: each.holds)


def verdict(all_of_them: Sequence[Judgement]) -> str:
    """All of them in a line."""
    broken = sum(not each.holds for each in all_of_them)
    total = counted(len(all_of_them), "limit")
    return f"{broken} of {total} not met" if broken else f"{total} met"


def render(all_of_them: Sequence[Judgement]) -> str:
    """A table for a terminal, and the line."""
    rows = [
        ("ok" if each.holds else "FAILS", each.model, each.limit, each.found)
        for each in worst_first(all_of_them)
    ]
    return f"{Listing(HEADERS, rows).text(ends_whole=True)}\n\n{verdict(all_of_them)}\n"


def markdown(all_of_them: Sequence[Judgement]) -> str:
    """The same for a comment."""
    lines = (f"### Reefpoint: {verdict(all_of_them)}", "", *table_lines(all_of_them))
    return "\n".join(lines) + "\n"


def table_lines(all_of_them: Sequence[Judgement]) -> Iterator[str]:
    """The table as Markdown."""
    yield f"| {' | '.join(HEADERS)} |"
    yield f"{'|-' * len(HEADERS)}|"
    found = worst_first(all_of_them)
    for each in found[:_MOST_ROWS]:
        sign = "\N{WHITE HEAVY CHECK MARK}" if each.holds else "\N{CROSS MARK}"
        cells = map(markdown_text, (each.model, each.limit, each.found))
        yield f"| {sign} | {' | '.join(cells)} |"
    if len(found) > _MOST_ROWS:
        yield f"\n{counted(len(found) - _MOST_ROWS, 'row')} more"


def junit(all_of_them: Sequence[Judgement]) -> str:
    """The same as JUnit's XML: a suite for each model, a case for each limit."""
    broken = sum(not each.holds for each in all_of_them)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="reefpoint" tests="{len(all_of_them)}" failures="{broken}">\n'
        + "".join(_suites(all_of_them))
        + "</testsuites>\n"
    )


def _suites(all_of_them: Sequence[Judgement]) -> Iterator[str]:
    for model in dict.fromkeys(each.model for each in all_of_them):
        own = [each for each in all_of_them if each.model == model]
        broken = sum(not each.holds for each in own)
        name = xml_text(model)
        yield f'<testsuite name="{name}" tests="{len(own)}" failures="{broken}">\n'
        for each in own:
            yield f'<testcase classname="{name}" name="{xml_text(each.limit)}">'
            if not each.holds:
                yield f'<failure message="{xml_text(each.found)}"/>'
            yield "</testcase>\n"
        yield "</testsuite>\n"


def runner_lines(all_of_them: Sequence[Judgement], file: str) -> Iterator[str]:
    """Lines by which GitHub's runner marks a file where something does not hold."""
    for each in all_of_them:
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
