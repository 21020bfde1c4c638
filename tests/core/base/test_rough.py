"""Three digits of an estimate, and no more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.rough import rough_text

FACTORS = {"k": 1e3, "M": 1e6, "G": 1e9}


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3_025_108, "3.03 M"),
        (55_852, "55.9 k"),
        (999_600, "1.00 M"),
        (812.4, "812"),
        (1000, "1.00 k"),
        (-12_345, "-12.3 k"),
        (0, "0"),
        (123_456_789_012, "123 G"),
    ],
)
def test_what_is_written(number, text):
    assert rough_text(number) == text


@given(st.floats(1, 1e12))
def test_what_is_read_is_within_half_a_digit(number):
    value, _, letter = rough_text(number).partition(" ")
    assert float(value.replace(",", "")) * FACTORS.get(letter, 1) == pytest.approx(number, 0.0051)
    assert sum(character.isdigit() for character in value) <= 4
