"""A sweep as a report: what is best, what limits cost, what went wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from core.ir.sweep import Cell, Verdict
from core.report.page import document as page
from core.report.sweep.curves import Curve, Step, curves, ranked
from core.report.sweep.guides import guides
from core.report.sweep.plots import plot
from core.report.words import Count, counted, kib_text, seconds_text
from core.target.boards import Board

_MOST_PICTURES = 60
_MOST_RANKED = 10
_MOST_ROWS = 5_000
_RANK_HEADERS = (
    *("rank", "model", "target", "limit", "search", "cycles", "time"),
    *("fast storage", "evicted", "DRAM traffic", "on the CPU"),
)
_CELL_HEADERS = (
    *("model", "target", "search", "limit", "verdict", "cycles", "time"),
    *("fast storage", "evicted", "cascades", "error"),
)


def document_of(
    name: str, cells: Iterable[Cell], rank: Sequence[str], boards: Sequence[Board] = ()
) -> page.Document:
    """What a sweep's file says; `rank` names the figures that matter, the first one most."""
    found = tuple(cells)
    lines = curves(found)
    models = {cell.model.digest for cell in found}
    targets = {cell.settings.target_name for cell in found}
    verdicts = Counter(cell.outcome.verdict for cell in found)
    return page.Document(
        title=f"{name}: sweep",
        kicker="Sweep report",
        model=name,
        subtitle=f"{counted(len(models), 'model')}, {counted(len(targets), 'target')},"
        f" {counted(len(lines), 'curve')}, {counted(len(found), 'cell')}",
        verdict=_verdict(len(found), verdicts),
        figures=tuple(
            page.KeyFigure(name=verdict.value, number=f"{verdicts[verdict]:,}", meaning=meaning)
            for verdict, meaning in _MEANINGS.items()
        ),
        sections=(
            _ranking(found, rank),
            _pictures(lines, boards),
            _steps(lines),
            _cells(found),
        ),
        foot="Figures are those of the cost model; how long cells took is in the sweep's file.",
    )


_MEANINGS = {
    Verdict.FITS: "cells within their limit",
    Verdict.EXCEEDS: "cells that need more than the limit",
    Verdict.DIFFERS: "compiled models that compute something else",
    Verdict.REFUSED: "cells without a schedule",
}


def _verdict(count: int, verdicts: Counter[Verdict]) -> page.Verdict:
    bad = sum(verdicts[each] for each in (Verdict.DIFFERS, Verdict.REFUSED, Verdict.LOST))
    headline = f"{counted(bad, 'cell')} of {count:,} without a result" if bad else "All cells done"
    return page.Verdict(headline=headline, is_over=bad > 0, meters=(), advice=())


def _ranking(cells: Sequence[Cell], rank: Sequence[str]) -> page.Section:
    rows = [
        (place, *_where(cell), *_figures(cell))
        for best in ranked(cells, rank)
        for place, cell in enumerate(best[:_MOST_RANKED], 1)
    ]
    note = page.Note(
        text=f"Cells within their limit, by {', then '.join(rank)}; the first of each model."
    )
    table = page.table("ranking-table", _RANK_HEADERS, rows)
    return page.Section(name="ranking", title="Ranking", blocks=(note, table) if rows else (note,))


def _where(cell: Cell) -> tuple[object, ...]:
    settings = cell.settings
    limit = Count(settings.limit_bytes)
    return cell.model.name, settings.target_name, limit, settings.choice_name


def _figures(cell: Cell) -> tuple[object, ...]:
    totals = cell.outcome.totals
    if totals is None:
        return (None,) * 6
    return (
        Count(round(totals.cycles)),
        seconds_text(totals.seconds),
        Count(totals.fast_bytes),
        Count(totals.evicted_bytes),
        Count(round(totals.dram_moved_bytes)),
        totals.cpu_ops,
    )


def _pictures(lines: Sequence[Curve], boards: Sequence[Board]) -> page.Section:
    groups = [
        (f"{model}, {target}", tuple(group))
        for (model, target), group in groupby(lines, key=lambda line: (line.model, line.target))
    ]
    blocks: list[page.Block] = [
        page.Note(
            text="Each line holds up to the next limit that was swept. Hollow points need more than"
            " their limit; marks are steps that cost 25 % and more (cliff), and those on which more"
            " memory costs cycles (slower)."
        )
    ]
    blocks += [
        page.Picture(title=title, content=plot(group, guides(group, boards)))
        for title, group in groups[:_MOST_PICTURES]
    ]
    if boards:
        told = [f"{board.title}: {kib_text(board.sram_bytes)} ({board.source})" for board in boards]
        blocks.append(page.Points(texts=tuple(told)))
    if len(groups) > _MOST_PICTURES:
        blocks.append(page.Note(text=f"{len(groups) - _MOST_PICTURES:,} more are not drawn."))
    return page.Section(name="limits", title="Over the limit", blocks=tuple(blocks))


def _steps(lines: Sequence[Curve]) -> page.Section:
    cliffs = [_told(line, step) for line in lines for step in line.cliffs]
    setbacks = [_told(line, step) for line in lines for step in line.setbacks]
    return page.Section(
        name="steps",
        title="Cliffs, and memory that costs",
        blocks=(
            page.Heading(text=counted(len(cliffs), "cliff")),
            page.Points(texts=tuple(cliffs[:_MOST_ROWS])),
            page.Heading(
                text=f"{counted(len(setbacks), 'step')} on which more memory costs cycles"
            ),
            page.Points(texts=tuple(setbacks[:_MOST_ROWS])),
        ),
    )


def _told(line: Curve, step: Step) -> str:
    low, high = step
    return (
        f"{line.model}, {line.target}, {line.choice}: {kib_text(low.limit_bytes)} takes"
        f" {low.totals.cycles:,.0f} cycles, {kib_text(high.limit_bytes)} {high.totals.cycles:,.0f}"
    )


def _cells(cells: Sequence[Cell]) -> page.Section:
    rows = [_cell_row(cell) for cell in cells[:_MOST_ROWS]]
    blocks: tuple[page.Block, ...] = (page.table("cell-table", _CELL_HEADERS, rows),)
    if len(cells) > _MOST_ROWS:
        text = f"{len(cells) - _MOST_ROWS:,} more are in the sweep's file and its CSV."
        blocks = (*blocks, page.Note(text=text))
    return page.Section(name="cells", title="Cells", blocks=blocks)


def _cell_row(cell: Cell) -> tuple[object, ...]:
    model, target, limit, choice = _where(cell)
    verdict, totals = cell.outcome.verdict.value, cell.outcome.totals
    if totals is None:
        return (model, target, choice, limit, verdict, *(None,) * 5, cell.outcome.error)
    return (
        *(model, target, choice, limit, verdict),
        Count(round(totals.cycles)),
        seconds_text(totals.seconds),
        Count(totals.fast_bytes),
        Count(totals.evicted_bytes),
        totals.cascades,
        cell.outcome.error,
    )
