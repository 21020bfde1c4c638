"""How rows of symbols would be coded, and what that costs: the palette first, then the slices."""

from __future__ import annotations

import numpy as np

from core.base.frozen import Frozen
from core.weights.bits import Ints
from core.weights.boundaries import Coded, Pieces, cheapest_runs, settle_boundaries
from core.weights.costs import (
    DIVISORS,
    IMPOSSIBLE,
    IS_PLAIN,
    IS_UNCOMPRESSED,
    ZERO_DIVISORS,
    Costs,
    histogram_costs,
    window_costs,
)
from core.weights.layout import (
    HEADER_BITS,
    INDEX_BITS,
    MAX_SLICE_WEIGHTS,
    MAX_ZERO_DIVISOR,
    STEPS,
    WIDE_STEPS,
)
from core.weights.palette import (
    NEVER,
    PaletteTable,
    direct_palettes,
    frequent_code_palettes,
    least_code_palettes,
)
from core.weights.symbols import Codes, Symbols
from core.weights.table import ranges, starts_of

_PADDING_BITS = 6
"""What the last chunk of a slice wastes, on average, for each kind of symbol."""
_MOST_BITS_BESIDE_RUNS = 8


class Search(Frozen):
    """How far to look."""

    window: int
    """Slices begin at multiples of this many symbols; padding in brick order comes in eights."""
    lane: int
    palettes: int
    """How many of the most promising palettes are tried out."""
    least_sizes: tuple[int, ...]
    frequent_sizes: tuple[int, ...]
    """Sizes of palettes that are looked at, by what their entries are chosen for."""
    depth: int = 0
    """How often a stream may be halved into sections that have palettes of their own."""


class Draft(Frozen, eq=False):
    """A complete plan for rows of symbols, and how many bits each row takes."""

    coded: Coded
    pieces: Pieces
    palettes: PaletteTable
    bits: Ints
    """Of each row."""


def drafts(symbols: Symbols, search: Search) -> list[Draft]:
    """The drafts with the most promising palettes, the best of them first."""
    return [
        _draft(symbols, palettes, search)
        for palettes in _ranked_palettes(symbols.histograms, search)
    ]


def _ranked_palettes(histograms: Ints, search: Search) -> list[PaletteTable]:
    """For each histogram the palettes that would be best if its coding never changed."""
    candidates = [
        direct_palettes(histograms),
        *(least_code_palettes(histograms, size) for size in search.least_sizes),
        *(frequent_code_palettes(histograms, size) for size in search.frequent_sizes),
    ]
    totals = histograms.sum(axis=1)
    bits = []
    for candidate in candidates:
        best = histogram_costs(histograms, candidate.index_of_code).min(axis=1)
        fixed = candidate.uncompressed_bits(histograms) * totals
        bits.append(np.minimum(best, fixed) + candidate.header_bits)
    order = np.argsort(bits, axis=0, kind="stable")
    return [PaletteTable.chosen(candidates, order[rank]) for rank in range(search.palettes)]


def _draft(symbols: Symbols, palettes: PaletteTable, search: Search) -> Draft:
    indices = symbols.indices(palettes.index_of_code)
    widths = palettes.uncompressed_bits(symbols.histograms)
    if symbols.zero_runs is not None:
        # A chunk of eight wider indices does not fit the words that chunks are written in.
        widths[widths > _MOST_BITS_BESIDE_RUNS] = NEVER
    windows = -(-symbols.counts // search.window)
    costs = _weight_costs(symbols, indices, widths, search.window)
    if symbols.zero_runs is not None:
        zero_costs = _zero_costs(symbols, symbols.zero_runs, search.window)
        joint = costs[:, np.newaxis] + zero_costs
        costs = joint.reshape(-1, costs.shape[1])
    change_bits = HEADER_BITS + _PADDING_BITS * (1 if symbols.zero_runs is None else 2)
    runs = cheapest_runs(costs, windows, change_bits, search.lane)
    spent = costs[np.repeat(runs.state, runs.windows), np.arange(costs.shape[1])]
    counts = runs.windows * search.window
    last = np.append(np.flatnonzero(np.diff(runs.row)), runs.row.size - 1)
    counts[last] -= windows * search.window - symbols.counts
    coded = Coded(symbols=symbols, indices=indices, widths=widths)
    pieces = Pieces(row=runs.row, state=runs.state, counts=counts)
    pieces, saved = settle_boundaries(coded, pieces, search.window)
    pieces = _short_enough(pieces)
    headers = HEADER_BITS + _padding_bits(coded, pieces)
    begins = np.flatnonzero(np.diff(pieces.row, prepend=-1))
    return Draft(
        coded=coded,
        pieces=pieces,
        palettes=palettes,
        bits=np.add.reduceat(spent, starts_of(windows), dtype=np.int64)
        + np.add.reduceat(headers, begins)
        + palettes.header_bits
        - saved,
    )


def _short_enough(pieces: Pieces) -> Pieces:
    """The same slices, cut where they are longer than a slice can be."""
    parts = -(-pieces.counts // MAX_SLICE_WEIGHTS)
    place = np.repeat(np.arange(parts.size), parts)
    before = ranges(np.zeros(parts.size, dtype=np.int64), parts) * MAX_SLICE_WEIGHTS
    return Pieces(
        row=pieces.row[place],
        state=pieces.state[place],
        counts=np.minimum(pieces.counts[place] - before, MAX_SLICE_WEIGHTS),
    )


def _padding_bits(coded: Coded, pieces: Pieces) -> Ints:
    """What is wasted in the last chunks of each slice."""
    counts, zero_runs = pieces.counts, coded.symbols.zero_runs
    coding, zero_divisor = pieces.state, np.zeros_like(pieces.state)
    if zero_runs is not None:
        coding, zero_divisor = np.divmod(pieces.state, len(ZERO_DIVISORS))
    firsts = starts_of(counts)
    # What is not plain has one step for each symbol, as if the divisor took everything away.
    divisors = np.where(IS_PLAIN[coding], DIVISORS[coding] + 1, INDEX_BITS)
    shifts = np.repeat(divisors.astype(np.uint16), counts)
    quotients = coded.indices.astype(np.uint16) >> shifts  # a quarter of the memory is touched
    steps = np.add.reduceat(quotients, firsts, dtype=np.int64) + counts
    bits: Ints = np.where(IS_UNCOMPRESSED[coding], 0, -steps % STEPS)
    if zero_runs is not None:
        has_first = np.diff(pieces.row, prepend=-1) != 0
        zero_counts = counts + has_first
        zero_quotients = zero_runs >> np.repeat(zero_divisor, zero_counts)
        zero_steps = np.add.reduceat(zero_quotients, starts_of(zero_counts)) + zero_counts
        bits += -zero_steps % np.where(zero_divisor < MAX_ZERO_DIVISOR, STEPS, WIDE_STEPS)
    return bits


def _weight_costs(symbols: Symbols, indices: Codes, widths: Ints, window: int) -> Costs:
    """Bits of weights by coding and window."""
    windows = -(-symbols.counts // window)
    sizes = np.full(int(windows.sum()), window, dtype=np.int64)
    sizes[starts_of(windows) + windows - 1] -= windows * window - symbols.counts
    row_widths = np.repeat(widths, windows)
    fixed = np.where(row_widths == NEVER, IMPOSSIBLE, sizes * row_widths).astype(np.int32)
    firsts = ranges(np.zeros(windows.size, dtype=np.int64), windows) * window
    firsts += np.repeat(starts_of(symbols.counts), windows)
    return np.concatenate((window_costs(indices, firsts), fixed[np.newaxis]))


def _zero_costs(symbols: Symbols, zero_runs: Ints, window: int) -> Costs:
    """Bits of zero runs by divisor and window; the first run of a row is in its first window."""
    windows = -(-symbols.counts // window)
    number = ranges(np.zeros(windows.size, dtype=np.int64), windows)
    firsts = np.repeat(starts_of(symbols.counts + 1), windows) + number * window + (number > 0)
    counts = np.diff(firsts, append=zero_runs.size)
    runs = zero_runs.astype(np.int32)
    costs = np.empty((len(ZERO_DIVISORS), firsts.size), dtype=np.int32)
    for divisor in ZERO_DIVISORS:
        costs[divisor] = np.add.reduceat(runs >> divisor, firsts) + counts * (1 + divisor)
    return costs
