"""Reads weight streams back, and refuses those that no decoder could read."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen, field
from core.weights.bits import Bytes, Ints, get_fields
from core.weights.layout import (
    DIRECT_OFFSET_BITS,
    DIVISOR_BITS,
    END_OF_STREAM,
    ENTRY_WIDTH_BITS,
    LEAST_ENTRY_BITS,
    MAX_DIVISOR,
    MAX_INDEX,
    MAX_ZERO_DIVISOR,
    NO_ZERO_RUNS,
    PALETTE_SIZE_BITS,
    SLICE_LENGTH_BITS,
    STEPS,
    UNCOMPRESSED,
    WIDE_STEPS,
    ZERO_DIVISOR_BITS,
    ZERO_RUN_LEAD,
    zero_chunk_bits,
)
from core.weights.palette import WEIGHT_OF_CODE, Palette

_WINDOW_BYTES = 8
_PADDING_BYTES = 16
_UNARY_MASK = (1 << STEPS) - 1
_MAX_ZEROS = 1 << 27
"""No network has so many weights in one stream; a slice that says so is corrupt."""


class _Cursor(Changing):
    """A place in the stream."""

    data: bytes
    where: str
    at: int = 0

    @property
    def size_bits(self) -> int:
        """Bits of the whole stream."""
        return 8 * len(self.data)

    def take(self, bits: int) -> int:
        """The next field of up to 56 bits."""
        start = self.at >> 3
        window = int.from_bytes(self.data[start : start + _WINDOW_BYTES], "little")
        value = (window >> (self.at & 7)) & ((1 << bits) - 1)
        self.skip(bits)
        return value

    def skip(self, bits: int) -> None:
        """Pass over bits that are read later."""
        self.at += bits
        if self.at > self.size_bits:
            raise self.corrupt("the stream ends inside a slice")

    def corrupt(self, message: str) -> InputError:
        """An error at this place."""
        return InputError(message, f"{self.where}, byte {min(self.at >> 3, len(self.data))}")


class _Header(Frozen):
    count: int
    width: int
    is_truncated: bool
    is_uncompressed: bool
    zero_divisor: int
    brings_palette: bool

    @property
    def has_zero_runs(self) -> bool:
        """Whether zeros are coded between the weights."""
        return self.zero_divisor != NO_ZERO_RUNS

    @property
    def capacity(self) -> int:
        """Unary steps, or indices of fixed width, that one chunk has room for."""
        return WIDE_STEPS if self.is_uncompressed and self.width > MAX_DIVISOR else STEPS


class _Track(Changing):
    """Chunks of one kind of symbol in one slice, as far as they have been read."""

    needed: int
    width: int
    is_plain: bool
    """Whether a symbol may take several steps, the last of which counts less than two."""
    is_zero_runs: bool = False
    done: int = 0
    due: int | None = None
    """Symbols of the last round's chunk, whose remainders come in this one."""
    unary: list[int] = field(default_factory=list)
    more: list[int] = field(default_factory=list)
    remainders_at: list[int] = field(default_factory=list)

    @property
    def is_finished(self) -> bool:
        """Whether all symbols have been read, but for their remainders."""
        return self.done >= self.needed

    def add(self, unary: int, more: int, symbols: int) -> None:
        """Note a chunk that completes so many symbols; those beyond the slice are padding."""
        self.unary.append(unary)
        self.more.append(more)
        self.due = min(symbols, self.needed - self.done)
        self.done += symbols

    def settle(self, cursor: _Cursor, owed: int | None) -> None:
        """Pass over the remainders of the last round's chunk."""
        if owed is not None:
            self.remainders_at.append(cursor.at)
            cursor.skip(owed * self.width)


def decode_stream(data: bytes, where: str = "weight stream") -> npt.NDArray[np.int16]:
    """The weights that a stream stands for."""
    cursor = _Cursor(data, where)
    padded = np.frombuffer(data + bytes(_PADDING_BYTES), dtype=np.uint8)
    parts: list[npt.NDArray[np.int16]] = []
    last: tuple[_Header, Palette] | None = None
    while cursor.at < cursor.size_bits:
        zero_divisor = cursor.take(ZERO_DIVISOR_BITS)
        if zero_divisor == END_OF_STREAM:
            last = None
            cursor.at = (cursor.at + 7) & ~7
            continue
        last = _read_header(cursor, zero_divisor, last)
        parts.append(_read_slice(cursor, padded, *last))
    if last is not None:
        raise cursor.corrupt("the stream has no end mark")
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int16)


def _read_header(
    cursor: _Cursor, zero_divisor: int, last: tuple[_Header, Palette] | None
) -> tuple[_Header, Palette]:
    if zero_divisor > MAX_ZERO_DIVISOR and zero_divisor != NO_ZERO_RUNS:
        raise cursor.corrupt(f"a slice cannot have the zero divisor {zero_divisor}")
    count = cursor.take(SLICE_LENGTH_BITS) + 1
    divisor = cursor.take(DIVISOR_BITS)
    if divisor > MAX_DIVISOR and divisor != UNCOMPRESSED:
        raise cursor.corrupt(f"a slice cannot have the weight divisor {divisor}")
    is_truncated = bool(cursor.take(1))
    brings_palette = bool(cursor.take(1))
    if brings_palette:
        palette = _read_palette(cursor)
    elif last is None:
        raise cursor.corrupt("the first slice brings no palette")
    else:
        palette = last[1]
        if last[0].has_zero_runs != (zero_divisor != NO_ZERO_RUNS):
            raise cursor.corrupt("zero runs begin or end without a new palette")
    is_uncompressed = divisor == UNCOMPRESSED
    header = _Header(
        count=count,
        width=palette.uncompressed_bits if is_uncompressed else divisor,
        is_truncated=is_truncated,
        is_uncompressed=is_uncompressed,
        zero_divisor=zero_divisor,
        brings_palette=brings_palette,
    )
    return header, palette


def _read_palette(cursor: _Cursor) -> Palette:
    offset = cursor.take(DIRECT_OFFSET_BITS)
    size = cursor.take(PALETTE_SIZE_BITS)
    width = cursor.take(ENTRY_WIDTH_BITS) + LEAST_ENTRY_BITS
    entries = tuple(cursor.take(width) for _ in range(size + 1)) if size else ()
    return Palette(entries=entries, direct_offset=offset, entry_bits=width)


def _read_slice(
    cursor: _Cursor, padded: Bytes, header: _Header, palette: Palette
) -> npt.NDArray[np.int16]:
    runs: Ints | None = None
    if header.has_zero_runs:
        weights, zeros = _walk_both(cursor, header)
        runs = _numbers(zeros, zero_chunk_bits(header.zero_divisor), padded)
        indices = _numbers(weights, header.capacity, padded)
    elif header.is_uncompressed:
        at = cursor.at + header.width * np.arange(header.count, dtype=np.int64)
        cursor.skip(header.count * header.width)
        indices = _fields(padded, at, header.width)
    else:
        indices = _numbers(_walk_weights(cursor, header), STEPS, padded)
    if indices.max() > MAX_INDEX:
        raise cursor.corrupt("a weight index has more than 9 bits")
    codes = palette.code_of_index()[indices]
    if codes.max() > MAX_INDEX:
        raise cursor.corrupt("a weight has more than 9 bits")
    weights_read = WEIGHT_OF_CODE[codes]
    if runs is None:
        return weights_read
    if int(runs.sum()) > _MAX_ZEROS:
        raise cursor.corrupt("a slice has more zeros than any network has weights")
    return _with_zeros(weights_read, runs, has_leading_run=header.brings_palette)


def _walk_weights(cursor: _Cursor, header: _Header) -> _Track:
    """Find the chunks of a slice that has no zero runs."""
    track = _Track(header.count, header.width, not header.is_truncated)
    data, at, width = cursor.data, cursor.at, header.width
    unary_of, more_of, remainders_at = track.unary, track.more, track.remainders_at
    left, owed, end = header.count, 0, cursor.size_bits
    while left > 0 and at <= end:
        start = at >> 3
        window = int.from_bytes(data[start : start + 4], "little") >> (at & 7)
        unary = window & _UNARY_MASK
        ones = unary.bit_count()
        more = window >> STEPS & ((1 << ones) - 1)
        at += STEPS + ones
        if unary_of:
            remainders_at.append(at)
            at += owed * width
        owed = min(left, STEPS - more.bit_count() if track.is_plain else STEPS)
        left -= owed
        unary_of.append(unary)
        more_of.append(more)
    remainders_at.append(at)
    cursor.at = at
    cursor.skip(owed * width)
    return track


def _walk_both(cursor: _Cursor, header: _Header) -> tuple[_Track, _Track]:
    """Find the chunks of weights and of zero runs, which take turns."""
    is_plain = not (header.is_truncated or header.is_uncompressed)
    weights = _Track(header.count, header.width, is_plain)
    zeros = _Track(
        header.count + header.brings_palette, header.zero_divisor, is_plain=True, is_zero_runs=True
    )
    capacity = header.capacity
    zero_bits = zero_chunk_bits(header.zero_divisor)
    while True:
        lead = weights.done - zeros.done
        takes_weight = lead < ZERO_RUN_LEAD and not weights.is_finished
        takes_zero = lead >= 0 and not zeros.is_finished
        owed_weights, owed_zeros = weights.due, zeros.due
        weights.due = zeros.due = None
        unary = cursor.take(STEPS) if takes_weight and not header.is_uncompressed else 0
        if takes_zero:
            runs = cursor.take(zero_bits)
            ones = runs.bit_count()
            # As if each unary bit counted two, which makes all but the last step of a run alike.
            zeros.add(runs, (1 << ones) - 1, zero_bits - ones)
        if takes_weight:
            more = cursor.take(unary.bit_count())
            weights.add(unary, more, capacity - (more.bit_count() if is_plain else 0))
        weights.settle(cursor, owed_weights)
        zeros.settle(cursor, owed_zeros)
        if not takes_weight and not takes_zero:
            return weights, zeros


def _numbers(track: _Track, capacity: int, padded: Bytes) -> Ints:
    """The symbols of a track: quotients from its unary bits, remainders from where they are."""
    counts = _flags(track.unary)[:, :capacity].astype(np.int64)
    ones = counts.sum(axis=1)
    more = _flags(track.more)
    counts[counts > 0] += more[np.arange(more.shape[1]) < ones[:, np.newaxis]]
    is_end = counts.ravel() < 2 if track.is_plain else np.ones(counts.size, dtype=np.bool_)
    ends = np.flatnonzero(is_end)[: track.needed]
    quotients = np.diff(np.cumsum(counts.ravel())[ends], prepend=0)
    chunk = ends // capacity
    rank = np.arange(ends.size) - np.searchsorted(chunk, chunk)
    at = np.array(track.remainders_at, dtype=np.int64)[chunk] + track.width * rank
    if track.is_zero_runs:
        quotients >>= 1
    return (quotients << track.width) + _fields(padded, at, track.width)


def _flags(numbers: list[int]) -> npt.NDArray[np.uint8]:
    """The bits of 16-bit numbers, a row for each, lowest first."""
    packed = np.array(numbers, dtype="<u2").view(np.uint8).reshape(-1, 2)
    return np.unpackbits(packed, axis=1, bitorder="little")


def _fields(padded: Bytes, at: Ints, width: int) -> Ints:
    return get_fields(padded, at, np.full(at.size, width)).astype(np.int64)


def _with_zeros(
    weights: npt.NDArray[np.int16], runs: Ints, *, has_leading_run: bool
) -> npt.NDArray[np.int16]:
    """The weights with a run of zeros behind each of them, and maybe one in front."""
    gaps = runs if has_leading_run else np.concatenate(([0], runs))
    at = np.cumsum(gaps[:-1]) + np.arange(weights.size)
    values = np.zeros(weights.size + int(gaps.sum()), dtype=np.int16)
    values[at] = weights
    return values
