"""Zooming and panning: what is under the pointer stays there, and nobody leaves the data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.items.ranges import Limits, Range, padded, panned, zoomed

LIMITS = Limits(Range(0.0, 1000.0), 10.0)
WIDEST = LIMITS.widest


def ranges():
    return st.builds(
        lambda start, length: LIMITS.held(Range(start, start + length)),
        st.floats(-50.0, 1050.0),
        st.floats(1.0, 1200.0),
    )


def is_within(found):
    return (
        found.start >= WIDEST.start - 1e-6
        and found.end <= WIDEST.end + 1e-6
        and 10.0 - 1e-6 <= found.length <= WIDEST.length + 1e-6
    )


@given(ranges(), st.floats(0.0, 1.0), st.floats(0.05, 20.0))
def test_zooming_keeps_within_limits(shown, share, factor):
    centre = shown.start + share * shown.length
    assert is_within(zoomed(shown, centre, factor, LIMITS))


@given(ranges(), st.floats(0.0, 1.0), st.floats(0.05, 1.0))
def test_what_is_at_the_pointer_stays_there_when_zooming_in(shown, share, factor):
    centre = shown.start + share * shown.length
    found = zoomed(shown, centre, factor, LIMITS)
    assert (centre - found.start) / found.length == pytest.approx(share, abs=1e-6)


@given(ranges(), st.floats(-3000.0, 3000.0))
def test_panning_keeps_the_length(shown, shift):
    found = panned(shown, shift, LIMITS)
    assert is_within(found)
    assert found.length == pytest.approx(shown.length)


def test_everything_has_a_margin():
    assert pytest.approx((-30.0, 1030.0)) == tuple(WIDEST)
    assert LIMITS.held(Range(-1e9, 1e9)) == pytest.approx(WIDEST)


def test_data_of_no_length_can_be_shown():
    limits = Limits(Range(5.0, 5.0), 16.0)
    assert limits.held(Range(0.0, 100.0)).length > 0


def test_padding_is_a_share_of_the_length():
    assert padded(0.0, 100.0) == Range(-10.0, 110.0)
