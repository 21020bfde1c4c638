"""What coding costs, in bits: of single symbols, of windows of them, and of whole histograms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.weights.bits import Ints, Words
from core.weights.layout import MAX_DIVISOR, MAX_INDEX, MAX_QUOTIENT, MAX_ZERO_DIVISOR

Costs = npt.NDArray[np.int32]

_MAX_TRUNCATED_QUOTIENT = 2
_MAX_TRUNCATED_BITS = 1
"""Beside the bit that every symbol has."""
_FIELD_BITS = 16
_FIELDS = 4
IMPOSSIBLE = 1 << 28
"""Cost of what the syntax cannot say; it fits 32 bits together with any cost that can arise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coding:
    """A way to code weight indices: divisor and truncation, or fixed width."""

    divisor: int = 0
    is_truncated: bool = False
    is_uncompressed: bool = False

    @property
    def end(self) -> int:
        """The first index that this way cannot say."""
        quotients = _MAX_TRUNCATED_QUOTIENT if self.is_truncated else MAX_QUOTIENT
        return (quotients + 1) << self.divisor


DIVIDED = tuple(
    Coding(divisor=divisor, is_truncated=is_truncated)
    for divisor in range(MAX_DIVISOR + 1)
    for is_truncated in (False, True)
)
CODINGS = (*DIVIDED, Coding(is_uncompressed=True))
DIVISORS = np.array([coding.divisor for coding in CODINGS])
IS_TRUNCATED = np.array([coding.is_truncated for coding in CODINGS])
IS_UNCOMPRESSED = np.array([coding.is_uncompressed for coding in CODINGS])
IS_PLAIN = ~(IS_TRUNCATED | IS_UNCOMPRESSED)
ZERO_DIVISORS = tuple(range(MAX_ZERO_DIVISOR + 1))


def _symbol_bits() -> Ints:
    index = np.arange(MAX_INDEX + 1, dtype=np.int64)[:, np.newaxis]
    divisors = np.array([coding.divisor for coding in DIVIDED])
    is_truncated = np.array([coding.is_truncated for coding in DIVIDED])
    quotients = index >> divisors
    ones = np.where(is_truncated, np.minimum(quotients, _MAX_TRUNCATED_BITS), quotients)
    bits: Ints = ones + 1 + divisors
    bits.flags.writeable = False
    return bits


SYMBOL_BITS = _symbol_bits()
"""By index and divided coding; where a coding cannot say an index, a number without meaning."""
ENDS = np.array([coding.end for coding in DIVIDED])


def _field_words() -> tuple[Words, ...]:
    words = []
    for first in range(0, len(DIVIDED), _FIELDS):
        word = np.zeros(MAX_INDEX + 2, dtype=np.uint64)
        for field in range(_FIELDS):
            bits = SYMBOL_BITS[:, first + field].astype(np.uint64)
            word[:-1] |= bits << np.uint64(_FIELD_BITS * field)
        word.flags.writeable = False
        words.append(word)
    return tuple(words)


_WORDS = _field_words()
FILLER = MAX_INDEX + 1
"""An index that costs nothing: it fills up windows."""


def window_costs(indices: npt.NDArray[np.intp], window: int) -> Costs:
    """Bits by divided coding and window of indices; windows of at most 1024 symbols."""
    rows = indices.reshape(-1, window)
    costs = np.empty((len(DIVIDED), rows.shape[0]), dtype=np.int32)
    for number, word in enumerate(_WORDS):
        sums = word.take(rows).sum(axis=1)
        for field in range(_FIELDS):
            shift = np.uint64(_FIELD_BITS * field)
            costs[_FIELDS * number + field] = (sums >> shift) & np.uint64((1 << _FIELD_BITS) - 1)
    top = np.where(rows == FILLER, -1, rows).max(axis=1)
    costs[top >= ENDS[:, np.newaxis]] = IMPOSSIBLE
    return costs


def histogram_costs(histograms: Ints, indices: Ints) -> Ints:
    """Bits of each row of symbol counts by divided coding, when symbols have these indices."""
    costs = np.empty((histograms.shape[0], len(DIVIDED)), dtype=np.int64)
    totals = histograms.sum(axis=1)
    top = np.where(histograms > 0, indices, 0).max(axis=1)
    for number, coding in enumerate(DIVIDED):
        quotients = indices >> coding.divisor
        if coding.is_truncated:
            quotients = np.minimum(quotients, _MAX_TRUNCATED_BITS)
        costs[:, number] = np.einsum("ij,ij->i", histograms, quotients)
        costs[:, number] += totals * (1 + coding.divisor)
        costs[top >= coding.end, number] = IMPOSSIBLE
    return costs
