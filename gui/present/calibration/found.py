"""What a calibration has found: a verdict, a table, points, sentences about figures; no Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from core.api import calibrations
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.sentences import capitalised
from core.ir.settings import Settings
from gui.present import units

HEADERS = ("Measurement", "Measured", "Before", "Off", "After", "Off", "Left out", "Off")
_MARGIN = 0.04
"""Of the range of points, beside them."""


class Cycles(float):
    """Cycles as a table has them."""

    __slots__ = ()

    def __str__(self) -> str:
        """With commas."""
        return units.count(float(self))


class Off(float):
    """How far an estimate is off."""

    __slots__ = ()

    def __str__(self) -> str:
        """With its sign."""
        return f"{float(self):+.1%}".replace("%", " %")


class FitSpot(NamedTuple):
    """A measurement and an estimate of it, from 0 to 1 in the plot."""

    x: float
    y: float
    is_after: bool
    is_wrong: bool
    tip: str


class Fit(Frozen):
    """All that is shown of it."""

    holds: bool
    heading: str
    sentences: tuple[str, ...]
    fitted: tuple[str, ...]
    """Figures that were found."""
    left: tuple[str, ...]
    """Figures that stay as they were assumed."""
    rows: tuple[tuple[object, ...], ...]
    spots: tuple[FitSpot, ...]
    ends: tuple[str, str]
    """The least and the most cycles of the plot."""


def fit_of(board: calibrations.Board) -> Fit:
    """A fit as it is shown."""
    found = board.found
    rows = found.rows
    low, high = _range(found)
    heading = "The measurements fit one board." if found.holds else "No board fits these."
    return Fit(
        holds=found.holds,
        heading=heading,
        sentences=tuple(map(_sentence, calibrations.verdict(found))),
        fitted=tuple(_sentence(calibrations.fitted_text(each)) for each in found.fitted),
        left=(
            *(_sentence(calibrations.kept_text(each)) for each in found.kept),
            *map(_sentence, calibrations.other_texts(found)),
        ),
        rows=tuple(map(_row, rows)),
        spots=tuple(_spots(found, low, high)),
        ends=(units.short(low), units.short(high)),
    )


def _sentence(line: str) -> str:
    return f"{capitalised(line)}{'' if line.endswith('?') else '.'}"


def _row(row: calibrations.Row) -> tuple[object, ...]:
    estimates = (row.assumed_cycles, row.fitted_cycles, row.left_out_cycles)
    told: list[object] = []
    for cycles in estimates:
        told += [None, None] if cycles is None else [Cycles(cycles), Off(row.error(cycles))]
    return (row.name, Cycles(row.measured_cycles), *told)


def _range(found: calibrations.Calibration) -> tuple[float, float]:
    values = [
        cycles
        for row in found.rows
        for cycles in (row.measured_cycles, row.assumed_cycles, row.fitted_cycles)
    ]
    low, high = max(min(values), 1.0), max(*values, 1.0)
    room = (high / low) ** _MARGIN if high > low else 1.1
    return low / room, high * room


def _spots(found: calibrations.Calibration, low: float, high: float) -> Iterator[FitSpot]:
    def place(cycles: float) -> float:
        return math.log(max(cycles, low) / low) / math.log(high / low)

    wrong = None if found.misfit is None else found.misfit.row
    for is_after in (False, True):
        for at, row in enumerate(found.rows):
            cycles = row.fitted_cycles if is_after else row.assumed_cycles
            when = "after" if is_after else "before"
            yield FitSpot(
                x=place(row.measured_cycles),
                y=place(cycles),
                is_after=is_after,
                is_wrong=at == wrong,
                tip=f"{row.name}: measured {units.count(row.measured_cycles)} cycles, estimate"
                f" {when} {units.count(cycles)} ({Off(row.error(cycles))})",
            )


def settings_with(settings: Settings, path: Path, name: str) -> Settings:
    """The settings that take a system config which was written; a CoreError says why they
    cannot."""
    kept = tuple(each for each in settings.configs if each != str(path))
    found = replace(settings, configs=(*kept, str(path)), system_config=name)
    found.target()
    return found
