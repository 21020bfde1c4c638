"""Fronts, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.schedule.pareto.front import pareto

ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 6)] * width), min_size=1, max_size=40)
)


def table(rows) -> np.ndarray:
    return np.array(rows, dtype=np.float64)


def is_as_good(one, other) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


@given(rows=ROWS)
def test_a_row_stays_unless_another_is_as_good(rows):
    kept = pareto(table(rows)).tolist()
    values = [rows[at] for at in kept]
    assert values == sorted(set(values))
    for at, row in enumerate(rows):
        better = [other for other in rows if is_as_good(other, row) and other != row]
        first = rows.index(row)
        assert (at in kept) == (not better and at == first)


@given(rows=ROWS, most=st.integers(2, 6))
def test_thinned_fronts_keep_both_ends(rows, most):
    every = pareto(table(rows)).tolist()
    some = pareto(table(rows), most).tolist()
    assert len(some) == min(most, len(every))
    assert (some[0], some[-1]) == (every[0], every[-1])
    places = [every.index(at) for at in some]
    assert places == sorted(set(places))


@pytest.mark.parametrize("width", [1, 2, 3])
def test_nothing_has_no_front(width):
    assert pareto(np.empty((0, width))).tolist() == []
