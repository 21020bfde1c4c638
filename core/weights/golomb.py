"""Golomb-Rice codes of whole slices: symbols become chunks of unary bits and of remainders."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.weights.bits import (
    CELLS,
    Ints,
    Words,
    get_fields,
    pack_fixed,
    pack_rows,
    select_bits,
)
from core.weights.layout import (
    MAX_DIVISOR,
    MAX_ZERO_DIVISOR,
    NO_ZERO_RUNS,
    STEPS,
    WIDE_STEPS,
)
from core.weights.table import SliceTable, ranges, starts_of

_CONTINUED = 2
_END = 4
_FREE_WIDE_SYMBOLS = 6
"""Indices of 9 bits are cut in rows of this many where no zero run comes between them."""


class Chunks(Frozen, eq=False):
    """Chunks of all slices: what each of them writes, and how many symbols it completes."""

    per_slice: Ints
    unary: Words
    unary_bits: Ints
    more: Words
    """For each unary bit that is set, whether its step counts two (weights only)."""
    more_bits: Ints
    remainders: Words
    remainder_bits: Ints
    symbols: Ints


def weight_chunks(indices: npt.NDArray[np.uint16], table: SliceTable) -> Chunks:
    """Chunks of the weight indices of all slices."""
    widths = np.repeat(table.width.astype(np.uint16), table.count)
    quotients = indices >> widths
    rests = indices - (quotients << widths)
    capacity = _weight_capacity(table)
    steps, last = _weight_steps(quotients, table)
    cells, per_slice = _cells(steps, last, table.count, capacity)
    ends = pack_rows(cells & _END)
    symbols = np.bitwise_count(ends).astype(np.int64)
    is_unary = np.repeat(~table.is_uncompressed, per_slice)
    unary = pack_rows(cells & 3)
    unary *= is_unary
    row_widths = np.repeat(table.width, per_slice)
    return Chunks(
        per_slice=per_slice,
        unary=unary.astype(np.uint64),
        unary_bits=np.where(is_unary, STEPS, 0),
        more=select_bits(pack_rows(cells & _CONTINUED), unary),
        more_bits=np.bitwise_count(unary).astype(np.int64),
        remainders=_pack_remainders(rests, widths, symbols, row_widths),
        remainder_bits=symbols * row_widths,
        symbols=symbols,
    )


def zero_run_chunks(runs: Ints, divisors: Ints, counts: Ints) -> Chunks:
    """Chunks of zero-run lengths, for slices with these divisors and numbers of runs."""
    widths = np.repeat(divisors, counts)
    quotients = runs >> widths
    rests = (runs - (quotients << widths)).astype(np.uint16)
    capacity = np.where(divisors < MAX_ZERO_DIVISOR, STEPS, WIDE_STEPS)
    last = np.zeros(runs.size, dtype=np.uint8)
    cells, per_slice = _cells(quotients + 1, last, counts, capacity)
    symbols = np.bitwise_count(pack_rows(cells & _END)).astype(np.int64)
    row_widths = np.repeat(divisors, per_slice)
    none = np.zeros(symbols.size, dtype=np.int64)
    return Chunks(
        per_slice=per_slice,
        unary=pack_rows(cells & 3).astype(np.uint64),
        unary_bits=np.repeat(capacity, per_slice),
        more=none.astype(np.uint64),
        more_bits=none,
        remainders=_pack_remainders(rests, widths.astype(np.uint16), symbols, row_widths),
        remainder_bits=symbols * row_widths,
        symbols=symbols,
    )


def _weight_capacity(table: SliceTable) -> Ints:
    is_wide = table.is_uncompressed & (table.width > MAX_DIVISOR)
    is_free = is_wide & (table.zero_divisor == NO_ZERO_RUNS) & (table.width > 8)
    return np.where(is_free, _FREE_WIDE_SYMBOLS, np.where(is_wide, WIDE_STEPS, STEPS))


def _weight_steps(
    quotients: npt.NDArray[np.uint16], table: SliceTable
) -> tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]:
    """How many steps each quotient takes, and what its last step counts."""
    is_plain = ~(table.is_truncated | table.is_uncompressed)
    if not is_plain.any():
        return np.ones(quotients.size, dtype=np.uint8), quotients.astype(np.uint8)
    full = (quotients >> 1).astype(np.uint8)
    if not is_plain.all():
        full *= np.repeat(is_plain, table.count)
    last = quotients.astype(np.uint8) - 2 * full
    full += 1
    return full, last


def _cells(
    steps: npt.NDArray[Any], last: npt.NDArray[np.uint8], counts: Ints, capacity: Ints
) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Steps laid out in rows of cells, and the number of rows of each slice."""
    ends = np.cumsum(steps, dtype=np.int32)
    firsts = starts_of(counts)
    slice_ends = ends[firsts + counts - 1].astype(np.int64)
    slice_starts = np.concatenate(([0], slice_ends[:-1]))
    totals = slice_ends - slice_starts
    per_slice = -(-totals // capacity)
    bases = starts_of(per_slice) * STEPS
    rows = int(per_slice.sum())
    cells = np.full(rows * CELLS, _CONTINUED, dtype=np.uint8)
    cells.reshape(-1, CELLS)[:, STEPS:] = 0
    ends += np.repeat((bases - slice_starts - 1).astype(np.int32), counts)
    free = per_slice * STEPS - totals
    cells[_cell(ranges(bases + totals, np.where(capacity == STEPS, free, 0)))] = 0
    for narrow in np.flatnonzero(capacity < STEPS):
        first_row = bases[narrow] // STEPS
        own_rows = cells.reshape(-1, CELLS)[first_row : first_row + per_slice[narrow]]
        own = ends[firsts[narrow] :][: counts[narrow]]
        _narrow(own_rows, own, int(bases[narrow]), int(capacity[narrow]))
    cells[_cell(ends)] = last | _END
    return cells.reshape(-1, CELLS), per_slice


def _cell(steps: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Where steps are, counted in cells."""
    cells: npt.NDArray[Any] = steps + (CELLS - STEPS) * (steps // STEPS)
    return cells


def _narrow(
    rows: npt.NDArray[np.uint8], ends: npt.NDArray[np.int32], base: int, capacity: int
) -> None:
    """Leave the last cells of each row empty, in a slice whose chunks hold less than twelve."""
    row, column = np.divmod(ends - base, capacity)
    rows[:, capacity:] = 0
    rows[-1, column[-1] + 1 :] = 0
    ends[:] = base + row * STEPS + column


def _pack_remainders(
    rests: npt.NDArray[np.uint16],
    widths: npt.NDArray[np.uint16],
    symbols: Ints,
    row_widths: Ints,
) -> Words:
    """For each row, the remainders of its symbols one after the other."""
    packed = np.zeros(symbols.size, dtype=np.uint64)
    for width in np.flatnonzero(np.bincount(row_widths)):
        if width == 0:
            continue
        rows = np.flatnonzero(row_widths == width)
        own = rests if rows.size == symbols.size else rests[widths == width]
        sizes = symbols[rows] * width
        packed[rows] = get_fields(pack_fixed(own, int(width)), starts_of(sizes), sizes)
    return packed
