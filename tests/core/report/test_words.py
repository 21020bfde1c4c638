"""Numbers as people read them, and tables of them."""

from __future__ import annotations

import pytest

from core.report.tables import Listing, table
from core.report.words import (
    Count,
    counted,
    hertz_text,
    kib_text,
    ranges_text,
    rate_text,
    seconds_text,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.50 s"), (0.0125, "12.50 ms"), (63.5e-6, "63.50 µs"), (0.0, "0.00 µs")],
)
def test_times_have_a_unit_that_fits(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("hertz", "text"), [(1e9, "1 GHz"), (2.5e8, "250 MHz"), (32768.0, "32.768 kHz"), (5.0, "5 Hz")]
)
def test_clocks_have_a_unit_that_fits(hertz, text):
    assert hertz_text(hertz) == text


def test_small_words():
    assert [kib_text(size) for size in (393216, 100000)] == ["384 KiB", "97.7 KiB"]
    assert [counted(n, "cascade") for n in (0, 1, 2)] == ["0 cascades", "1 cascade", "2 cascades"]
    assert ranges_text((1, 2, 3, 5, 7, 8)) == "1-3, 5, 7-8"
    assert str(Count(1234567)) == "1,234,567"
    assert [rate_text(rate) for rate in (15748.03, 12.34, 0.5)] == ["15,748", "12.3", "0.5"]


def test_empty_cells_among_numbers_leave_the_column_to_the_right():
    rows = [("a", Count(1000), None), ("b", None, None), ("c", Count(5), 7)]
    assert table(("name", "bytes", "n"), rows).splitlines() == [
        "name  bytes  n",
        "----  -----  -",
        "a     1,000",
        "b",
        "c         5  7",
    ]


def test_columns_that_nobody_uses_are_left_out():
    listing = Listing(("a", "b", "c"), [("x", None, 0), ("y", "", 1)])
    assert listing.text().splitlines()[0] == "a  c"
