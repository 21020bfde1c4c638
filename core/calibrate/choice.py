"""Which figures the measurements tell: as few as there have to be.

A figure is left as it was assumed unless doing without it is worse than chance would be, by what
the measurements scatter about the fit, or by the error that the estimate is known to have. By the
same measure other figures fit as well, or other values of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from core.base.frozen import Frozen, replace
from core.calibrate.descent import Floats, Rest, Slope
from core.calibrate.figures import Figure, Figures, Values, in_whole, off_scale, on_scale
from core.calibrate.trials import Trials

_CHANCE = (161.4, 18.51, 10.13, 7.71, 6.61, 5.99, 5.59, 5.32, 5.12, 4.96)
"""By degrees of freedom, from 1 on: ratios of variances that chance exceeds once in 20 times."""
_MANY = 4.2
_CHANCE_OF_ERROR = 3.84
"""The same where the scatter is known."""

_NOTHING = 1e-7
"""Of a sum of squares: 0.03 % of one measurement."""
_ROUNDED = 4.0
"""Squares of a cycle: a price whose every command is rounded is off by two."""
_MOST_ROUNDED = 16.0
_HALVINGS = 10
_DIGITS = 3
"""In which boards are told, most of them."""
_JUMPED = 1000.0
"""Squares of a cycle: some thirty commands that have one less."""
_FAR_WORSE = 30.0
"""Sums of squares at places from which nothing better is found."""


class Fit(Frozen):
    """Some figures fitted, and all others as they were assumed."""

    figures: tuple[Figure, ...]
    values: Values
    rest: Rest

    @property
    def squares(self) -> float:
        """What is left."""
        return self.rest.squares


class Fitting:
    """Fits of some figures to some of the measurements, by shares of what was measured, or by
    cycles, as shares of the mean."""

    def __init__(
        self, figures: Figures, trials: Trials, rows: Sequence[int], *, by_cycles: bool = False
    ) -> None:
        self.figures = figures
        self._trials = trials
        self._rows = list(rows)
        self._measured = measured = trials.measured[self._rows]
        self._units = np.full_like(measured, measured.mean()) if by_cycles else measured
        self.rounding = float(np.mean(self._units**-2.0))
        """The square of a cycle, in the mean of all measurements."""

    def by_cycles(self) -> Fitting:
        """The same where what is rounded is all that is off: as much of each."""
        return Fitting(self.figures, self._trials, self._rows, by_cycles=True)

    def again(self, fit: Fit) -> Fit:
        """The figures of a fit, from where it ended."""
        return self._descend(fit.figures, fit.values)

    @property
    def enough(self) -> float:
        """What is left where a cycle is left of each measurement."""
        return len(self._rows) * self.rounding

    def fit(self, chosen: Sequence[Figure], *starts: Values) -> Fit:
        """The best of what is found from these places and the best of a grid; those that are far
        worse are left out."""
        chosen = tuple(chosen)
        places = (*starts, min(self._grids(chosen), key=self._squares))
        most = _FAR_WORSE * min(map(self._squares, places)) + _NOTHING
        near = [place for place in places if self._squares(place) <= most]
        return self._best(chosen, near)

    def fit_widely(self, chosen: Sequence[Figure], *starts: Values) -> Fit:
        """The same from the best of these places with one figure elsewhere too: no slope leads from
        a slow memory to one that is far away, nor over the latency from which one is felt."""
        near = min(starts, key=self._squares)
        moved = [
            dict(near) | {figure: level}
            for figure in chosen
            for level in self.figures.levels(figure)
            if level != near[figure]
        ]
        return self._best(tuple(chosen), [*starts, *sorted(moved, key=self._squares)])

    def _best(self, chosen: tuple[Figure, ...], places: Sequence[Values]) -> Fit:
        fits: list[Fit] = []
        for place in places:
            fits.append(self._descend(chosen, place))
            if fits[-1].squares < self.enough:
                break
        return min(fits, key=lambda fit: fit.squares)

    def refit(self, fit: Fit) -> Fit:
        """The figures of a fit, from what is assumed: what no row tells stays there. The fit itself
        is the start only where that ends far from it."""
        own, warm = self.fit(fit.figures), self._descend(fit.figures, fit.values)
        return own if own.squares <= 2 * warm.squares + _NOTHING else warm

    def all_fits(self, most: int) -> Iterator[list[Fit]]:
        """The fits of all choices of so many figures, from none on."""
        figures = self.figures.all
        known: dict[tuple[Figure, ...], Fit] = {}
        most = min(len(figures), most)
        for count in range(most + 1):
            fit = self.fit if count < most else self.fit_widely
            fits = []
            for chosen in itertools.combinations(figures, count):
                # Fits of one figure less have come near already.
                fewer = [known[each] for each in known if {*each} < {*chosen}][-count:]
                starts = [each.values for each in fewer]
                fits.append(fit(chosen, *starts, *_merged(chosen, fewer)))
                self._trials.step()
            known |= {fit.figures: fit for fit in fits}
            yield fits
            if min(fit.squares for fit in fits) < self.enough:
                return

    def reach(self, values: Values, figure: Figure, chance: float) -> tuple[float, float]:
        """Values of a figure between which, all others as they are, hardly more is left."""
        low, high = self.figures.bounds(figure)
        most = self._squares(values) + chance
        return self._until(values, figure, low, most), self._until(values, figure, high, most)

    def _until(self, values: Values, figure: Figure, end: float, most: float) -> float:
        """The furthest value on the way to another where no more is left."""

        def holds(value: float) -> bool:
            return self._squares(dict(values) | {figure: value}) <= most

        if holds(end):
            return end
        near, far = on_scale(figure, values[figure]), on_scale(figure, end)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if holds(off_scale(figure, middle)) else (near, middle)
        return off_scale(figure, near)

    def _grids(self, chosen: tuple[Figure, ...]) -> list[Values]:
        levels = [self.figures.levels(figure) for figure in chosen]
        return [
            self.figures.start | dict(zip(chosen, values, strict=True))
            for values in itertools.product(*levels)
        ]

    def _squares(self, values: Values) -> float:
        left = self._residuals(values)
        return float(left @ left)

    def _residuals(self, values: Values) -> Floats:
        cycles = self._trials.cycles(values, self._rows)
        return (cycles - self._measured) / self._units

    def _descend(self, chosen: tuple[Figure, ...], start: Values) -> Fit:
        ends = [self.figures.bounds(figure) for figure in chosen]
        places = [sorted(map(on_scale, (f, f), pair)) for f, pair in zip(chosen, ends, strict=True)]
        low, high = np.array(places).reshape(-1, 2).T
        assumed = self.figures.start

        def values(place: Floats) -> dict[Figure, float]:
            found = {f: off_scale(f, float(at)) for f, at in zip(chosen, place, strict=True)}
            return assumed | found

        def place_of(known: Values) -> Floats:
            return np.array([on_scale(figure, known[figure]) for figure in chosen])

        slope = Slope(
            lambda place: self._residuals(values(place)),
            (low, high),
            lambda place: place_of(in_whole(values(place))),
            self.enough / 16,
        )
        rest = slope.descend(np.clip(place_of(start), low, high))
        if rest.squares < _JUMPED * self.enough:
            # At a round figure the cycles of many commands are whole, and a hair beside it each has
            # one less: no slope leads there.
            short = {figure: _short(value) for figure, value in values(rest.place).items()}
            place = np.clip(place_of(short), low, high)
            left = self._residuals(values(place))
            if left @ left < rest.squares:
                rest = replace(rest, place=place, residuals=left)
        return Fit(figures=chosen, values=values(rest.place), rest=rest)


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _merged(chosen: Sequence[Figure], fewer: Sequence[Fit]) -> Iterator[Values]:
    """Of fits of one figure less, each figure by the best that has it."""
    if len(chosen) > 1:
        ranked = sorted(fewer, key=lambda fit: fit.squares)
        yield dict(ranked[0].values) | {
            figure: next(fit.values[figure] for fit in ranked if figure in fit.figures)
            for figure in chosen
        }


class Choice(Frozen):
    """The figures that are fitted."""

    fit: Fit
    values: Values
    """Of the next board whose cycles are whole: only such a one can be written."""
    others: tuple[Fit, ...]
    """Of as many other figures, which fit as well."""
    scatter: float
    """The variance of a measurement about the fit."""
    reaches: dict[Figure, tuple[float, float]]
    """Values between which, all others as they are, no other fit is told apart from this."""


def choose(fitting: Fitting, count: int, error: float) -> Choice:
    """As few figures as so many measurements tell, given the error of the estimate."""
    choices = list(fitting.all_fits(count))
    if any(_is_rounded(fit, count, fitting.rounding) for fit in choices[-1]):
        fitting = fitting.by_cycles()
        choices = [[fitting.again(fit) for fit in fits] for fits in choices]
    rivals = choices[0]
    chosen = _best(rivals, fitting.enough)
    for fits in choices[1:]:
        best = _best(fits, fitting.enough)
        won = (chosen.squares - best.squares) / (len(best.figures) - len(chosen.figures))
        if won > _chance(best, count, error, fitting.rounding):
            chosen, rivals = best, fits
    chance = _chance(chosen, count, error, fitting.rounding)
    most, values = chosen.squares + chance, in_whole(chosen.values)
    others = [fit for fit in rivals if fit is not chosen and fit.squares <= most]
    freedom = count - len(chosen.figures)
    scatter = max(chosen.squares / freedom, fitting.rounding) if freedom else error**2
    reaches = {figure: fitting.reach(values, figure, chance) for figure in fitting.figures.all}
    return Choice(fit=chosen, values=values, others=tuple(others), scatter=scatter, reaches=reaches)


def _best(fits: Sequence[Fit], enough: float) -> Fit:
    """The first of those that leave as little as any."""
    least = min(fit.squares for fit in fits)
    return next(fit for fit in fits if fit.squares <= least + enough)


def _chance(fit: Fit, count: int, error: float, rounding: float) -> float:
    """The squares that a figure more or less makes by chance, by the stricter of two measures."""
    freedom = count - len(fit.figures)
    scatter = fit.squares / freedom if freedom else 0.0
    by_error = _CHANCE_OF_ERROR * max(error**2, scatter)
    if not freedom:
        return by_error
    if _is_rounded(fit, count, rounding):
        return _CHANCE_OF_ERROR * max(scatter, _ROUNDED * rounding)
    ratio = _CHANCE[freedom - 1] if freedom <= len(_CHANCE) else _MANY
    return min(by_error, ratio * scatter)


def _is_rounded(fit: Fit, count: int, rounding: float) -> bool:
    """Whether what is left of more measurements than figures is what a price rounds: no other
    error of the estimate would end there by chance."""
    freedom = count - len(fit.figures)
    return freedom > 0 and fit.squares <= freedom * _MOST_ROUNDED * rounding
