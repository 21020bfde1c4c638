"""Runs as rows and as points; no Qt."""

from __future__ import annotations

from core.base.frozen import NamedTuple
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.document import Document
from gui.document.kept import Kept
from gui.document.runs import Settled, is_dominated
from gui.present import units
from gui.present.runs.comparison import full_title

COLUMNS = ("", "SRAM", "Cycles", "What was done", "When", "Name", "Verdict")
STAR, NAME = 0, 5
NUMBERS = frozenset({1, 2})


class RunRow(NamedTuple):
    """A run as the table shows it."""

    run: Settled
    texts: tuple[str, ...]
    is_shown: bool
    """It is what is shown now."""
    is_dominated: bool
    tip: str


def settled(answer: Answer, when: str, label: str) -> Settled:
    """What came of a document."""
    scheduled = answer.scheduled
    return Settled(
        document=answer.document,
        when=when,
        label=label or "open",
        cycles=scheduled.total.total_cycles,
        fast_bytes=scheduled.fast_bytes,
        evicted_bytes=scheduled.evicted_bytes,
        excess_bytes=scheduled.excess_bytes,
    )


def rows_of(runs: tuple[Settled, ...], document: Document, display: Display) -> tuple[RunRow, ...]:
    """A row for each, in their order; where all are of one day, that is only in their tips."""
    is_of_one_day = len({_day(run) for run in runs}) == 1
    return tuple(
        RunRow(
            run=run,
            texts=_texts(run, display, when=_time(run) if is_of_one_day else run.when),
            is_shown=run.document == document,
            is_dominated=is_dominated(run, runs),
            tip=f"{full_title(run.document)}\n{run.when}",
        )
        for run in runs
    )


def _day(run: Settled) -> str:
    return run.when.partition(" ")[0]


def _time(run: Settled) -> str:
    return run.when.partition(" ")[2]


def _texts(run: Settled, display: Display, *, when: str) -> tuple[str, ...]:
    verdict = "fits"
    if run.excess_bytes is None:
        verdict = "limit not told"
    elif run.excess_bytes:
        verdict = f"over by {units.size(run.excess_bytes, display.byte_unit)}"
    if run.evicted_bytes:
        verdict += f", {units.size(run.evicted_bytes, display.byte_unit)} evicted"
    return (
        "\N{BLACK STAR}" if run.is_starred else "\N{WHITE STAR}",
        units.size(run.fast_bytes, display.byte_unit),
        units.count(run.cycles),
        run.label,
        when,
        run.name,
        verdict,
    )


def kept_run(run: Settled) -> Kept:
    """A run as A; it is worked out again."""
    return Kept(title=run.name or full_title(run.document), document=run.document)


class Spot(NamedTuple):
    """A run in the plot, from 0 to 1 along both."""

    x: float
    y: float
    is_shown: bool
    is_dominated: bool
    tip: str


def spots_of(rows: tuple[RunRow, ...]) -> tuple[Spot, ...]:
    """Bytes over cycles, each from the least to the most of all runs."""
    cycles = [row.run.cycles for row in rows]
    sizes = [float(row.run.fast_bytes) for row in rows]
    return tuple(
        Spot(
            _part(row.run.cycles, cycles),
            _part(row.run.fast_bytes, sizes),
            row.is_shown,
            row.is_dominated,
            f"{', '.join(row.texts[column] for column in sorted(NUMBERS))} cycles\n{row.tip}",
        )
        for row in rows
    )


def _part(value: float, values: list[float]) -> float:
    least, most = min(values), max(values)
    return (value - least) / (most - least) if most > least else 0.5
