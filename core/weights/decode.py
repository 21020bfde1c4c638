"""Reads weight streams back, and refuses those that no decoder could read."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import Changing, Frozen
from core.weights.bits import Bytes, Ints
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
from core.weights.tracks import PADDING_BYTES, Coding, Track, symbols_of

_WINDOW_BYTES = 8
_NO_WEIGHT = np.iinfo(np.int16).max
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


class _Slice(Frozen):
    """A slice whose chunks are found."""

    header: _Header
    palette: Palette
    weights: Track
    zeros: Track | None
    end: int
    """Where it ends."""


def decode_stream(data: bytes, where: str = "weight stream") -> npt.NDArray[np.int16]:
    """The weights that a stream stands for."""
    cursor = _Cursor(data, where)
    padded = np.frombuffer(data + bytes(PADDING_BYTES), dtype=np.uint8)
    slices, stop = _found(cursor, _ones_before(padded))
    tracks = (each for found in slices for each in (found.weights, found.zeros) if each)
    symbols = iter(symbols_of(tuple(tracks), padded))
    parts = []
    for found in slices:
        cursor.at = found.end
        weights = _weights(cursor, found.palette, next(symbols))
        if found.zeros is not None:
            weights = _with_zeros(cursor, weights, next(symbols), found.header)
        parts.append(weights)
    if stop is not None:
        raise stop
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int16)


def _ones_before(padded: Bytes) -> Sequence[int]:
    """For each bit, how many before it are set: plain numbers, as it is walked one by one."""
    ones = np.zeros(8 * padded.size + 1, dtype=np.int32)
    np.cumsum(np.unpackbits(padded, bitorder="little"), out=ones[1:])
    return memoryview(ones.data)


def _found(cursor: _Cursor, ones_before: Sequence[int]) -> tuple[list[_Slice], InputError | None]:
    """All slices in their order, and why there are no more of them: what is wrong in one that was
    found is told first."""
    found: list[_Slice] = []
    last: tuple[_Header, Palette] | None = None
    try:
        while cursor.at < cursor.size_bits:
            zero_divisor = cursor.take(ZERO_DIVISOR_BITS)
            if zero_divisor == END_OF_STREAM:
                last = None
                cursor.at = (cursor.at + 7) & ~7
                continue
            last = _read_header(cursor, zero_divisor, last)
            found.append(_find_chunks(cursor, ones_before, *last))
        if last is not None:
            raise cursor.corrupt("the stream has no end mark")
    except InputError as error:
        return found, error
    return found, None


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


def _find_chunks(
    cursor: _Cursor, ones_before: Sequence[int], header: _Header, palette: Palette
) -> _Slice:
    coding = Coding.TRUNCATED if header.is_truncated else Coding.WEIGHTS
    if header.is_uncompressed:
        coding = Coding.NOTHING
    weights, zeros = Track(header.count, header.width, coding, header.capacity), None
    if header.has_zero_runs:
        zeros = Track(
            header.count + header.brings_palette,
            header.zero_divisor,
            Coding.RUNS,
            zero_chunk_bits(header.zero_divisor),
        )
        _walk_both(cursor, ones_before, weights, zeros)
    elif header.is_uncompressed:
        step, chunks = header.width * header.capacity, -(-header.count // header.capacity)
        weights.remainders_at.extend(cursor.at + step * chunk for chunk in range(chunks))
        cursor.skip(header.count * header.width)
    else:
        _walk_weights(cursor, ones_before, weights)
    return _Slice(header=header, palette=palette, weights=weights, zeros=zeros, end=cursor.at)


def _walk_weights(cursor: _Cursor, ones_before: Sequence[int], track: Track) -> None:
    """Find the chunks of a slice that has no zero runs: remainders come behind the next chunk."""
    at, width, end = cursor.at, track.width, cursor.size_bits
    note, is_plain = track.steps_at.append, track.coding is Coding.WEIGHTS
    left, owed, symbols = track.needed, 0, STEPS
    while left > 0 and at <= end:
        note(at)
        more = at + STEPS
        before = ones_before[more]
        at = more + before - ones_before[at]
        if is_plain:
            symbols = STEPS + before - ones_before[at]
        at += owed * width
        owed = symbols
        left -= symbols
    track.last_remainders_at = cursor.at = at
    # Those beyond the slice are padding.
    cursor.skip((owed + min(left, 0)) * width)


def _walk_both(cursor: _Cursor, ones_before: Sequence[int], weights: Track, zeros: Track) -> None:
    """Find the chunks of weights and of zero runs, which take turns."""
    at, end, lead = cursor.at, cursor.size_bits, 0
    is_unary, is_plain = weights.coding is not Coding.NOTHING, weights.coding is Coding.WEIGHTS
    # Looked up once: there are many rounds.
    note_weights, note_more = weights.steps_at.append, weights.more_at.append
    note_remainders, width, capacity = weights.remainders_at.append, weights.width, weights.steps
    note_zeros, note_zero_remainders = zeros.steps_at.append, zeros.remainders_at.append
    zero_width, steps = zeros.width, zeros.steps
    left_weights, left_zeros = weights.needed, zeros.needed
    owed_weights = owed_zeros = _NO_CHUNK
    is_over = False
    while at <= end and not is_over:
        takes_weight = lead < ZERO_RUN_LEAD and left_weights > 0
        takes_zero = lead >= 0 and left_zeros > 0
        is_over = not takes_weight and not takes_zero
        made_weights, made_zeros, unary_at = capacity, steps, at
        if takes_weight and is_unary:
            at += STEPS
        if takes_zero:
            note_zeros(at)
            made_zeros -= ones_before[at + steps] - ones_before[at]
            at += steps
        if takes_weight and is_unary:
            note_weights(unary_at)
            note_more(at)
            before = ones_before[at]
            at += ones_before[unary_at + STEPS] - ones_before[unary_at]
            if is_plain:
                made_weights -= ones_before[at] - before
        if owed_weights != _NO_CHUNK:
            note_remainders(at)
            at += owed_weights * width
        if owed_zeros != _NO_CHUNK:
            note_zero_remainders(at)
            at += owed_zeros * zero_width
        owed_weights = owed_zeros = _NO_CHUNK
        if takes_weight:
            owed_weights, lead = min(made_weights, left_weights), lead + made_weights
            left_weights -= made_weights
        if takes_zero:
            owed_zeros, lead = min(made_zeros, left_zeros), lead - made_zeros
            left_zeros -= made_zeros
    cursor.at = at
    cursor.skip(0)


_NO_CHUNK = -1
"""In place of symbols of the last round's chunk, whose remainders come in this one."""


def _weights(cursor: _Cursor, palette: Palette, indices: Ints) -> npt.NDArray[np.int16]:
    try:
        weights = _weight_of_index(palette)[indices]
    except IndexError:
        raise cursor.corrupt("a weight index has more than 9 bits") from None
    if weights.max() == _NO_WEIGHT:
        raise cursor.corrupt("a weight has more than 9 bits")
    return weights


@functools.lru_cache(maxsize=256)
def _weight_of_index(palette: Palette) -> npt.NDArray[np.int16]:
    """For each index the weight that it stands for."""
    codes = palette.code_of_index()
    is_weight = codes <= MAX_INDEX
    return np.where(is_weight, WEIGHT_OF_CODE[codes * is_weight], np.int16(_NO_WEIGHT))


def _with_zeros(
    cursor: _Cursor, weights: npt.NDArray[np.int16], runs: Ints, header: _Header
) -> npt.NDArray[np.int16]:
    """The weights with a run of zeros behind each of them, and maybe one in front."""
    if int(runs.sum()) > _MAX_ZEROS:
        raise cursor.corrupt("a slice has more zeros than any network has weights")
    gaps = runs if header.brings_palette else np.concatenate(([0], runs))
    at = np.cumsum(gaps[:-1]) + np.arange(weights.size)
    values = np.zeros(weights.size + int(gaps.sum()), dtype=np.int16)
    values[at] = weights
    return values
