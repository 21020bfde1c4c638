"""The whole page: what it shows as JSON, and the scripts and colours that show it."""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.api import comparisons, queries, reports
from core.api.comparisons import Account
from core.base.frozen import Frozen, NamedTuple
from core.base.harmless import to_json, xml_text
from core.base.ids import NpuOpId
from core.ir.scheduled import Scheduled
from gui.document.answer import Answer
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present import units
from gui.present.interactive import drawing, words
from gui.present.interactive.keys import key_of, selections
from gui.present.interactive.texts import Texts
from gui.present.operators.rules import KeptRules, rules_from
from gui.present.timeline.data import timeline_data
from gui.theme.tones import DARK, LIGHT, Theme

Json = dict[str, Any]
_PARTS = Path(__file__).parents[3] / "resources" / "interactive"
_SCRIPTS = ("query.js", "plot.js", "page.js")
_OPERATORS, _FACTS = "all-operators", "facts"
_STYLES = ("window", "base", "alternate", "control", "text", "faint_text", "grid", "accent")
_MORE_STYLES = ("accent_text", "danger", "good", "warning")


class Rival(NamedTuple):
    """What all schedules of the page are compared with."""

    account: Account
    scheduled: Scheduled | None
    """None where only its JSON is there, which has no times to draw."""


class Contents(Frozen):
    """What a page is made of."""

    name: str
    """What the model is called."""
    answers: tuple[Answer, ...]
    """From the one that takes least memory to the fastest."""
    asked: int
    """Which of them is shown first."""
    rival: Rival | None = None
    """Without it, schedules are compared with the one that was asked for."""
    rival_answer: Answer | None = None
    now: str = ""
    rules: KeptRules = ()
    """That colour what it shows."""


def render(contents: Contents) -> str:
    """The file."""
    texts = Texts()
    data = _data(contents, texts)
    data["texts"] = texts.all
    # No text can end the element that it is in.
    told = to_json(data).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    page = string.Template((_PARTS / "page.html").read_text("utf-8"))
    return page.substitute(
        title=xml_text(data["title"]),
        style=_colours() + (_PARTS / "page.css").read_text("utf-8"),
        data=told,
        script="\n".join((_PARTS / name).read_text("utf-8") for name in _SCRIPTS)
        + f"\nfunction sortable() {{\n{reports.SORTING}}}\n",
    )


def _colours() -> str:
    """Both palettes of the app as variables: what the system asks for, or what is chosen."""
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
        f":root[data-theme=light]{{color-scheme:light;{light}}}\n"
        f":root[data-theme=dark]{{color-scheme:dark;{dark}}}\n"
    )


def _variables(theme: Theme) -> str:
    names = (*_STYLES, *_MORE_STYLES)
    return ";".join(f"--{name.replace('_', '-')}:{getattr(theme, name)}" for name in names)


def _data(contents: Contents, texts: Texts) -> Json:
    asked = contents.answers[contents.asked]
    first = _report(contents, asked)
    rival = contents.rival or Rival(_account(asked, _choice_text(asked)), None)
    return {
        "title": first.title,
        "model": first.model,
        "foot": first.foot,
        "facts": list(_facts(first)),
        "themes": {theme.name: _inks(theme) for theme in (LIGHT, DARK)},
        "fields": {name: kind.__name__ for name, kind in queries.FIELDS.items()},
        "byteFields": sorted(queries.BYTE_FIELDS),
        "shareFields": sorted(queries.SHARE_FIELDS),
        "rules": [
            [rule.name, rule.text, rule.tone.value] for rule in rules_from(contents.rules).on
        ],
        "asked": contents.asked,
        "schedules": [
            _schedule(contents, answer, rival.account, texts) for answer in contents.answers
        ],
        "rival": _rival(contents, texts),
    }


def _rival(contents: Contents, texts: Texts) -> Json | None:
    """Times of A, where it has some of its own; else it is one of the schedules."""
    if contents.rival is None:
        return None
    title = texts(contents.rival.account.title)
    if contents.rival_answer is None:
        return {"title": title, "timeline": None}
    answer = contents.rival_answer
    return {"title": title, "timeline": drawing.timeline(answer, timeline_data(answer), texts)}


def _inks(theme: Theme) -> Json:
    return {tone.value: [*ink[:2], ink.pattern.value] for tone, ink in theme.inks.items()}


def _report(contents: Contents, answer: Answer) -> reports.document.Document:
    now = reports.ReportContents(now=contents.now or None, together=answer.together)
    return reports.report_of(contents.name, answer.scheduled, answer.analysis, now)


def _facts(report: reports.document.Document) -> Iterator[tuple[str, str]]:
    for section in report.sections:
        for block in section.blocks if section.name == _FACTS else ():
            if isinstance(block, reports.document.Pairs):
                yield from block.items


def _account(answer: Answer, title: str) -> Account:
    return comparisons.account_of_schedule(answer.scheduled, title)


def _choice_text(answer: Answer) -> str:
    """A schedule among the others, as the slider tells it."""
    scheduled = answer.scheduled
    fast = units.size(scheduled.layout.fast_area.height_bytes)
    return f"{fast}, {units.count(scheduled.total.total_cycles)} cycles"


def _schedule(contents: Contents, answer: Answer, rival: Account, texts: Texts) -> Json:
    data, report = timeline_data(answer), _report(contents, answer)
    maps = list(drawing.memories(answer, texts))
    areas = [area for area, _ in maps]
    verdict, chosen = report.verdict, list(selections(answer.scheduled))
    return {
        "title": texts(_choice_text(answer)),
        "subtitle": texts(report.subtitle),
        "verdict": [texts(verdict.headline), verdict.is_over, *map(texts, verdict.advice)],
        "meters": [
            [texts(meter.text), meter.required_bytes, meter.limit_bytes] for meter in verdict.meters
        ],
        "figures": [[texts(each.number), texts(each.meaning)] for each in report.figures],
        "timeline": drawing.timeline(answer, data, texts),
        "maps": [told for _, told in maps],
        "marks": {key_of(each): drawing.marks(answer, data, areas, each) for each in chosen},
        "why": {
            key_of(each): words.why(answer, each, texts) for each in (NOTHING_SELECTED, *chosen)
        },
        "things": words.things(answer, texts),
        "operators": _operators(report, texts),
        "comparison": _comparison(answer, rival, texts),
    }


def _operators(report: reports.document.Document, texts: Texts) -> Json:
    for section in report.sections:
        for block in section.blocks if section.name == _OPERATORS else ():
            if isinstance(block, reports.document.Table):
                return _table(block, list(_row_keys(block)), texts)
    return _table(reports.document.table("", (), ()), (), texts)


def _row_keys(operators: reports.document.Table) -> Iterator[str]:
    """What a row of the table of operators stands for: those of the CPU have no number."""
    cpu = 0
    for row in operators.rows:
        if isinstance(row[0], int):
            yield key_of(Selection(op=NpuOpId(row[0])))
        else:
            yield key_of(Selection(cpu_op=cpu))
            cpu += 1


def _table(table: reports.document.Table, keys: Sequence[str], texts: Texts) -> Json:
    """A table as reports write it, and what each row selects."""
    columns = table.columns
    return {
        "columns": [[texts(column.title), column.is_number] for column in columns],
        "rows": [
            [texts(column.text(cell)) for column, cell in zip(columns, row, strict=True)]
            for row in table.rows
        ],
        "keys": list(map(texts, keys)),
    }


def _comparison(answer: Answer, rival: Account, texts: Texts) -> Json:
    """What differs from A, in the tables of `compare`."""
    found = comparisons.compare(rival, _account(answer, _choice_text(answer)))
    pairs = comparisons.tables.by_size(found)
    # Those of B alone have a place in the other views.
    numbers = [pair.b.numbers[0] if pair.b is not None else None for pair in pairs]
    keys = ["" if each is None else key_of(Selection(op=NpuOpId(each))) for each in numbers]
    return {
        "a": texts(rival.title),
        "headline": texts(comparisons.words.headline(found)),
        "isEqual": found.is_equal,
        "tables": [
            {"title": texts(title)}
            | _table(
                reports.document.table("", *listing),
                keys if title == "Operators" else [""] * len(listing.rows),
                texts,
            )
            for title, make in comparisons.tables.TABLES.items()
            if (listing := make(found)).rows
        ],
    }
