"""Plans weight streams: sections, whether their zeros are runs, their palettes and slices."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen, NamedTuple
from core.weights.bits import Ints
from core.weights.costs import DIVISORS, IS_UNCOMPRESSED, ZERO_DIVISORS
from core.weights.draft import Draft, Search, drafts
from core.weights.layout import MAX_PALETTE, NO_ZERO_RUNS
from core.weights.palette import Palette
from core.weights.symbols import Codes, split_zeros, taken
from core.weights.table import SliceTable, starts_of

_MOST_ZERO_BITS = 8
"""A zero that is coded among the weights hardly costs more than this."""
_LEAST_SECTION = 128
_SECTION_UNIT = 8
_HOPEFUL_BITS = 64
"""Halves that together cost this much more than the whole may still be halved themselves."""


class Effort(enum.Enum):
    """How long to look for short streams."""

    FAST = "fast"
    DENSE = "dense"


_MANY_SIZES = (2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, MAX_PALETTE)
_SOME_SIZES = (4, 8, 12, 16, 24, MAX_PALETTE)
_QUICK = Search(window=16, lane=64, palettes=1, least_sizes=(2, 16), frequent_sizes=(MAX_PALETTE,))
_CAREFUL = Search(
    window=8, lane=64, palettes=2, least_sizes=(2, 4, 8, 16), frequent_sizes=(8, MAX_PALETTE)
)
_DENSE = Search(
    window=8,
    lane=1024,
    palettes=3,
    least_sizes=_MANY_SIZES,
    frequent_sizes=_SOME_SIZES,
    depth=7,
)
_FEW_WEIGHTS = 1024
"""In streams so short, care costs little time, and one alignment unit is a large share."""


class Plan(Frozen, eq=False):
    """What to emit: indices and zero runs of all slices, and the slices."""

    indices: Codes
    zero_runs: Ints
    table: SliceTable


class _Sections(Frozen, eq=False):
    """Sections of the row of all codes, and for each the draft that codes it best."""

    starts: Ints
    counts: Ints
    drafts: tuple[Draft, ...]
    draft: Ints
    """By section, which draft."""
    row: Ints
    """By section, its row in that draft."""
    bits: Ints


class _Choice(Frozen, eq=False):
    """Some rows of a draft, and where in the row of all codes they begin."""

    draft: Draft
    rows: Ints
    starts: Ints


def plan_streams(codes: Codes, counts: Ints, effort: Effort) -> Plan:
    """A plan for streams of codes that follow each other, each with at least one code."""
    choices: list[_Choice] = []
    for _, levels, halves in _searched(codes, counts, effort):
        choices += _choices(levels, _cheapest(levels, halves).is_halved, halves)
    return _plan(choices, starts_of(counts))


def stream_bits(codes: Codes, counts: Ints, effort: Effort) -> Ints:
    """The bits of each stream that would be planned, without its end."""
    bits = np.zeros(counts.size, dtype=np.int64)
    for streams, levels, halves in _searched(codes, counts, effort):
        bits[streams] = _cheapest(levels, halves).bits
    return bits


def _searched(
    codes: Codes, counts: Ints, effort: Effort
) -> Iterator[tuple[Ints, list[_Sections], list[Ints]]]:
    """Which streams are searched with the same care, and their sections."""
    starts, is_small = starts_of(counts), counts <= _FEW_WEIGHTS
    searches = (
        ((_DENSE, np.arange(counts.size)),)
        if effort is Effort.DENSE
        else ((_CAREFUL, np.flatnonzero(is_small)), (_QUICK, np.flatnonzero(~is_small)))
    )
    for search, streams in searches:
        if streams.size:
            yield streams, *_levels(codes, starts[streams], counts[streams], search)


def _levels(
    codes: Codes, starts: Ints, counts: Ints, search: Search
) -> tuple[list[_Sections], list[Ints]]:
    """Whole streams, halves of those that are worth it, and so on, with what was halved."""
    levels = [_sections(codes, starts, counts, search)]
    halves: list[Ints] = []
    for _ in range(search.depth):
        whole = _hopeful(levels, halves)
        if not whole.size:
            break
        halves.append(whole)
        levels.append(_halved(codes, levels[-1], whole, search))
    return levels, halves


def _sections(codes: Codes, starts: Ints, counts: Ints, search: Search) -> _Sections:
    symbols = taken(codes, starts, counts)
    everything = np.arange(counts.size)
    found = [(draft, everything) for draft in drafts(symbols, search)]
    # A zero run costs a bit behind every other weight, and saves at most the bits of the zeros.
    zeros = symbols.histograms[:, 0]
    chosen = np.flatnonzero(_MOST_ZERO_BITS * zeros > counts - zeros)
    if chosen.size:
        split = split_zeros(taken(codes, starts[chosen], counts[chosen]))
        found += [(draft, chosen) for draft in drafts(split, search)]
    bits = np.full((len(found), counts.size), np.iinfo(np.int64).max)
    row = np.zeros((len(found), counts.size), dtype=np.int64)
    for number, (draft, sections) in enumerate(found):
        bits[number, sections] = draft.bits
        row[number, sections] = np.arange(sections.size)
    best = bits.argmin(axis=0)
    return _Sections(
        starts=starts,
        counts=counts,
        drafts=tuple(draft for draft, _ in found),
        draft=best,
        row=row[best, everything],
        bits=bits[best, everything],
    )


def _hopeful(levels: Sequence[_Sections], halves: Sequence[Ints]) -> Ints:
    """Sections of the last level that are worth halving."""
    last = levels[-1]
    is_hopeful = last.counts >= 2 * _LEAST_SECTION
    if halves:
        together = last.bits[0::2] + last.bits[1::2]
        gained = together <= levels[-2].bits[halves[-1]] + _HOPEFUL_BITS
        is_hopeful &= np.repeat(gained, 2)
    return np.flatnonzero(is_hopeful)


def _halved(codes: Codes, level: _Sections, whole: Ints, search: Search) -> _Sections:
    """The next level: both halves of each of these sections, one after the other."""
    left = level.counts[whole] // (2 * _SECTION_UNIT) * _SECTION_UNIT
    starts = np.column_stack((level.starts[whole], level.starts[whole] + left)).ravel()
    counts = np.column_stack((left, level.counts[whole] - left)).ravel()
    return _sections(codes, starts, counts, search)


class _Cheapest(NamedTuple):
    """What streams cost where each is halved as it costs least."""

    bits: Ints
    is_halved: list[npt.NDArray[np.bool_]]
    """By level: which of its sections."""


def _cheapest(levels: Sequence[_Sections], halves: Sequence[Ints]) -> _Cheapest:
    is_halved = [np.zeros(level.counts.size, dtype=np.bool_) for level in levels]
    bits = levels[-1].bits
    for depth in range(len(halves) - 1, -1, -1):
        together = bits[0::2] + bits[1::2]
        bits = levels[depth].bits.copy()
        is_halved[depth][halves[depth]] = together < bits[halves[depth]]
        bits[halves[depth]] = np.minimum(bits[halves[depth]], together)
    return _Cheapest(bits, is_halved)


def _choices(
    levels: Sequence[_Sections],
    is_halved: Sequence[npt.NDArray[np.bool_]],
    halves: Sequence[Ints],
) -> list[_Choice]:
    """The sections that together cost least."""
    choices = []
    is_reached = np.ones(levels[0].counts.size, dtype=np.bool_)
    for depth, level in enumerate(levels):
        is_final = is_reached & ~is_halved[depth]
        for number, draft in enumerate(level.drafts):
            own = np.flatnonzero(is_final & (level.draft == number))
            if own.size:
                choices.append(_Choice(draft=draft, rows=level.row[own], starts=level.starts[own]))
        if depth < len(halves):
            is_reached = np.repeat((is_reached & is_halved[depth])[halves[depth]], 2)
    return choices


def _plan(choices: Sequence[_Choice], stream_starts: Ints) -> Plan:
    """What was chosen, in the order of the codes."""
    parts = [_slices(choice) for choice in choices]
    palettes: list[Palette] = []
    numbers = []
    for choice, part in zip(choices, parts, strict=True):
        numbers.append(np.where(part.palette >= 0, part.palette + len(palettes), -1))
        palettes += [choice.draft.palettes.palette(row) for row in choice.rows.tolist()]
    starts = np.concatenate([part.section_start for part in parts])
    order = np.argsort(starts, kind="stable")
    table = SliceTable(
        stream=np.searchsorted(stream_starts, starts[order], side="right") - 1,
        count=np.concatenate([part.count for part in parts])[order],
        width=np.concatenate([part.width for part in parts])[order],
        coding=np.concatenate([part.coding for part in parts])[order],
        zero_divisor=np.concatenate([part.zero_divisor for part in parts])[order],
        palette=np.concatenate(numbers)[order],
        palettes=tuple(palettes),
    )
    return Plan(indices=_indices(choices), zero_runs=_zero_runs(choices), table=table)


class _Part(Frozen, eq=False):
    """Slices of the rows of one choice; palettes are numbered by place among these rows."""

    section_start: Ints
    count: Ints
    width: Ints
    coding: Ints
    zero_divisor: Ints
    palette: Ints


def _slices(choice: _Choice) -> _Part:
    coded, pieces = choice.draft.coded, choice.draft.pieces
    place = np.full(coded.symbols.rows, -1, dtype=np.int64)
    place[choice.rows] = np.arange(choice.rows.size)
    own = np.flatnonzero(place[pieces.row] >= 0)
    row = pieces.row[own]
    coding, zero_divisor = pieces.state[own], np.full(own.size, NO_ZERO_RUNS, dtype=np.int64)
    if coded.symbols.zero_runs is not None:
        coding, zero_divisor = np.divmod(coding, len(ZERO_DIVISORS))
    return _Part(
        section_start=choice.starts[place[row]],
        count=pieces.counts[own],
        width=np.where(IS_UNCOMPRESSED[coding], coded.widths[row], DIVISORS[coding]),
        coding=coding,
        zero_divisor=zero_divisor,
        palette=np.where(np.diff(row, prepend=-1) != 0, place[row], -1),
    )


def _indices(choices: Sequence[_Choice]) -> Codes:
    """The indices of all sections in the order of the codes."""
    if len(choices) == 1 and choices[0].rows.size == choices[0].draft.coded.symbols.rows:
        return choices[0].draft.coded.indices
    pieces: list[tuple[int, Codes]] = []
    for choice in choices:
        counts = choice.draft.coded.symbols.counts
        pieces += _pieces(choice, choice.draft.coded.indices, starts_of(counts), counts)
    return _joined(pieces)


def _zero_runs(choices: Sequence[_Choice]) -> Ints:
    """The zero runs of all sections that have some, in the order of the codes."""
    pieces: list[tuple[int, Ints]] = []
    for choice in choices:
        runs = choice.draft.coded.symbols.zero_runs
        if runs is not None:
            counts = choice.draft.coded.symbols.counts + 1
            pieces += _pieces(choice, runs, starts_of(counts), counts)
    return _joined(pieces)


def _pieces(
    choice: _Choice, values: npt.NDArray[np.int64], firsts: Ints, counts: Ints
) -> list[tuple[int, npt.NDArray[np.int64]]]:
    """The values of each chosen row, with the start of its section to sort them by."""
    return [
        (start, values[firsts[row] : firsts[row] + counts[row]])
        for row, start in zip(choice.rows.tolist(), choice.starts.tolist(), strict=True)
    ]


def _joined(pieces: list[tuple[int, npt.NDArray[np.int64]]]) -> npt.NDArray[np.int64]:
    in_order = [values for _, values in sorted(pieces, key=lambda piece: piece[0])]
    return np.concatenate(in_order) if in_order else np.zeros(0, dtype=np.int64)
