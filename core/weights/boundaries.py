"""Where the coding of weights changes: between windows, then at the best symbol near them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.weights.bits import Ints
from core.weights.costs import DIVIDED, IMPOSSIBLE, SYMBOL_BITS, ZERO_DIVISORS, Costs
from core.weights.palette import NEVER
from core.weights.symbols import Codes, Symbols
from core.weights.table import ranges, starts_of


class Runs(Frozen, eq=False):
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


class Pieces(Frozen, eq=False):
    """Slices of rows of symbols, in order."""

    row: Ints
    state: Ints
    """Coding, or coding and zero divisor."""
    counts: Ints


class Coded(Frozen, eq=False):
    """Symbols as indices, and what an uncompressed index of each row takes."""

    symbols: Symbols
    indices: Codes
    widths: Ints


def settle_boundaries(coded: Coded, pieces: Pieces, reach: int) -> tuple[Pieces, Ints]:
    """The same slices with better boundaries, and the bits that each row saves."""
    saved = np.zeros(coded.symbols.rows, dtype=np.int64)
    left = np.flatnonzero(pieces.row[1:] == pieces.row[:-1])
    if not left.size:
        return pieces, saved
    at = starts_of(pieces.counts)[left + 1]
    is_first = np.diff(pieces.row, prepend=-1) != 0
    is_last = np.append(is_first[1:], values=True)
    # Of a slice between two boundaries, each of them can take a part.
    room = np.where(is_first | is_last, pieces.counts - 1, (pieces.counts - 1) // 2)
    back = np.minimum(room[left], reach)[:, np.newaxis]
    forth = np.minimum(room[left + 1], reach)[:, np.newaxis]
    offsets = np.arange(-reach, reach)
    is_near = (offsets >= -back) & (offsets < forth)
    near = np.where(is_near, at[:, np.newaxis] + offsets, at[:, np.newaxis])
    row = pieces.row[left]
    gain = _bits(coded, near, row, pieces.state[left + 1]) - _bits(
        coded, near, row, pieces.state[left]
    )
    # A symbol that changes from the right slice to the left one brings its gain, and back.
    moved = np.zeros((left.size, 2 * reach + 1), dtype=np.int64)
    np.cumsum(np.where(is_near, gain, 0), axis=1, out=moved[:, 1:])
    moved -= moved[:, reach : reach + 1].copy()
    best = moved.argmax(axis=1)
    best = np.where(moved[np.arange(left.size), best] > 0, best, reach)
    shift = np.clip(best - reach, -back[:, 0], forth[:, 0])
    counts = pieces.counts.copy()
    counts[left] += shift
    counts[left + 1] -= shift
    np.add.at(saved, row, moved[np.arange(left.size), best])
    return Pieces(row=pieces.row, state=pieces.state, counts=counts), saved


def _bits(coded: Coded, at: Ints, row: Ints, state: Ints) -> Ints:
    """Bits of the symbols at these positions when each line of them has one state."""
    coding, zero_divisor = state, np.zeros_like(state)
    runs = coded.symbols.zero_runs
    if runs is not None:
        coding, zero_divisor = np.divmod(state, len(ZERO_DIVISORS))
    indices = coded.indices[at]
    is_divided = coding < len(DIVIDED)
    divided = np.where(is_divided, coding, 0)[:, np.newaxis]
    widths = coded.widths[row]
    fixed = np.where(widths == NEVER, IMPOSSIBLE, widths)[:, np.newaxis]
    bits = np.where(is_divided[:, np.newaxis], SYMBOL_BITS[indices, divided], fixed)
    if runs is not None:
        divisors = zero_divisor[:, np.newaxis]
        # Each row has one run more than symbols, in front of the first.
        behind = runs[at + row[:, np.newaxis] + 1]
        bits += (behind >> divisors) + 1 + divisors
    return bits
