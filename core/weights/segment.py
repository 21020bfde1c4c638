"""Where to change the coding: dynamic programming over windows of equal length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.weights.bits import Ints
from core.weights.costs import Costs
from core.weights.table import ranges, starts_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """Runs of windows with one coding, in order."""

    row: Ints
    """Which sequence the run is in."""
    windows: Ints
    state: Ints


def cheapest_runs(costs: Costs, windows: Ints, change_bits: int, lane: int) -> Runs:
    """Codings of least cost for sequences of windows; `costs` is by state and window.

    Sequences are cut in lanes that are decided side by side: exact within a lane, and nearly so
    across them, since a change at a border costs nothing to begin with.
    """
    per_row = -(-windows // lane)
    lane_row = np.repeat(np.arange(windows.size), per_row)
    number = ranges(np.zeros(windows.size, dtype=np.int64), per_row)
    lane_start = starts_of(windows)[lane_row] + number * lane
    lane_size = np.minimum(windows[lane_row] - number * lane, lane)
    # Behind the last window of a lane nothing costs anything, and so nothing changes.
    steps = np.arange(int(lane_size.max()))[:, np.newaxis]
    is_inside = steps < lane_size
    source = np.where(is_inside, lane_start + steps, costs.shape[1])
    free = np.zeros((costs.shape[0], 1), dtype=costs.dtype)
    laid = np.concatenate((costs, free), axis=1).take(source, axis=1)
    states = _cheapest_states(laid, change_bits).T[is_inside.T]
    row = np.repeat(np.arange(windows.size), windows)
    is_new = np.ones(states.size, dtype=np.bool_)
    is_new[1:] = (states[1:] != states[:-1]) | (row[1:] != row[:-1])
    first = np.flatnonzero(is_new)
    return Runs(row=row[first], windows=np.diff(np.append(first, states.size)), state=states[first])


def _cheapest_states(totals: Costs, change_bits: int) -> npt.NDArray[np.intp]:
    """The state of each step and lane; costs by state, step and lane become totals in place."""
    _, steps, lanes = totals.shape
    limits = np.empty((steps, lanes), dtype=totals.dtype)
    for step in range(1, steps):
        before = totals[:, step - 1]
        np.add(before.min(axis=0), change_bits, out=limits[step])
        totals[:, step] += np.minimum(before, limits[step])
    chosen = np.empty((steps, lanes), dtype=np.intp)
    lane = np.arange(lanes)
    state = totals[:, -1].argmin(axis=0)
    for step in range(steps - 1, 0, -1):
        chosen[step] = state
        before = totals[:, step - 1]
        (changed,) = (before[state, lane] > limits[step]).nonzero()
        if changed.size:
            state = state.copy()
            state[changed] = before[:, changed].argmin(axis=0)
    chosen[0] = state
    return chosen
