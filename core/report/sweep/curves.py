"""What a sweep says of a limit: one curve for each model, target and way to search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple
from core.ir.sweep import Cell, Totals

CLIFF = 1.25
"""One step of the limit costs so many times the cycles, or more."""


class Curve(Frozen):
    """Cells that differ in the limit alone, from the lowest on; those without figures left out."""

    model: str
    target: str
    choice: str
    cells: tuple[Cell, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        """Limits with what is had there."""
        return tuple(
            Point(cell.settings.limit_bytes, cell.outcome.totals, cell)
            for cell in self.cells
            if cell.outcome.totals is not None
        )

    @property
    def cliffs(self) -> tuple[Step, ...]:
        """Steps to a lower limit that cost much."""
        return tuple(step for step in self._steps if step.ratio >= CLIFF)

    @property
    def setbacks(self) -> tuple[Step, ...]:
        """Steps on which more memory costs cycles."""
        return tuple(step for step in self._steps if step.ratio < 1)

    @property
    def _steps(self) -> tuple[Step, ...]:
        # Above its limit a schedule is not what the limit gives.
        fitting = [point for point in self.points if not point.totals.excess_bytes]
        return tuple(Step(low, high) for low, high in pairwise(fitting))


class Point(NamedTuple):
    """A limit with the figures that it leads to."""

    limit_bytes: int
    totals: Totals
    cell: Cell


class Step(NamedTuple):
    """From a limit to the next higher one."""

    low: Point
    high: Point

    @property
    def ratio(self) -> float:
        """Cycles with the lower limit for each one with the higher."""
        least = self.high.totals.cycles
        return self.low.totals.cycles / least if least else 1.0


def curves(cells: Iterable[Cell]) -> tuple[Curve, ...]:
    """All curves, in the order of a sweep's file."""
    return tuple(
        Curve(
            model=model,
            target=target,
            choice=choice,
            cells=tuple(sorted(group, key=lambda cell: cell.settings.limit_bytes)),
        )
        for (model, _, target, choice, _, _), group in groupby(sorted(cells, key=_key), key=_key)
    )


def _key(cell: Cell) -> tuple[str, str, str, str, str, tuple[str, ...]]:
    settings = cell.settings
    return (
        cell.model.name,
        cell.model.digest,
        settings.target_name,
        settings.choice_name,
        settings.reefpoint,
        _without_limit(settings.words),
    )


def _without_limit(words: Sequence[str]) -> tuple[str, ...]:
    at = words.index(_LIMIT) if _LIMIT in words else len(words)
    return (*words[:at], *words[at + 2 :])


_LIMIT = "--arena-cache-size"
RANKS = {
    "cycles": "cycles",
    "time": "seconds",
    "sram": "fast_bytes",
    "evictions": "evicted_bytes",
    "dram": "dram_moved_bytes",
    "cpu": "cpu_ops",
}
"""What cells can be ranked by, and the figure that is meant."""


def parse_rank(text: str) -> tuple[str, ...]:
    """Names of figures, what matters most first."""
    names = tuple(part.strip() for part in text.split(","))
    for name in names:
        if name not in RANKS:
            raise OptionError.unknown("figure to rank by", name, RANKS)
    return names


def ranked(cells: Iterable[Cell], names: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    """For each model, cells within their limits, the best first; ties go on to the next figure."""

    def figures(cell: Cell) -> tuple[float, ...]:
        return tuple(getattr(cell.outcome.totals, RANKS[name]) for name in names)

    fitting = [
        cell
        for cell in cells
        if cell.outcome.totals is not None and not cell.outcome.totals.excess_bytes
    ]
    by_model = groupby(sorted(fitting, key=_model), key=_model)
    return tuple(
        tuple(sorted(group, key=lambda cell: (figures(cell), cell.settings.limit_bytes)))
        for _, group in by_model
    )


def _model(cell: Cell) -> tuple[str, str]:
    return cell.model.name, cell.model.digest
