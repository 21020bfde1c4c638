"""A sweep as reviewers are shown it: what does not fit first, with the limit that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.ir.sweep import Cell, Verdict
from core.report.judgements import Judgement, verdict
from core.report.review import Review
from core.report.sweep.curves import Curve, curves, ranked
from core.report.tables import Listing
from core.report.words import Count, counted, kib_text, seconds_text

_FASTEST = ("model", "target", "searched by", "limit", "cycles", "time", "fast storage")
_CLIFFS = ("model", "target", "from", "to", "cycles")


def review_of(name: str, cells: Iterable[Cell]) -> Review:
    """Whether each cell fits; the fastest of each model, and cliffs that are near."""
    found = tuple(cells)
    lines = curves(found)
    judged = tuple(_judged(cell, line) for line in lines for cell in line.cells)
    return Review(
        headline=f"{name}: {counted(len(found), 'cell')}, {verdict(judged)}",
        judged=judged,
        tables=(("Fastest that fits", _fastest(found)), ("Cliffs", _cliffs(lines))),
    )


def _judged(cell: Cell, line: Curve) -> Judgement:
    asked = cell.settings
    return Judgement(
        model=cell.model.name,
        limit=f"{kib_text(asked.limit_bytes)}, {asked.target_name}, {asked.choice_name}",
        holds=cell.outcome.verdict is Verdict.FITS,
        found=_found(cell, line),
    )


def _found(cell: Cell, line: Curve) -> str:
    outcome = cell.outcome
    if outcome.totals is None:
        return ": ".join(filter(None, (outcome.verdict.value, outcome.error)))
    cycles = f"{outcome.totals.cycles:,.0f} cycles"
    if outcome.verdict is Verdict.FITS:
        return cycles
    if outcome.verdict is not Verdict.EXCEEDS:
        return f"{outcome.verdict.value}: {outcome.error}"
    fitting = [each.limit_bytes for each in line.points if not each.totals.excess_bytes]
    way = f"; {kib_text(min(fitting))} are enough" if fitting else ""
    return f"{outcome.totals.excess_bytes:,} bytes too many{way}"


def _fastest(cells: Iterable[Cell]) -> Listing:
    fitting = (cell for cell in cells if cell.outcome.verdict is Verdict.FITS)
    best = (group[0] for group in ranked(fitting, ("cycles", "sram")))
    rows = [
        (
            cell.model.name,
            cell.settings.target_name,
            cell.settings.choice_name,
            kib_text(cell.settings.limit_bytes),
            Count(round(totals.cycles)),
            seconds_text(totals.seconds),
            kib_text(totals.fast_bytes),
        )
        for cell in best
        if (totals := cell.outcome.totals) is not None
    ]
    return Listing(_FASTEST, rows)


def _cliffs(lines: Iterable[Curve]) -> Listing:
    return Listing(_CLIFFS, list(_steps(lines)))


def _steps(lines: Iterable[Curve]) -> Iterator[tuple[object, ...]]:
    for line in lines:
        for step in sorted(line.cliffs, key=lambda step: -step.ratio):
            limits = (kib_text(point.limit_bytes) for point in (step.high, step.low))
            yield (line.model, line.target, *limits, f"x {step.ratio:.2f}")
