"""Chunks of symbols in a weight stream: noted while it is walked, and read many at once.

A symbol is a quotient and a remainder. A chunk of weights has 12 unary bits, and one more bit for
each that is set; a step of both bits goes on to the next one, and any other ends a symbol. A chunk
of zero runs has unary bits alone. What is not compressed has remainders alone.
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from core.base.frozen import Changing, NamedTuple, field
from core.weights.bits import Bytes, Ints
from core.weights.layout import STEPS

Bits = npt.NDArray[np.uint32]
"""The steps of a chunk, the first of which is the lowest bit; of many chunks."""

PADDING_BYTES = 20
"""Behind a stream, so that padding of its last chunk is inside as well."""


class Coding(enum.Enum):
    """What the steps of chunks say."""

    WEIGHTS = enum.auto()
    TRUNCATED = enum.auto()
    """Weights of one step each."""
    RUNS = enum.auto()
    NOTHING = enum.auto()
    """Each is the end of a symbol that is all remainder."""


def _places() -> array[int]:
    return array("q")


class Track(Changing):
    """Chunks of one coding in one slice."""

    needed: int
    """Symbols; those beyond are padding."""
    width: int
    """Bits of a remainder."""
    coding: Coding
    steps: int = STEPS
    """Of a chunk."""
    steps_at: array[int] = field(default_factory=_places)
    more_at: array[int] = field(default_factory=_places)
    """Of weights: where second bits are; nothing where they come right behind the steps."""
    remainders_at: array[int] = field(default_factory=_places)
    """Nothing where they come right behind the next chunk, or else at the last."""
    last_remainders_at: int = 0

    @property
    def chunks(self) -> int:
        """How many there are."""
        return len(self.steps_at) or len(self.remainders_at)

    @property
    def is_alone(self) -> bool:
        """Whether no other track takes turns with it."""
        return not self.remainders_at


def symbols_of(tracks: Sequence[Track], padded: Bytes) -> list[Ints]:
    """The symbols of each track."""
    found: dict[int, Ints] = {}
    groups: dict[tuple[Coding, int, bool], list[int]] = {}
    for at, track in enumerate(tracks):
        groups.setdefault((track.coding, track.steps, track.is_alone), []).append(at)
    for (coding, steps, _), places in groups.items():
        alike = _alike(coding, steps, [tracks[at] for at in places], padded)
        found |= dict(zip(places, alike, strict=True))
    return [found[at] for at in range(len(tracks))]


class _Chunks(NamedTuple):
    """What chunks of many tracks say."""

    once: Bits
    """Steps that count one at least."""
    twice: Bits
    ends: Bits
    """Of symbols."""
    remainders_at: Ints


def _alike(coding: Coding, steps: int, tracks: Sequence[Track], padded: Bytes) -> Iterable[Ints]:
    """The same of tracks of one coding, all of them at once."""
    sizes = np.array([track.chunks for track in tracks])
    chunks = _chunks(coding, steps, tracks, padded)
    counts = np.bitwise_count(chunks.ends).astype(np.int64)
    firsts = np.cumsum(counts) - counts
    first_chunks = np.cumsum(sizes) - sizes
    starts = firsts[first_chunks]
    widths = np.repeat([track.width for track in tracks], sizes)
    places = np.flatnonzero(_flags(chunks.ends, steps))
    at = np.repeat(chunks.remainders_at - widths * firsts, counts)
    every = np.repeat(widths, counts)
    read = _fields(padded, at + every * np.arange(places.size), every)
    if coding is not Coding.NOTHING:
        quotients = _flags(chunks.once, steps)[places].astype(np.int64)
        if coding is Coding.TRUNCATED:
            quotients += _flags(chunks.twice, steps)[places]
        else:
            before = np.concatenate(([-1], places[:-1]))
            before[starts] = steps * first_chunks - 1
            gone_on = places - before - 1
            quotients += gone_on if coding is Coding.RUNS else 2 * gone_on
        read += quotients << every
    return [
        read[start : start + track.needed]
        for start, track in zip(starts.tolist(), tracks, strict=True)
    ]


def _chunks(coding: Coding, steps: int, tracks: Sequence[Track], padded: Bytes) -> _Chunks:
    mask = np.uint32((1 << steps) - 1)
    every = np.full(sum(track.chunks for track in tracks), mask, dtype=np.uint32)
    nothing = np.zeros_like(every)
    at = _joined(track.remainders_at for track in tracks)
    if coding is Coding.NOTHING:
        return _Chunks(nothing, nothing, every, at)
    unary_at = _joined(track.steps_at for track in tracks)
    unary = _windows(padded, unary_at) & mask
    if coding is Coding.RUNS:
        return _Chunks(nothing, nothing, ~unary & mask, at)
    ones = np.bitwise_count(unary)
    more_at = unary_at + steps
    if tracks[0].is_alone:
        ends = np.cumsum([track.chunks for track in tracks])
        at = np.concatenate(((more_at + ones)[1:], [0]))
        at[ends - 1] = [track.last_remainders_at for track in tracks]
    else:
        more_at = _joined(track.more_at for track in tracks)
    more = _windows(padded, more_at) & ((np.uint32(1) << ones) - np.uint32(1))
    twice = _deposited(more, unary)
    is_end = every if coding is Coding.TRUNCATED else ~twice & mask
    return _Chunks(unary, twice, is_end, at)


def _joined(places: Iterable[array[int]]) -> Ints:
    return np.frombuffer(b"".join(places), dtype=np.int64)


def _windows(padded: Bytes, at: Ints) -> Bits:
    """At least 24 bits from each place on."""
    words = np.ndarray((padded.size - 3,), dtype="<u4", buffer=padded, strides=(1,))
    found: Bits = words[at >> 3] >> (at & 7).astype(np.uint32)
    return found


def _fields(padded: Bytes, at: Ints, widths: Ints) -> Ints:
    if not widths.any():
        return np.zeros(at.size, dtype=np.int64)
    return _windows(padded, at).astype(np.int64) & ((1 << widths) - 1)


def _flags(bits: Bits, steps: int) -> npt.NDArray[np.uint8]:
    """The steps of all chunks one after the other."""
    rows = bits.astype("<u2").view(np.uint8).reshape(-1, 2)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :steps].ravel()


def _deposited(values: Bits, mask: Bits) -> Bits:
    """The lowest bits of values at the places that a mask of 12 bits has."""
    low = mask & 63
    lower = _DEPOSITED[low << 6 | (values & 63)]
    upper = _DEPOSITED[(mask >> 6) << 6 | (values >> np.bitwise_count(low) & 63)]
    found: Bits = lower | upper << 6
    return found


def _deposit_table() -> Bits:
    mask, value = np.divmod(np.arange(1 << 12, dtype=np.uint32), np.uint32(64))
    made, rank = np.zeros_like(mask), np.zeros_like(mask)
    for bit in range(6):
        taken = mask >> bit & 1
        made |= (value >> rank & taken) << bit
        rank += taken
    return made


_DEPOSITED = _deposit_table()
