"""Fields of bits, many at once: scattered into words, gathered from bytes, packed at one width."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]

CELLS = 16
"""Flags that make one number."""
_WORD_BITS = 64
_TAIL_BYTES = 16
"""Zero bytes behind a packed run, so that a read of two words at its end stays inside."""


def empty_words(size_bits: int) -> Words:
    """Room for fields, one word more than they need."""
    return np.zeros(size_bits // _WORD_BITS + 2, dtype=np.uint64)


def put_fields(words: Words, positions: Ints, values: Words) -> None:
    """Add fields of up to 64 bits at bit positions; where they go there must be zeros."""
    index = positions >> 6
    shift = (positions & 63).astype(np.uint64)
    np.add.at(words, index, values << shift)
    # Two shifts, because a shift by 64 is undefined.
    high = (values >> np.uint64(1)) >> (np.uint64(63) - shift)
    crossing = np.flatnonzero(high)
    np.add.at(words, index[crossing] + 1, high[crossing])


def get_fields(packed: Bytes, positions: Ints, widths: Ints) -> Words:
    """Fields of up to 64 bits; `packed` must end in 16 bytes that no field reaches."""
    windows = np.ndarray((packed.size - 7,), dtype="<u8", buffer=packed, strides=(1,))
    index = positions >> 3
    shift = (positions & 7).astype(np.uint64)
    values = windows[index] >> shift
    high = packed[index + 8].astype(np.uint64)
    values |= (high << np.uint64(1)) << (np.uint64(63) - shift)
    fields: Words = values & low_mask(widths)
    return fields


def low_mask(widths: Ints) -> Words:
    """Words whose lowest bits, as many as `widths` says (0 to 64), are set."""
    unused = np.minimum(_WORD_BITS - widths, 63).astype(np.uint64)
    return np.where(widths == 0, np.uint64(0), np.uint64(0xFFFFFFFFFFFFFFFF) >> unused)


def pack_fixed(values: npt.NDArray[Any], width: int) -> Bytes:
    """Numbers one after the other at one width, followed by zero bytes to read past the end."""
    if width == 0:
        return np.zeros(_TAIL_BYTES, dtype=np.uint8)
    if width > 8:
        pairs = np.ascontiguousarray(values, dtype="<u2").view(np.uint8).reshape(-1, 2)
        bits = np.unpackbits(pairs, axis=1, bitorder="little")[:, :width]
        return _with_tail(np.packbits(bits.ravel(), bitorder="little"))
    padded = np.zeros(-(-values.size // 8) * 8, dtype=np.uint8)
    padded[: values.size] = values
    lanes = padded.view("<u8")
    if width < 8:
        lanes = _squeeze(lanes, width)
    return _with_tail(lanes.view(np.uint8).reshape(-1, 8)[:, :width].ravel())


def _squeeze(lanes: Words, width: int) -> Words:
    """Eight bytes in each word become eight numbers of `width` bits, lowest first."""
    for lane_bits in (8, 16, 32):
        low = np.uint64(sum(((1 << lane_bits) - 1) << at for at in range(0, 64, 2 * lane_bits)))
        gap = np.uint64(lane_bits - width * lane_bits // 8)
        lanes = (lanes & low) | ((lanes & ~low) >> gap)
    return lanes


def _with_tail(packed: Bytes) -> Bytes:
    return np.concatenate((packed, np.zeros(_TAIL_BYTES, dtype=np.uint8)))


def pack_rows(flags: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """One number for each row of 16 flags; the first flag is its lowest bit."""
    return np.packbits(flags.ravel(), bitorder="little").view("<u2")


def select_bits(values: npt.NDArray[np.uint16], mask: npt.NDArray[np.uint16]) -> Words:
    """The bits of 12-bit `values` under `mask`, moved together at the low end."""
    low_count = np.bitwise_count(mask & 63).astype(np.uint64)
    low = _SELECTED[(mask & 63).astype(np.intp) << 6 | (values & 63)]
    high = _SELECTED[(mask >> 6).astype(np.intp) << 6 | (values >> 6)]
    selected: Words = low | (high << low_count)
    return selected


def _select_table() -> Words:
    mask, value = np.divmod(np.arange(1 << 12), 64)
    result = np.zeros(1 << 12, dtype=np.uint64)
    rank = np.zeros(1 << 12, dtype=np.uint64)
    for bit in range(6):
        taken = (mask >> bit & 1).astype(np.uint64)
        result |= ((value >> bit & 1).astype(np.uint64) & taken) << rank
        rank += taken
    return result


_SELECTED = _select_table()
