"""The Pareto front of some candidates: those that none is better than in every respect."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def pareto(values: Floats, most: int | None = None) -> Ints:
    """Rows that no other row is at most as high as everywhere, from the lowest first column on.

    Of equal rows the first is taken. Where there are more than `most`, they are thinned out evenly;
    both ends stay.
    """
    if not len(values):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort(values.T[::-1])
    front = _two(values[order]) if values.shape[1] == 2 else _many(values[order])
    if most is not None and len(front) > most:
        front = front[np.linspace(0, len(front) - 1, most).round().astype(np.int64)]
    found: Ints = order[front]
    return found


def _two(values: Floats) -> Ints:
    """Of sorted pairs, each whose second number is lower than all before it."""
    before = np.minimum.accumulate(values[:, 1])[:-1]
    return np.flatnonzero(np.concatenate([[True], values[1:, 1] < before]))


def _many(values: Floats) -> Ints:
    """Of sorted rows, each that none before it is as good as."""
    rows = np.arange(len(values))
    found: list[int] = []
    while len(rows):
        found.append(int(rows[0]))
        is_better = (values[1:] < values[0]).any(axis=1)
        rows, values = rows[1:][is_better], values[1:][is_better]
    return np.array(found, dtype=np.int64)
