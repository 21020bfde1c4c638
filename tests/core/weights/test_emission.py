"""Whatever a plan asks for within the syntax is what a decoder reads, clever or not."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import InputError
from core.weights.costs import CODINGS, DIVIDED
from core.weights.decode import decode_stream
from core.weights.layout import MAX_INDEX, MAX_SLICE_WEIGHTS, NO_ZERO_RUNS
from core.weights.palette import WEIGHT_OF_CODE, Palette, codes_of
from core.weights.slices import Effort, plan_streams
from core.weights.stream import emit
from core.weights.table import SliceTable
from tests.core.weights.cases import weight_arrays
from tests.core.weights.slow_decoder import slow_decode


@dataclass
class Written:
    """Slices as they are drawn, and the weights that they stand for."""

    slices: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    palettes: list[Palette] = field(default_factory=list)
    indices: list[np.ndarray] = field(default_factory=list)
    zero_runs: list[np.ndarray] = field(default_factory=list)
    weights: list[list[int]] = field(default_factory=list)

    def table(self) -> SliceTable:
        stream, count, width, coding, zero_divisor, palette = np.array(self.slices).T
        return SliceTable(
            stream=stream,
            count=count,
            width=width,
            coding=coding,
            zero_divisor=zero_divisor,
            palette=palette,
            palettes=tuple(self.palettes),
        )


@st.composite
def plans(draw) -> Written:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    written = Written()
    has_runs = False
    for _ in range(draw(st.integers(1, 5))):
        is_new_stream = not written.weights or rng.random() < 0.3
        brings_palette = is_new_stream or rng.random() < 0.5
        if is_new_stream:
            written.weights.append([])
        if brings_palette:
            has_runs = bool(rng.random() < 0.5)
            written.palettes.append(_palette(rng, has_runs))
        _add_slice(rng, written, brings_palette, has_runs)
    return written


def _palette(rng: np.random.Generator, has_runs: bool) -> Palette:
    size = rng.choice([0, 0, 2, 3, 8, 17, 32])
    entries = tuple(rng.choice(300, size, replace=False).tolist())
    free_bits = int(rng.integers(2, 9 if has_runs else 10))
    return Palette(
        entries=entries,
        direct_offset=int(rng.integers(0, 32)),
        entry_bits=max(2, max(entries).bit_length()) if entries else free_bits,
    )


def _add_slice(
    rng: np.random.Generator, written: Written, brings_palette: bool, has_runs: bool
) -> None:
    palette = written.palettes[-1]
    number = int(rng.integers(len(CODINGS)))
    coding = CODINGS[number]
    width = palette.uncompressed_bits if coding.is_uncompressed else DIVIDED[number].divisor
    most = MAX_INDEX + 1 - palette.direct_offset
    most = min(most, 1 << width if coding.is_uncompressed else coding.end)
    count = int(rng.integers(1, rng.choice([3, 40, 2000])))
    indices = np.minimum(rng.exponential(rng.choice([1, 5, 30, 200]), count), most - 1).astype(int)
    values = WEIGHT_OF_CODE[palette.code_of_index()[indices]]
    runs = np.zeros(count + brings_palette, dtype=np.int64)
    if has_runs:
        runs = rng.geometric(rng.choice([0.9, 0.2, 0.01]), runs.size) - 1
        written.zero_runs.append(runs)
    written.indices.append(indices)
    written.slices.append(
        (
            len(written.weights) - 1,
            count,
            width,
            number,
            int(rng.integers(0, 4)) if has_runs else NO_ZERO_RUNS,
            len(written.palettes) - 1 if brings_palette else -1,
        )
    )
    out = written.weights[-1]
    if brings_palette:
        out += [0] * int(runs[0])
        runs = runs[1:]
    for value, run in zip(values.tolist(), runs.tolist(), strict=True):
        out += [value] + [0] * run


@given(plan=plans())
def test_a_plan_is_read_as_it_was_written(plan: Written) -> None:
    runs = np.concatenate([np.zeros(0, dtype=np.int64), *plan.zero_runs])
    indices = np.concatenate(plan.indices).astype(np.uint16)
    streams = emit(indices, runs, plan.table(), len(plan.weights))
    assert [decode_stream(stream).tolist() for stream in streams] == plan.weights


@given(plan=plans(), more=st.binary(min_size=1, max_size=3))
@settings(max_examples=40)
def test_many_symbols_at_once_are_what_bit_by_bit_they_are(plan: Written, more: bytes) -> None:
    """Also where bits of a slice are others: what is then read is no plan of anybody's."""
    runs = np.concatenate([np.zeros(0, dtype=np.int64), *plan.zero_runs])
    indices = np.concatenate(plan.indices).astype(np.uint16)
    for stream in emit(indices, runs, plan.table(), len(plan.weights)):
        damaged = bytearray(stream)
        for place in more:
            damaged[len(stream) // 2 + place % 16 - 8] ^= 1 << place % 8
        for data in (stream, bytes(damaged)):
            try:
                found = decode_stream(data).tolist()
            except InputError:
                assert data is not stream
            else:
                assert found == slow_decode(data)


@given(weights=weight_arrays(), effort=st.sampled_from(Effort))
def test_plans_keep_the_limits_of_the_syntax(weights: np.ndarray, effort: Effort) -> None:
    table = plan_streams(codes_of(weights), np.array([weights.size]), effort).table
    assert table.palette[0] >= 0
    assert table.count.min() >= 1
    assert table.count.max() <= MAX_SLICE_WEIGHTS
    for palette in table.palettes:
        assert len(palette.entries) in {0, *range(2, 33)}
        assert 0 <= palette.direct_offset < 32
        assert all(entry >> palette.entry_bits == 0 for entry in palette.entries)
