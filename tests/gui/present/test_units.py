"""Numbers are written alike everywhere, and say what they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.document.display import ByteUnit, TimeUnit
from gui.present import units

HALF_GHZ = 500e6


@pytest.mark.parametrize(
    ("size_bytes", "unit", "text"),
    [
        (0, ByteUnit.KIB, "0 B"),
        (1023, ByteUnit.KIB, "1,023 B"),
        (1024, ByteUnit.KIB, "1 KiB"),
        (1536, ByteUnit.KIB, "1.5 KiB"),
        (4 * 1024 * 1024, ByteUnit.KIB, "4,096 KiB"),
        (9_999 * 1024, ByteUnit.KIB, "9,999 KiB"),
        (10_000 * 1024, ByteUnit.KIB, "9.77 MiB"),
        (64 << 20, ByteUnit.KIB, "64 MiB"),
        (1536, ByteUnit.BYTES, "1,536 B"),
        (1536, ByteUnit.KB, "1.54 kB"),
        (64_000_000, ByteUnit.KB, "64 MB"),
        (1536, ByteUnit.HEX, "0x600 B"),
        (-2048, ByteUnit.KIB, "-2 KiB"),
    ],
)
def test_sizes(size_bytes, unit, text):
    assert units.size(size_bytes, unit) == text


@pytest.mark.parametrize(
    ("cycles", "unit", "text"),
    [
        (0, TimeUnit.CYCLES, "0 cycles"),
        (1, TimeUnit.CYCLES, "1 cycle"),
        (1234567.4, TimeUnit.CYCLES, "1,234,567 cycles"),
        (1, TimeUnit.MICROSECONDS, "0.002 µs"),
        (500, TimeUnit.MICROSECONDS, "1 µs"),
        (61730, TimeUnit.MICROSECONDS, "123.5 µs"),
        (5e6, TimeUnit.MICROSECONDS, "10,000 µs"),
    ],
)
def test_times(cycles, unit, text):
    assert units.time(cycles, unit, HALF_GHZ) == text


@pytest.mark.parametrize(
    ("part", "text"),
    [(0, "0 %"), (1, "100 %"), (0.1234, "12.3 %"), (0.0001, "< 0.1 %"), (0.001, "0.1 %")],
)
def test_shares(part, text):
    assert units.share(part) == text


@pytest.mark.parametrize(
    ("value", "text"), [(950, "950"), (1250, "1.25k"), (12_345, "12.3k"), (3.2e6, "3.2M"), (0, "0")]
)
def test_short_numbers(value, text):
    assert units.short(value) == text


def test_counts_and_addresses():
    assert units.counted(1, "operator") == "1 operator"
    assert units.counted(2000, "operator") == "2,000 operators"
    assert units.counted(2, "entry", "entries") == "2 entries"
    assert units.address(0x1F400) == "0x1f400"
    assert units.size_exact(20480) == "20,480 B (20 KiB)"
    assert units.size_exact(12) == "12 B"


@given(st.integers(0, 1 << 34))
def test_bytes_can_be_read_back(size_bytes):
    text = units.size(size_bytes, ByteUnit.BYTES)
    assert int(text.removesuffix(" B").replace(",", "")) == size_bytes


@given(st.integers(0, 1 << 34))
def test_kib_are_right_to_their_last_digit(size_bytes):
    number, unit = units.size(size_bytes).rsplit(" ", 1)
    factor = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]
    assert float(number.replace(",", "")) < 10_000 or unit == "MiB"
    assert abs(float(number.replace(",", "")) * factor - size_bytes) <= 0.005 * factor + 1e-6


@given(st.floats(0.0, 1e6), st.integers(0, 6))
def test_no_zeros_stand_at_the_end_of_a_fraction(value, decimals):
    text = units.trimmed(value, decimals)
    assert not ("." in text and text.endswith("0"))
    assert float(text.replace(",", "")) == pytest.approx(value, abs=0.51 * 10**-decimals)
