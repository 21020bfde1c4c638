"""Least squares within bounds, by damped steps; no more than the few figures of a board need.

What a program takes is made of straight lines with many bends, at each of which something else
becomes the slowest. Where a step leads nowhere, slopes are taken to the other side, and over more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen

Floats = npt.NDArray[np.float64]
Residuals = Callable[[Floats], Floats]
Snap = Callable[[Floats], Floats]
"""From a place to the next one that costs one trial."""

_REACHES = (0.02, -0.02, 0.1)
"""Over which slopes are taken, as shares of a coordinate; far more than what is rounded."""
_LEAST_COORDINATE = 2.5
"""Of which the share is taken at least."""
_FURTHER = (1, 5, 25)
_FELT = 1e-4
"""A share of all cycles, by a hundred cycles of one command, or by the cycles of a byte."""
_MOST_STEPS = 24
_DAMPINGS = (1e-7, 1e-4, 1e-2, 0.3, 8.0)
"""Shares of the squares of slopes: hardly any at first, since along a valley, in which one figure
makes up for another, next to nothing is left of them."""
_NO_GAIN = 5e-2


class Rest(Frozen):
    """Where a descent ends."""

    place: Floats
    residuals: Floats
    slopes: Floats
    """Of each residual, by each coordinate."""

    @property
    def squares(self) -> float:
        """The sum of the squares of what is left."""
        return float(self.residuals @ self.residuals)


class Slope:
    """A function whose squares are to be least, with its bounds."""

    def __init__(
        self, residuals: Residuals, bounds: tuple[Floats, Floats], snap: Snap, enough: float
    ) -> None:
        self._residuals = residuals
        self._bounds = bounds
        self._snap = snap
        self._enough = enough

    def descend(self, start: Floats) -> Rest:
        """The least sum of squares near a place."""
        place, left = start, self._residuals(start)
        reach, slopes = 0, self._slopes(place, _REACHES[0])
        for _ in range(_MOST_STEPS):
            if left @ left < self._enough or not len(place):
                break
            found = self._try(place, left, slopes)
            gain = 1.0 - found.squares / (left @ left)
            if found.squares < left @ left:
                place, left = found.place, found.residuals
            # A step that gains next to nothing is at a bend too.
            reach = 0 if gain > _NO_GAIN else reach + 1
            if reach == len(_REACHES):
                break
            slopes = self._slopes(place, _REACHES[reach])
        return Rest(place=place, residuals=left, slopes=slopes)

    def _try(self, place: Floats, left: Floats, slopes: Floats) -> Rest:
        """The best of a few steps, each shorter than the one before."""
        best = Rest(place=place, residuals=left, slopes=slopes)
        for damping in _DAMPINGS:
            to = np.clip(place + _step(slopes, left, damping), *self._bounds)
            found = self._residuals(to)
            if found @ found < best.squares:
                return Rest(place=to, residuals=found, slopes=slopes)
        return best

    def _slopes(self, place: Floats, reach: float) -> Floats:
        place = self._snap(place)
        left = self._residuals(place)
        columns = [self._column(place, left, at, reach) for at in range(len(place))]
        return np.stack(columns, axis=1) if columns else np.zeros((len(left), 0))

    def _column(self, place: Floats, left: Floats, at: int, reach: float) -> Floats:
        """By one coordinate; one that is not felt here may be felt further away."""
        low, high = (bound[at] for bound in self._bounds)
        for further in _FURTHER:
            step = reach * further * max(place[at], _LEAST_COORDINATE)
            to = place.copy()
            to[at] += step if low <= place[at] + step <= high else -step
            to = self._snap(np.clip(to, *self._bounds))
            if to[at] == place[at]:
                break
            column: Floats = (self._residuals(to) - left) / (to[at] - place[at])
            if np.abs(column).max() > _FELT:
                return column
        return np.zeros(len(left))


def _step(slopes: Floats, left: Floats, damping: float) -> Floats:
    squares = slopes.T @ slopes
    scale = np.diag(squares) * damping + 1e-12
    return np.asarray(
        np.linalg.solve(squares + np.diag(scale), -(slopes.T @ left)), dtype=np.float64
    )
