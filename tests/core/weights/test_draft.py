"""What the search believes a stream to cost is what it costs."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from core.weights.draft import Search, drafts
from core.weights.layout import STREAM_ALIGNMENT_BITS, ZERO_DIVISOR_BITS
from core.weights.palette import codes_of
from core.weights.slices import Effort
from core.weights.stream import encode_streams
from core.weights.symbols import Symbols, split_zeros
from tests.core.weights.cases import weight_arrays

SEARCH = Search(window=8, lane=64, palettes=2, least_sizes=(2, 4, 8, 16), frequent_sizes=(8, 32))


@given(weights=weight_arrays(1000))
def test_short_streams_take_the_bits_that_their_best_draft_says(weights: np.ndarray) -> None:
    codes = codes_of(weights)
    plain = Symbols(codes=codes, counts=np.array([codes.size]))
    rows = [plain, split_zeros(plain)] if (codes == 0).any() else [plain]
    bits = min(int(draft.bits[0]) for row in rows for draft in drafts(row, SEARCH))
    (stream,) = encode_streams([weights], Effort.FAST)
    units = -(-(bits + ZERO_DIVISOR_BITS) // STREAM_ALIGNMENT_BITS)
    assert len(stream) == 16 * units
