"""Which figures the measurements tell: as few as there have to be.

A figure is left as it was assumed unless doing without it is worse than chance would be, by what
the measurements scatter about the fit, or by the error that the estimate is known to have. By the
same measure other figures fit as well, or other values of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from core.base.frozen import Frozen
from core.calibrate.descent import ENOUGH, Floats, Rest, Slope
from core.calibrate.figures import Figure, Figures, Values, off_scale, on_scale
from core.calibrate.trials import Trials

_CHANCE = (161.4, 18.51, 10.13, 7.71, 6.61, 5.99, 5.59, 5.32, 5.12, 4.96)
"""By degrees of freedom, from 1 on: ratios of variances that chance exceeds once in 20 times."""
_MANY = 4.2
_CHANCE_OF_ERROR = 3.84
"""The same where the scatter is known."""

_NOTHING = 1e-7
"""Of a sum of squares: 0.03 % of one measurement."""
_HALVINGS = 10
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
    """Fits of some figures to some of the measurements."""

    def __init__(self, figures: Figures, trials: Trials, rows: Sequence[int]) -> None:
        self._figures = figures
        self._trials = trials
        self._rows = np.array(rows)

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
            for level in self._figures.levels(figure)
            if level != near[figure]
        ]
        return self._best(tuple(chosen), [*starts, *sorted(moved, key=self._squares)])

    def _best(self, chosen: tuple[Figure, ...], places: Sequence[Values]) -> Fit:
        fits: list[Fit] = []
        for place in places:
            fits.append(self._descend(chosen, place))
            if fits[-1].squares < ENOUGH:
                break
        return min(fits, key=lambda fit: fit.squares)

    def refit(self, fit: Fit) -> Fit:
        """The figures of a fit, from what is assumed: what no row tells stays there. The fit itself
        is the start only where that ends far from it."""
        own, warm = self.fit(fit.figures), self._descend(fit.figures, fit.values)
        return own if own.squares <= 2 * warm.squares + _NOTHING else warm

    def all_fits(self, most: int) -> Iterator[list[Fit]]:
        """The fits of all choices of so many figures, from none on."""
        figures = self._figures.all
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
            if min(fit.squares for fit in fits) < ENOUGH:
                return

    def reach(self, fit: Fit, figure: Figure, most: float) -> tuple[float, float]:
        """Values of a figure between which, all others as they are, no more squares are left."""
        low, high = self._figures.bounds(figure)
        return self._until(fit, figure, low, most), self._until(fit, figure, high, most)

    def _until(self, fit: Fit, figure: Figure, end: float, most: float) -> float:
        """The furthest value on the way to another where no more are left."""

        def holds(value: float) -> bool:
            return self._squares(dict(fit.values) | {figure: value}) <= most

        if holds(end):
            return end
        near, far = on_scale(figure, fit.values[figure]), on_scale(figure, end)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if holds(off_scale(figure, middle)) else (near, middle)
        return off_scale(figure, near)

    def _grids(self, chosen: tuple[Figure, ...]) -> list[Values]:
        levels = [self._figures.levels(figure) for figure in chosen]
        return [
            self._figures.start | dict(zip(chosen, values, strict=True))
            for values in itertools.product(*levels)
        ]

    def _squares(self, values: Values) -> float:
        left = self._residuals(values)
        return float(left @ left)

    def _residuals(self, values: Values) -> Floats:
        found: Floats = self._trials.residuals(values)[self._rows]
        return found

    def _descend(self, chosen: tuple[Figure, ...], start: Values) -> Fit:
        ends = [self._figures.bounds(figure) for figure in chosen]
        places = [sorted(map(on_scale, (f, f), pair)) for f, pair in zip(chosen, ends, strict=True)]
        low, high = np.array(places).reshape(-1, 2).T
        assumed = self._figures.start

        def values(place: Floats) -> dict[Figure, float]:
            found = {f: off_scale(f, float(at)) for f, at in zip(chosen, place, strict=True)}
            return assumed | found

        def place_of(known: Values) -> Floats:
            return np.array([on_scale(figure, known[figure]) for figure in chosen])

        slope = Slope(
            lambda place: self._residuals(values(place)),
            (low, high),
            lambda place: place_of(values(place)),
        )
        rest = slope.descend(np.clip(place_of(start), low, high))
        return Fit(figures=chosen, values=values(rest.place), rest=rest)


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
    others: tuple[Fit, ...]
    """Of as many other figures, which fit as well."""
    most_squares: float
    """What chance would leave: no other fit is told apart from this by less."""


def choose(fitting: Fitting, count: int, error: float) -> Choice:
    """As few figures as so many measurements tell, given the error of the estimate."""
    choices = fitting.all_fits(count)
    rivals = next(choices)
    chosen = _best(rivals)
    for fits in choices:
        best = _best(fits)
        won = (chosen.squares - best.squares) / (len(best.figures) - len(chosen.figures))
        if won > _chance(best, count, error):
            chosen, rivals = best, fits
    most = chosen.squares + _chance(chosen, count, error)
    others = [fit for fit in rivals if fit is not chosen and fit.squares <= most]
    return Choice(fit=chosen, others=tuple(others), most_squares=most)


def _best(fits: Sequence[Fit]) -> Fit:
    """The first of those that leave as little as any."""
    least = min(fit.squares for fit in fits)
    return next(fit for fit in fits if fit.squares <= least + ENOUGH)


def _chance(fit: Fit, count: int, error: float) -> float:
    """The squares that a figure more or less makes by chance, by the stricter of two measures."""
    freedom = count - len(fit.figures)
    scatter = fit.squares / freedom if freedom else 0.0
    by_error = _CHANCE_OF_ERROR * max(error**2, scatter)
    if not freedom:
        return by_error
    ratio = _CHANCE[freedom - 1] if freedom <= len(_CHANCE) else _MANY
    return min(by_error, ratio * max(scatter, _NOTHING**2))
