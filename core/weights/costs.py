"""What coding costs, in bits: of single symbols, of windows of them, and of whole histograms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.frozen import Frozen
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


class Coding(Frozen):
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


ENDS = np.array([coding.end for coding in DIVIDED])
_TOO_MUCH = 1000
"""Bits that stand for what cannot be said: more than codings of a whole window can differ by, with
two changes of coding beside that."""


def _symbol_bits() -> Ints:
    index = np.arange(MAX_INDEX + 1, dtype=np.int64)[:, np.newaxis]
    divisors = np.array([coding.divisor for coding in DIVIDED])
    is_truncated = np.array([coding.is_truncated for coding in DIVIDED])
    quotients = index >> divisors
    ones = np.where(is_truncated, np.minimum(quotients, _MAX_TRUNCATED_BITS), quotients)
    bits: Ints = np.where(index < ENDS, ones + 1 + divisors, _TOO_MUCH)
    bits.flags.writeable = False
    return bits


SYMBOL_BITS = _symbol_bits()
"""By index and divided coding."""


def _field_words() -> tuple[Words, ...]:
    words = []
    for first in range(0, len(DIVIDED), _FIELDS):
        word = np.zeros(MAX_INDEX + 1, dtype=np.uint64)
        for field in range(_FIELDS):
            bits = SYMBOL_BITS[:, first + field].astype(np.uint64)
            word |= bits << np.uint64(_FIELD_BITS * field)
        word.flags.writeable = False
        words.append(word)
    return tuple(words)


_WORDS = _field_words()


def window_costs(indices: npt.NDArray[np.intp], firsts: Ints) -> Costs:
    """Bits by divided coding and window of at most 16 indices, given where windows begin."""
    costs = np.empty((len(DIVIDED), firsts.size), dtype=np.int32)
    for number, word in enumerate(_WORDS):
        fields = np.add.reduceat(word.take(indices), firsts).view(np.uint16)
        costs[_FIELDS * number : _FIELDS * (number + 1)] = fields.reshape(-1, _FIELDS).T
    return costs


def histogram_costs(histograms: Ints, indices: Ints) -> Ints:
    """Bits of each row of symbol counts by divided coding, when symbols have these indices."""
    rows, places = histograms.shape[0], MAX_INDEX + 1
    firsts = np.arange(rows)[:, np.newaxis] * places
    at = np.minimum(indices, MAX_INDEX) + firsts
    by_index = np.bincount(at.ravel(), weights=histograms.ravel(), minlength=rows * places)
    costs: Ints = (by_index.reshape(rows, places) @ SYMBOL_BITS.astype(np.float64)).astype(np.int64)
    top = np.where(histograms > 0, indices, 0).max(axis=1)
    costs[top[:, np.newaxis] >= ENDS] = IMPOSSIBLE
    return costs
