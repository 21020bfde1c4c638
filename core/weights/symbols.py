"""Sections of weight streams as rows of symbols, with their zeros among them or apart."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.weights.bits import Ints
from core.weights.table import ranges, starts_of

Codes = npt.NDArray[np.intp]


class Symbols(Frozen, eq=False, dict=True):
    """Rows of codes that follow each other; zeros may be apart, as runs between the codes."""

    codes: Codes
    counts: Ints
    zero_runs: Ints | None = None
    """One more than codes in each row: the first is in front of its first code."""

    @cached_property
    def histograms(self) -> Ints:
        """How often each code occurs in each row, as far as the greatest that occurs."""
        size = self.rows * self._alphabet
        return np.bincount(self._places, minlength=size).reshape(-1, self._alphabet)

    @cached_property
    def _alphabet(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def _places(self) -> Codes:
        """Of each code in a table of row and code."""
        if self.rows == 1:
            return self.codes
        places: Codes = self.codes + np.repeat(np.arange(self.rows) * self._alphabet, self.counts)
        return places

    @property
    def rows(self) -> int:
        return int(self.counts.size)

    def indices(self, index_of_code: Ints) -> Codes:
        """The index of each code, by a table of row and code."""
        indices: Codes = index_of_code.ravel().take(self._places)
        return indices


def taken(codes: Codes, starts: Ints, counts: Ints) -> Symbols:
    """Sections of a row of codes, each from its start on, as rows."""
    if starts.size and int(counts.sum()) == codes.size:
        return Symbols(codes=codes, counts=counts)
    return Symbols(codes=codes[ranges(starts, counts)], counts=counts)


def split_zeros(symbols: Symbols) -> Symbols:
    """Zeros taken out of the codes, except the first of a row that has nothing else."""
    firsts = starts_of(symbols.counts)
    is_coded = symbols.codes != 0
    is_coded[firsts[~np.logical_or.reduceat(is_coded, firsts)]] = True
    at = np.flatnonzero(is_coded)
    counts = np.add.reduceat(is_coded, firsts, dtype=np.int64)
    # With a mark behind each row, runs are the gaps between neighbours.
    marked = np.insert(at, starts_of(counts) + counts, firsts + symbols.counts)
    runs = np.diff(marked, prepend=-1) - 1
    leading = starts_of(counts + 1)
    runs[leading] = marked[leading] - firsts
    return Symbols(codes=symbols.codes[at], counts=counts, zero_runs=runs)
