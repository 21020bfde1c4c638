"""Weight streams read bit by bit, symbol by symbol, as plainly as the syntax can be said."""

from __future__ import annotations

from collections.abc import Iterator

from core.weights.layout import (
    DIRECT_OFFSET_BITS,
    DIVISOR_BITS,
    END_OF_STREAM,
    ENTRY_WIDTH_BITS,
    LEAST_ENTRY_BITS,
    MAX_DIVISOR,
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


class Reader:
    """Takes bits, the lowest of each byte first."""

    def __init__(self, data: bytes) -> None:
        self.bits = [byte >> bit & 1 for byte in data for bit in range(8)]
        self.at = 0

    def flags(self, count: int) -> list[int]:
        assert self.at + count <= len(self.bits)
        self.at += count
        return self.bits[self.at - count : self.at]

    def number(self, count: int) -> int:
        return sum(bit << place for place, bit in enumerate(self.flags(count)))


class Side:
    """The symbols of a slice that are weights, or those that are runs of zeros."""

    def __init__(self, reader: Reader, needed: int, width: int) -> None:
        self.reader, self.needed, self.width = reader, needed, width
        self.done = 0
        self.rest = 0
        """What steps count of a symbol that goes on in the next chunk."""
        self.owed: list[int] = []
        """Quotients whose remainders come in the next round."""
        self.symbols: list[int] = []

    def add(self, quotients: list[int]) -> None:
        self.owed += quotients[: max(self.needed - self.done, 0)]
        self.done += len(quotients)

    def settle(self, quotients: list[int]) -> None:
        self.symbols += [each << self.width | self.reader.number(self.width) for each in quotients]


def slow_decode(data: bytes) -> list[int]:
    """All weights of a stream that is right."""
    reader, weights, palette = Reader(data), [], None
    while reader.at < len(reader.bits):
        zero_divisor = reader.number(ZERO_DIVISOR_BITS)
        if zero_divisor == END_OF_STREAM:
            reader.at = (reader.at + 7) // 8 * 8
            continue
        count = reader.number(SLICE_LENGTH_BITS) + 1
        divisor = reader.number(DIVISOR_BITS)
        is_truncated, brings_palette = reader.flags(2)
        if brings_palette:
            palette = Indices(reader)
        assert palette is not None
        weights += _slice(
            reader, palette, zero_divisor, count, divisor, is_truncated, brings_palette
        )
    return weights


class Indices:
    """The weights that indices stand for."""

    def __init__(self, reader: Reader) -> None:
        self.offset = reader.number(DIRECT_OFFSET_BITS)
        size = reader.number(PALETTE_SIZE_BITS)
        self.bits = reader.number(ENTRY_WIDTH_BITS) + LEAST_ENTRY_BITS
        self.entries = [reader.number(self.bits) for _ in range(size + 1)] if size else []
        if self.entries:
            self.bits = (len(self.entries) - 1).bit_length()

    def weight(self, index: int) -> int:
        is_entry = index < len(self.entries)
        code = self.entries[index] if is_entry else index - len(self.entries) + self.offset
        return -(code >> 1) if code & 1 else code >> 1


def _slice(reader, palette, zero_divisor, count, divisor, is_truncated, brings_palette):
    is_whole = divisor == UNCOMPRESSED
    has_runs = zero_divisor != NO_ZERO_RUNS
    weights = Side(reader, count, palette.bits if is_whole else divisor)
    runs = Side(reader, (count + brings_palette) * has_runs, zero_divisor)
    if is_whole and not has_runs:
        weights.settle([0] * count)
        return [palette.weight(index) for index in weights.symbols]
    symbols = WIDE_STEPS if is_whole and weights.width > MAX_DIVISOR else STEPS
    is_over = False
    while not is_over:
        lead = weights.done - runs.done
        takes_weight = weights.done < count and (lead < ZERO_RUN_LEAD or not has_runs)
        takes_run = has_runs and lead >= 0 and runs.done < runs.needed
        is_over = not takes_weight and not takes_run
        owed, weights.owed, runs.owed = (weights.owed, runs.owed), [], []
        unary = reader.flags(STEPS) if takes_weight and not is_whole else []
        if takes_run:
            runs.add(list(_ended(runs, reader.flags(zero_chunk_bits(zero_divisor)), ends_with=0)))
        if takes_weight and is_whole:
            weights.add([0] * symbols)
        elif takes_weight:
            counts = [1 + reader.number(1) if one else 0 for one in unary]
            weights.add(counts if is_truncated else list(_ended(weights, counts, ends_with=1)))
        for side, quotients in zip((weights, runs), owed, strict=True):
            side.settle(quotients)
    lengths = runs.symbols if brings_palette else [0, *runs.symbols]
    found = [0] * (lengths[0] if has_runs else 0)
    for place, index in enumerate(weights.symbols, start=1):
        found += [palette.weight(index)] + [0] * (lengths[place] if has_runs else 0)
    return found


def _ended(side: Side, counts: list[int], *, ends_with: int) -> Iterator[int]:
    """Quotients that end in a chunk: a step of no more than so many ends one."""
    for step in counts:
        side.rest += step
        if step <= ends_with:
            yield side.rest
            side.rest = 0
