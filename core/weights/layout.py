"""The syntax of a weight stream: field widths, marks and limits.

Little-endian bits, least significant first. The facts are those of the weight decoder that the
ecosystem's open-source codec (mlw_codec, Apache-2.0) documents by reading and writing them.
"""

from __future__ import annotations

ZERO_DIVISOR_BITS = 3
SLICE_LENGTH_BITS = 15
DIVISOR_BITS = 3
HEADER_BITS = ZERO_DIVISOR_BITS + SLICE_LENGTH_BITS + DIVISOR_BITS + 2
"""Zero divisor, length less one, weight divisor, truncation flag, palette flag."""

DIRECT_OFFSET_BITS = 5
PALETTE_SIZE_BITS = 5
ENTRY_WIDTH_BITS = 3
PALETTE_HEADER_BITS = DIRECT_OFFSET_BITS + PALETTE_SIZE_BITS + ENTRY_WIDTH_BITS
LEAST_ENTRY_BITS = 2
"""The entry width field counts from here."""

NO_ZERO_RUNS = 6
END_OF_STREAM = 7
"""Both stand where a zero divisor would."""

UNCOMPRESSED = 7
"""Stands where a weight divisor would: fixed-width indices."""

MAX_DIVISOR = 5
MAX_ZERO_DIVISOR = 3
MAX_SLICE_WEIGHTS = 32767
"""One less than the field could say; no known encoder makes longer slices."""

MAX_QUOTIENT = 31
MAX_PALETTE = 32
MAX_DIRECT_OFFSET = 31
MAX_INDEX = 511
INDEX_BITS = 9
MAX_WEIGHT = 255
CODES = 512
"""Weights in sign-magnitude form: twice the magnitude, plus one when negative."""

STEPS = 12
"""Unary steps in one chunk."""
WIDE_STEPS = 8
"""Symbols in one chunk of an uncompressed slice whose indices are wider than 5 bits, and unary bits
of a zero-run chunk at the greatest zero divisor."""
ZERO_RUN_LEAD = 8
"""Weights may lead zero runs by less than this many symbols before they wait."""

STREAM_ALIGNMENT_BITS = 128


def zero_chunk_bits(divisor: int) -> int:
    """Unary bits of one zero-run chunk."""
    return STEPS if divisor < MAX_ZERO_DIVISOR else WIDE_STEPS
