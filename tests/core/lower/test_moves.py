"""What reshapes and transpositions come to is one transposition of what was there before."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.lower.turns import Move, move_of

SIDES = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 64, 65, 720])


def divisors(count: int) -> list[int]:
    return [each for each in range(1, count + 1) if count % each == 0]


@st.composite
def shapes(draw, count: int) -> tuple[int, ...]:
    """Of so many elements."""
    sides, left = [], count
    for _ in range(draw(st.integers(0, 3))):
        sides.append(draw(st.sampled_from(divisors(left))))
        left //= sides[-1]
    return tuple(draw(st.permutations([*sides, left])))


@st.composite
def rows_of_steps(draw) -> list[tuple[tuple[int, ...], list[int] | None]]:
    """Reshapes and transpositions that follow each other, the first of 65 columns or fewer."""
    rows, columns = draw(SIDES), draw(SIDES.filter(lambda side: side <= 65))
    shape, steps = (columns, rows), []
    for is_turn in draw(st.lists(st.booleans(), max_size=5)):
        if is_turn:
            order = draw(st.permutations(range(len(shape))))
            shape = tuple(shape[axis] for axis in order)
            steps.append((shape, list(order)))
        else:
            shape = draw(shapes(math.prod(shape)))
            steps.append((shape, None))
    return [((rows, columns), None), *steps]


@given(rows_of_steps())
def test_one_transposition_of_rows_does_what_all_steps_do(case) -> None:
    ((rows, columns), _), *steps = case
    picture = np.arange(rows * columns).reshape(rows, columns)
    found = move_of(rows, columns, steps)
    stepped = picture.T
    for shape, order in steps:
        stepped = stepped.reshape(shape) if order is None else stepped.transpose(order)
    if found is not None:
        turned = picture.reshape(found.shape).transpose(found.order)
        assert turned.shape == found.made
        np.testing.assert_array_equal(turned.reshape(-1), stepped.reshape(-1))


def test_bins_of_a_box_move_in_runs() -> None:
    steps = [
        ((1, 64, 720), None),
        ((1, 4, 16, 720), None),
        ((1, 16, 4, 720), (0, 2, 1, 3)),
        ((1, 4, 720, 16), (0, 2, 3, 1)),
    ]
    assert move_of(720, 64, steps) == Move((1, 720, 4, 16), (0, 2, 1, 3))


def test_what_is_turned_back_stays() -> None:
    found = move_of(6, 8, [((8, 6), None), ((6, 8), (1, 0))])
    assert found is not None
    assert found.is_still


def test_a_side_that_parts_a_run_comes_to_nothing() -> None:
    assert move_of(5, 4, [((10, 2), None), ((2, 10), (1, 0))]) is None
