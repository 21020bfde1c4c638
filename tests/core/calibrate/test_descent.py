"""Least squares: valleys are followed to their ends, over what is rounded on the way."""

from __future__ import annotations

import numpy as np
import pytest

from core.calibrate.descent import Slope
from core.calibrate.figures import Figure, around, in_whole

WIDE = np.zeros(2), np.full(2, 20.0)


def valley(place):
    """Along it one coordinate makes up for the other, but for a thousandth of either."""
    x, y = place - (5.77, 2.72)
    return np.array([x + y, (x - y) / 1000])


@pytest.mark.parametrize("start", [(4.0, 4.5), (8.0, 0.5), (0.0, 0.0)])
def test_a_valley_is_followed_to_its_end(start):
    slope = Slope(valley, WIDE, lambda place: np.round(place, 2), 1e-14)
    assert slope.descend(np.array(start)).place == pytest.approx((5.77, 2.72), abs=1e-3)


def test_what_is_rounded_on_the_way_ends_no_descent():
    def rounded(place):
        return np.round(valley(place), 5)

    slope = Slope(rounded, WIDE, lambda place: np.round(place, 2), 1e-12)
    assert slope.descend(np.array((4.0, 4.5))).place == pytest.approx((5.77, 2.72), abs=0.05)


@pytest.mark.parametrize(
    ("latency", "command"), [(174.25, 53.5), (174.5, 53.5), (20.0, 0.75), (8, 9)]
)
def test_boards_around_one_with_fractions_have_whole_cycles_and_make_it(latency, command):
    board = {Figure.RATE: 0.37, Figure.LATENCY: latency, Figure.COMMAND: command}
    parts = list(around(board))
    assert sum(share for _, share in parts) == pytest.approx(1)
    assert all(share > 0 for _, share in parts)
    for figure, value in board.items():
        assert sum(share * part[figure] for part, share in parts) == pytest.approx(value)
    assert all(in_whole(part) == part for part, _ in parts)
