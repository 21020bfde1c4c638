"""Palettes: how the weights of a section of a stream become indices, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
from core.weights.bits import Ints
from core.weights.layout import (
    CODES,
    LEAST_ENTRY_BITS,
    MAX_DIRECT_OFFSET,
    MAX_INDEX,
    MAX_PALETTE,
    PALETTE_HEADER_BITS,
)

NEVER = 4 * CODES
"""Index of a code that a palette cannot say."""


class Palette(Frozen):
    """Indices below the number of entries name one; the others are codes, moved by an offset."""

    entries: tuple[int, ...] = ()
    """Codes; 0 or 2 to 32 of them."""
    direct_offset: int = 0
    entry_bits: int = LEAST_ENTRY_BITS
    """Width of an entry; without entries, width of an uncompressed index."""

    @property
    def uncompressed_bits(self) -> int:
        """Width of the indices of an uncompressed slice."""
        return (len(self.entries) - 1).bit_length() if self.entries else self.entry_bits

    def code_of_index(self) -> Ints:
        """For each index the code that it stands for."""
        table = np.arange(CODES, dtype=np.int64) - len(self.entries) + self.direct_offset
        table[: len(self.entries)] = self.entries
        return table


class PaletteTable(Frozen, eq=False):
    """One palette for each of many histograms."""

    index_of_code: Ints
    """By histogram and code; `NEVER` where the palette cannot say a code."""
    entries: Ints
    """By histogram and place; places beyond `sizes` mean nothing."""
    sizes: Ints
    offsets: Ints
    entry_bits: Ints

    @property
    def header_bits(self) -> Ints:
        """Bits that it takes to bring each palette along."""
        return PALETTE_HEADER_BITS + self.sizes * self.entry_bits

    def uncompressed_bits(self, histograms: Ints) -> Ints:
        """Width of an uncompressed index, or `NEVER` where some code is missing in the entries.

        The syntax could say direct indices that happen to fit the width; no known encoder does.
        """
        widths = np.where(
            self.sizes > 0, _bit_length(np.maximum(self.sizes - 1, 0)), self.entry_bits
        )
        top = np.where(histograms > 0, self.index_of_code, 0).max(axis=1)
        return np.where((self.sizes == 0) | (top < self.sizes), widths, NEVER)

    @classmethod
    def chosen(cls, tables: Sequence[PaletteTable], choice: Ints) -> PaletteTable:
        """For each histogram the palette of the table that `choice` names."""
        rows = np.arange(choice.size)
        return cls(
            index_of_code=np.stack([table.index_of_code for table in tables])[choice, rows],
            entries=np.stack([table.entries for table in tables])[choice, rows],
            sizes=np.stack([table.sizes for table in tables])[choice, rows],
            offsets=np.stack([table.offsets for table in tables])[choice, rows],
            entry_bits=np.stack([table.entry_bits for table in tables])[choice, rows],
        )

    def palette(self, row: int) -> Palette:
        """The palette of one histogram."""
        size = int(self.sizes[row])
        return Palette(
            entries=tuple(self.entries[row, :size].tolist()),
            direct_offset=int(self.offsets[row]),
            entry_bits=int(self.entry_bits[row]),
        )


def direct_palettes(histograms: Ints) -> PaletteTable:
    """No entries; the codes below the first that occurs are left out."""
    used = histograms > 0
    offsets = np.minimum(np.argmax(used, axis=1), MAX_DIRECT_OFFSET)
    index = np.arange(histograms.shape[1]) - offsets[:, np.newaxis]
    top = np.where(used, index, 0).max(axis=1)
    rows = histograms.shape[0]
    return PaletteTable(
        index_of_code=np.where(index < 0, NEVER, index),
        entries=np.zeros((rows, MAX_PALETTE), dtype=np.int64),
        sizes=np.zeros(rows, dtype=np.int64),
        offsets=offsets,
        entry_bits=np.maximum(_bit_length(top), LEAST_ENTRY_BITS),
    )


def least_code_palettes(histograms: Ints, size: int) -> PaletteTable:
    """Entries for the least codes that occur: no direct index is then spent on gaps among them."""
    return _entry_palettes(histograms, np.argsort(histograms == 0, axis=1, kind="stable"), size)


def frequent_code_palettes(histograms: Ints, size: int) -> PaletteTable:
    """Entries for the codes that occur most."""
    return _entry_palettes(histograms, np.argsort(-histograms, axis=1, kind="stable"), size)


def _entry_palettes(histograms: Ints, ranked: Ints, size: int) -> PaletteTable:
    """Entries for the codes of highest rank; the most frequent of them come first."""
    used = histograms > 0
    occurring = used.sum(axis=1)
    sizes = np.clip(occurring, 2, size)
    chosen = _widened(ranked[:, :size], size)
    is_chosen = np.arange(size) < occurring[:, np.newaxis]
    counts = np.where(is_chosen, np.take_along_axis(histograms, chosen, axis=1), -1)
    by_count = np.argsort(-counts, axis=1, kind="stable")
    entries = np.take_along_axis(chosen, by_count, axis=1)
    # A palette of one is made two by saying the same twice.
    entries = np.where(is_chosen, entries, entries[:, :1])
    rest = used.copy()
    np.put_along_axis(rest, np.where(is_chosen, chosen, chosen[:, :1]), values=False, axis=1)
    has_rest = rest.any(axis=1)
    offsets = np.where(has_rest, np.argmax(rest, axis=1), 0).clip(max=MAX_DIRECT_OFFSET)
    index = np.arange(histograms.shape[1]) - offsets[:, np.newaxis]
    index = np.where(index < 0, NEVER, index + sizes[:, np.newaxis])
    places = np.where(is_chosen, np.arange(size), 0)
    np.put_along_axis(index, entries, places, axis=1)
    index[index > MAX_INDEX] = NEVER
    top = entries.max(axis=1)
    return PaletteTable(
        index_of_code=index,
        entries=_widened(entries, MAX_PALETTE),
        sizes=sizes,
        offsets=offsets,
        entry_bits=np.maximum(_bit_length(top), LEAST_ENTRY_BITS),
    )


def _widened(rows: Ints, width: int) -> Ints:
    """Rows with zeros behind them."""
    wide = np.zeros((rows.shape[0], width), dtype=np.int64)
    wide[:, : rows.shape[1]] = rows
    return wide


def _bit_length(values: Ints) -> Ints:
    return np.ceil(np.log2(values + 1)).astype(np.int64)


def codes_of(weights: npt.NDArray[np.int16]) -> npt.NDArray[np.intp]:
    """Sign-magnitude codes of weights within -255 and 255."""
    return (2 * np.abs(weights) + (weights < 0)).astype(np.intp)


def _weight_table() -> npt.NDArray[np.int16]:
    codes = np.arange(CODES)
    table = np.where(codes & 1, -(codes >> 1), codes >> 1).astype(np.int16)
    table.flags.writeable = False
    return table


WEIGHT_OF_CODE = _weight_table()
