"""The weight stream: weights in brick order to its bytes, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.errors import InputError
from core.base.frozen import Frozen, replace
from core.weights.bits import Ints, Words, empty_words, low_mask, put_fields
from core.weights.golomb import Chunks, weight_chunks, zero_run_chunks
from core.weights.layout import (
    DIRECT_OFFSET_BITS,
    DIVISOR_BITS,
    ENTRY_WIDTH_BITS,
    LEAST_ENTRY_BITS,
    MAX_WEIGHT,
    NO_ZERO_RUNS,
    PALETTE_SIZE_BITS,
    SLICE_LENGTH_BITS,
    STREAM_ALIGNMENT_BITS,
    UNCOMPRESSED,
    ZERO_DIVISOR_BITS,
    ZERO_RUN_LEAD,
)
from core.weights.palette import Palette, codes_of
from core.weights.slices import Effort, plan_streams, stream_bits
from core.weights.symbols import Codes
from core.weights.table import SliceTable, ranges, starts_of

_PIECE_BITS = 60


def encode_streams(
    weights: Sequence[npt.NDArray[np.int16]], effort: Effort = Effort.FAST, where: str = ""
) -> tuple[bytes, ...]:
    """A stream for each array of weights; what is needed in common is worked out once."""
    codes, counts = _codes(weights, where)
    plan = plan_streams(codes, counts, effort)
    return emit(plan.indices.astype(np.uint16), plan.zero_runs, plan.table, counts.size)


def stream_sizes(
    weights: Sequence[npt.NDArray[np.int16]], effort: Effort = Effort.FAST, where: str = ""
) -> tuple[int, ...]:
    """How many bytes each of these streams would have."""
    return tuple((_room_bits(stream_bits(*_codes(weights, where), effort)) // 8).tolist())


def _codes(weights: Sequence[npt.NDArray[np.int16]], where: str) -> tuple[Codes, Ints]:
    """The codes of all streams, and how many each of them has."""
    counts = np.array([part.size for part in weights], dtype=np.int64)
    if not counts.size or not counts.all():
        raise InputError("there are no weights to encode", where)
    values = np.concatenate(weights) if len(weights) > 1 else weights[0]
    least, greatest = int(values.min()), int(values.max())
    if least < -MAX_WEIGHT or greatest > MAX_WEIGHT:
        found = least if least < -MAX_WEIGHT else greatest
        raise InputError(
            f"a weight less its zero point is {found}; it must be within {MAX_WEIGHT} of 0",
            where,
        )
    return codes_of(values), counts


def _room_bits(bits: Ints) -> Ints:
    """What streams take with their end mark, and up to where the next one can begin."""
    return -(-(bits + ZERO_DIVISOR_BITS) // STREAM_ALIGNMENT_BITS) * STREAM_ALIGNMENT_BITS


class _Rounds(Frozen, eq=False):
    """What the decoder reads in one turn: a chunk of weights, one of zero runs, or both; or -1.

    The last round of each slice reads no unary bits, but the remainders that are still due.
    """

    per_slice: Ints
    weight: Ints
    zero: Ints


def emit(
    indices: np.typing.NDArray[np.uint16], zero_runs: Ints, table: SliceTable, streams: int
) -> tuple[bytes, ...]:
    """The streams that a plan describes, each aligned and with its end mark."""
    weights = weight_chunks(indices, table)
    zeros = _zero_chunks(zero_runs, table)
    rounds = _rounds(weights, zeros)
    values, sizes = _round_fields(weights, zeros, rounds)
    headers = [_header(table, slice_) for slice_ in range(table.size)]
    header_bits = np.array([bits for _, bits in headers], dtype=np.int64)
    body_bits = np.add.reduceat(sizes.sum(axis=0), starts_of(rounds.per_slice))
    used = np.zeros(streams, dtype=np.int64)
    np.add.at(used, table.stream, header_bits + body_bits)
    room = _room_bits(used)
    bases = starts_of(room)
    slice_at = _positions(header_bits + body_bits, bases, table)
    words = empty_words(int(room.sum()))
    _put_headers(words, headers, slice_at)
    _put_rounds(words, values, sizes, slice_at + header_bits, rounds)
    _put_ends(words, bases + used, room - used)
    packed = words.view(np.uint8)
    return tuple(
        packed[base // 8 : (base + size) // 8].tobytes()
        for base, size in zip(bases.tolist(), room.tolist(), strict=True)
    )


def _zero_chunks(zero_runs: Ints, table: SliceTable) -> Chunks | None:
    with_runs = np.flatnonzero(table.zero_divisor != NO_ZERO_RUNS)
    if not with_runs.size:
        return None
    counts = table.count[with_runs] + (table.palette[with_runs] >= 0)
    chunks = zero_run_chunks(zero_runs, table.zero_divisor[with_runs], counts)
    per_slice = np.zeros(table.size, dtype=np.int64)
    per_slice[with_runs] = chunks.per_slice
    return replace(chunks, per_slice=per_slice)


def _rounds(weights: Chunks, zeros: Chunks | None) -> _Rounds:
    per_slice = weights.per_slice + 1
    first_chunk = starts_of(weights.per_slice)
    turns: dict[int, tuple[list[int], list[int]]] = {}
    if zeros is not None:
        first_zero = starts_of(zeros.per_slice)
        for slice_ in np.flatnonzero(zeros.per_slice).tolist():
            own = slice(first_chunk[slice_], first_chunk[slice_] + weights.per_slice[slice_])
            runs = slice(first_zero[slice_], first_zero[slice_] + zeros.per_slice[slice_])
            turn = _take_turns(
                _offered(weights.symbols[own]), _offered(zeros.symbols[runs]), own.start, runs.start
            )
            turns[slice_] = turn
            per_slice[slice_] = len(turn[0])
    first_round = starts_of(per_slice)
    weight = np.full(int(per_slice.sum()), -1, dtype=np.int64)
    zero = np.full(weight.size, -1, dtype=np.int64)
    plain = weights.per_slice.copy()
    plain[list(turns)] = 0
    weight[ranges(first_round, plain)] = ranges(first_chunk, plain)
    for slice_, (own_turns, zero_turns) in turns.items():
        weight[first_round[slice_] :][: len(own_turns)] = own_turns
        zero[first_round[slice_] :][: len(zero_turns)] = zero_turns
    return _Rounds(per_slice=per_slice, weight=weight, zero=zero)


def _offered(symbols: Ints) -> list[int]:
    """Symbols that are complete before each chunk, and after the last."""
    return [0, *np.cumsum(symbols).tolist()]


def _take_turns(
    weights: list[int], zeros: list[int], first_weight: int, first_zero: int
) -> tuple[list[int], list[int]]:
    """Which chunk of each kind every round has, as the decoder balances the two."""
    weight_turns, zero_turns = [], []
    weight, zero = 0, 0
    last_weight, last_zero = len(weights) - 1, len(zeros) - 1
    while weight < last_weight or zero < last_zero:
        lead = weights[weight] - zeros[zero]
        takes_weight = lead < ZERO_RUN_LEAD and weight < last_weight
        takes_zero = lead >= 0 and zero < last_zero
        weight_turns.append(first_weight + weight if takes_weight else -1)
        zero_turns.append(first_zero + zero if takes_zero else -1)
        weight += takes_weight
        zero += takes_zero
    return [*weight_turns, -1], [*zero_turns, -1]


def _round_fields(weights: Chunks, zeros: Chunks | None, rounds: _Rounds) -> tuple[Words, Ints]:
    """Three fields for each round: unary bits, remainders of weights, remainders of zero runs."""
    total = rounds.weight.size
    values = np.zeros((3, total), dtype=np.uint64)
    sizes = np.zeros((3, total), dtype=np.int64)
    at = np.flatnonzero(rounds.weight >= 0)
    chunk = rounds.weight[at]
    values[1, at + 1] = weights.remainders[chunk]
    sizes[1, at + 1] = weights.remainder_bits[chunk]
    values[0, at] = weights.unary[chunk]
    sizes[0, at] = weights.unary_bits[chunk]
    if zeros is not None:
        zero_at = np.flatnonzero(rounds.zero >= 0)
        zero_chunk = rounds.zero[zero_at]
        values[2, zero_at + 1] = zeros.remainders[zero_chunk]
        sizes[2, zero_at + 1] = zeros.remainder_bits[zero_chunk]
        values[0, zero_at] |= zeros.unary[zero_chunk] << sizes[0, zero_at].astype(np.uint64)
        sizes[0, zero_at] += zeros.unary_bits[zero_chunk]
    values[0, at] |= weights.more[chunk] << sizes[0, at].astype(np.uint64)
    sizes[0, at] += weights.more_bits[chunk]
    return values, sizes


def _positions(sizes: Ints, bases: Ints, table: SliceTable) -> Ints:
    """Where each slice begins in the buffer."""
    at = starts_of(sizes)
    is_first = np.concatenate(([True], table.stream[1:] != table.stream[:-1]))
    firsts = at[is_first]
    return (
        at
        - np.repeat(firsts, np.diff(np.append(np.flatnonzero(is_first), at.size)))
        + bases[table.stream]
    )


def _header(table: SliceTable, slice_: int) -> tuple[int, int]:
    divisor = UNCOMPRESSED if table.is_uncompressed[slice_] else int(table.width[slice_])
    number = int(table.palette[slice_])
    fields = [
        (int(table.zero_divisor[slice_]), ZERO_DIVISOR_BITS),
        (int(table.count[slice_]) - 1, SLICE_LENGTH_BITS),
        (divisor, DIVISOR_BITS),
        (int(table.is_truncated[slice_]), 1),
        (int(number >= 0), 1),
    ]
    if number >= 0:
        fields += _palette_fields(table.palettes[number])
    value, bits = 0, 0
    for field, size in fields:
        value |= field << bits
        bits += size
    return value, bits


def _palette_fields(palette: Palette) -> list[tuple[int, int]]:
    return [
        (palette.direct_offset, DIRECT_OFFSET_BITS),
        (max(0, len(palette.entries) - 1), PALETTE_SIZE_BITS),
        (palette.entry_bits - LEAST_ENTRY_BITS, ENTRY_WIDTH_BITS),
        *((entry, palette.entry_bits) for entry in palette.entries),
    ]


def _put_headers(words: Words, headers: list[tuple[int, int]], at: Ints) -> None:
    positions, values = [], []
    for start, (value, bits) in zip(at.tolist(), headers, strict=True):
        for offset in range(0, bits, _PIECE_BITS):
            positions.append(start + offset)
            values.append(value >> offset & ((1 << _PIECE_BITS) - 1))
    put_fields(words, np.array(positions, dtype=np.int64), np.array(values, dtype=np.uint64))


def _put_rounds(words: Words, values: Words, sizes: Ints, slice_at: Ints, rounds: _Rounds) -> None:
    offsets = np.cumsum(sizes.T.ravel()) - sizes.T.ravel()
    first = starts_of(rounds.per_slice)
    shift = np.repeat(slice_at - offsets[3 * first], rounds.per_slice)
    positions = offsets.reshape(-1, 3).T + shift
    for row in range(3):
        used = np.flatnonzero(values[row])
        put_fields(words, positions[row, used], values[row, used])


def _put_ends(words: Words, at: Ints, sizes: Ints) -> None:
    """Ones to the end of each stream: the end mark, and the padding behind it."""
    for offset in range(0, int(sizes.max(initial=0)), _PIECE_BITS):
        piece = np.clip(sizes - offset, 0, _PIECE_BITS)
        put_fields(words, at + offset, low_mask(piece))
