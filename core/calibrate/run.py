"""From measurements to a board: the figures that they tell, and how well they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.base.errors import OptionError
from core.base.frozen import Frozen, replace
from core.base.progress import SILENT, Progress
from core.calibrate.case import Case, PortCheck
from core.calibrate.choice import Choice, Fit, Fitting, choose
from core.calibrate.figures import Figure, Figures, external_port, in_whole
from core.calibrate.trials import Trials
from core.target.family import Family
from core.target.target import SystemConfig

MOST_MEASUREMENTS = 20
MOST_ERROR = 0.1
"""Above which a fit is none."""
MOST_TRAFFIC_ERROR = 0.25
"""Between bytes counted and priced: where it is more, another program was measured."""
_MARGINS = 2.0
"""So far may a figure be off, once in 20 times more."""
_LEAST_COUNTED_BYTES = 1 << 14
"""Below which counts say nothing: the processor's own are among them."""


class Fitted(Frozen):
    """A figure that the measurements tell."""

    figure: Figure
    assumed: float
    value: float
    share: float
    """Of the value: how far it may be off, others making up for it."""
    low: float
    high: float
    """Between which values it may be."""
    bounds: tuple[float, float]

    @property
    def is_at_bound(self) -> bool:
        """Whether it is the least or most that there can be."""
        least, most = self.bounds
        return not 1.001 * least < self.value < 0.999 * most

    @property
    def open_ends(self) -> tuple[float, ...]:
        """Bounds as far as which any value fits as well."""
        ends = zip((self.low, self.high), self.bounds, strict=True)
        return () if self.is_at_bound else tuple(end for end, bound in ends if end == bound)


class Kept(Frozen):
    """A figure that stays as it was assumed, and between which values it may be."""

    figure: Figure
    value: float
    low: float
    high: float
    is_open: bool
    """Whether nothing that was measured depends on it."""


class Row(Frozen):
    """A measurement, and the estimates before and after."""

    name: str
    measured_cycles: float
    assumed_cycles: float
    fitted_cycles: float
    left_out_cycles: float | None
    """By the fit to all others; None where there is no other."""
    checks: tuple[PortCheck, ...]

    def error(self, cycles: float) -> float:
        """How far an estimate is off."""
        return cycles / self.measured_cycles - 1


class Misfit(Frozen):
    """The measurement without which the others agree best."""

    row: int
    error: float
    """Mean of the others, fitted on their own."""


class Calibration(Frozen):
    """What was found."""

    system: SystemConfig
    family: Family
    fitted: tuple[Fitted, ...]
    kept: tuple[Kept, ...]
    others: tuple[tuple[tuple[Figure, float], ...], ...]
    """Other figures with values that fit as well, those that are fitted being as assumed."""
    rows: tuple[Row, ...]
    misfit: Misfit | None
    """Where the fit does not hold."""

    @property
    def holds(self) -> bool:
        """Whether it is one to go by."""
        return self.misfit is None

    def mean_error(self, cycles: Sequence[float | None]) -> float | None:
        """Of estimates, one for each row; None where one is missing."""
        pairs = list(zip(self.rows, cycles, strict=True))
        if any(each is None for each in cycles):
            return None
        return float(np.mean([abs(row.error(each or 0.0)) for row, each in pairs]))

    @property
    def errors(self) -> tuple[float, float, float | None]:
        """Mean errors before, after, and of each measurement by the fit to all others."""
        rows = self.rows
        before = self.mean_error([row.assumed_cycles for row in rows])
        after = self.mean_error([row.fitted_cycles for row in rows])
        assert before is not None
        assert after is not None
        return before, after, self.mean_error([row.left_out_cycles for row in rows])


def calibrate(
    cases: Sequence[Case], system: SystemConfig, progress: Progress = SILENT
) -> Calibration:
    """The board on which the programs take what was measured, from an assumed one."""
    figures = _figures(cases, _clocked(system, cases))
    trials = Trials(figures, cases, progress)
    every = range(len(cases))
    error = figures.family.estimate_error
    choice = choose(Fitting(figures, trials, every), len(cases), error)
    fit, values = choice.fit, choice.values
    left_out = [_without(figures, trials, fit, row) for row in every]
    assumed, fitted = trials.cycles(figures.start), trials.cycles(values)
    found = figures.system_with(values)
    rows = tuple(
        Row(
            name=case.name,
            measured_cycles=float(trials.measured[at]),
            assumed_cycles=float(assumed[at]),
            fitted_cycles=float(fitted[at]),
            left_out_cycles=None if other is None else float(trials.cycles(other.values)[at]),
            checks=tuple(case.checks(found)),
        )
        for at, (case, other) in enumerate(zip(cases, left_out, strict=True))
    )
    return Calibration(
        system=found,
        family=figures.family,
        fitted=_fitted(figures, choice),
        kept=_kept(figures, choice),
        others=tuple(_told(each) for each in choice.others),
        rows=rows,
        misfit=_misfit(rows, left_out, trials, error),
    )


def _figures(cases: Sequence[Case], system: SystemConfig) -> Figures:
    """What can be fitted; an OptionError where the measurements are not of one board."""
    if not 1 <= len(cases) <= MOST_MEASUREMENTS:
        raise OptionError(f"there are {len(cases)} measurements; 1 to {MOST_MEASUREMENTS} are used")
    families = {case.accelerator.family.name: case for case in cases}
    if len(families) > 1:
        raise OptionError(f"{' and '.join(families)} are not on one board: calibrate each alone")
    ports = [external_port(system, case.mode) for case in cases]
    external = next((port for port in ports if port is not None), None)
    return Figures(system=system, family=cases[0].accelerator.family, external=external)


def _clocked(system: SystemConfig, cases: Sequence[Case]) -> SystemConfig:
    """The system at the clock that measurements name; an OptionError where they name several."""
    clocks = {case.measured.clock_hz for case in cases} - {None}
    if len(clocks) > 1:
        raise OptionError("the measurements name several clocks: calibrate each alone")
    return replace(system, core_clock_hz=next(iter(clocks), None) or system.core_clock_hz)


def _without(figures: Figures, trials: Trials, fit: Fit, row: int) -> Fit | None:
    """The same figures fitted to all other measurements, from what was assumed."""
    others = [each for each in range(len(trials.measured)) if each != row]
    trials.step()
    return Fitting(figures, trials, others).refit(fit) if others else None


def _told(fit: Fit) -> tuple[tuple[Figure, float], ...]:
    values = in_whole(fit.values)
    return tuple((figure, values[figure]) for figure in fit.figures)


def _fitted(figures: Figures, choice: Choice) -> tuple[Fitted, ...]:
    fit, values = choice.fit, choice.values
    slopes = fit.rest.slopes
    spread = np.sqrt(np.diag(np.linalg.pinv(slopes.T @ slopes)) * choice.scatter)
    found = []
    for figure, place, off in zip(fit.figures, fit.rest.place, spread, strict=True):
        low, high = choice.reaches[figure]
        least, most = figures.bounds(figure)
        share = float(off / place) if place else math.inf
        margin = _MARGINS * share * values[figure] if math.isfinite(share) else 0.0
        found.append(
            Fitted(
                figure=figure,
                assumed=figures.start[figure],
                value=values[figure],
                share=share,
                low=max(min(low, values[figure] - margin), least),
                high=min(max(high, values[figure] + margin), most),
                bounds=(least, most),
            )
        )
    return tuple(found)


def _kept(figures: Figures, choice: Choice) -> tuple[Kept, ...]:
    found = []
    for figure in figures.all:
        if figure not in choice.fit.figures:
            low, high = choice.reaches[figure]
            found.append(
                Kept(
                    figure=figure,
                    value=figures.start[figure],
                    low=low,
                    high=high,
                    is_open=(low, high) == figures.bounds(figure),
                )
            )
    return tuple(found)


def _misfit(
    rows: Sequence[Row], left_out: Sequence[Fit | None], trials: Trials, error: float
) -> Misfit | None:
    """None where the fit holds: in the mean, for each, and in what was counted at ports."""
    errors = np.array([abs(row.error(row.fitted_cycles)) for row in rows])
    strange = next((at for at, row in enumerate(rows) if is_other_program(row)), None)
    # One of a family whose estimate is off by so much in the mean may be off by twice that.
    most = max(MOST_ERROR, 2 * error)
    if errors.mean() <= MOST_ERROR and errors.max() <= most and strange is None:
        return None
    rests = [_error_of_others(trials, fit, at) for at, fit in enumerate(left_out)]
    if strange is None:
        strange = int(np.argmin(rests)) if len(rows) > 2 else int(np.argmax(errors))
    return Misfit(row=strange, error=rests[strange])


def is_other_program(row: Row) -> bool:
    """Whether another program seems to have been measured, by the bytes at a port."""
    return any(map(is_off, row.checks))


def is_off(check: PortCheck) -> bool:
    """Whether counted and priced bytes differ by more than any error of the estimate."""
    if max(check.counted_bytes, check.priced_bytes) < _LEAST_COUNTED_BYTES:
        return False
    low, high = sorted((check.counted_bytes, check.priced_bytes))
    return high > low * (1 + MOST_TRAFFIC_ERROR)


def _error_of_others(trials: Trials, fit: Fit | None, row: int) -> float:
    if fit is None:
        return 0.0
    errors = np.abs(trials.cycles(fit.values) / trials.measured - 1)
    return float(np.delete(errors, row).mean())
