"""Steps of the SRAM limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui.commands.schedule import LIMIT_STEP_BYTES, stepped

MOST = 1 << 32


def test_the_first_step_down_from_far_above_just_fits():
    assert stepped(MOST, 300_000, MOST, -1) == 311_296
    assert stepped(311_296, 300_000, MOST, -1) == 311_296 - LIMIT_STEP_BYTES


def test_steps_end_on_round_numbers():
    assert stepped(100_000, 0, MOST, -1) == 98_304
    assert stepped(98_304, 0, MOST, -1) == 81_920
    assert stepped(100_000, 0, MOST, 1) == 114_688
    assert stepped(MOST, 0, MOST, 1) == MOST
    assert stepped(LIMIT_STEP_BYTES, 0, MOST, -1) == LIMIT_STEP_BYTES
    assert stepped(1000, 0, MOST, -1) == 1000


@given(st.integers(0, MOST), st.integers(0, 1 << 24))
def test_a_step_goes_its_way_or_stays(limit, height):
    up, down = stepped(limit, height, MOST, 1), stepped(limit, height, MOST, -1)
    assert limit <= up <= MOST
    assert 0 <= down <= limit
