"""Answers that are remembered while few others are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.recent import Recent


@given(st.integers(1, 4), st.lists(st.integers(0, 6), max_size=40))
def test_the_last_answers_are_known_and_all_others_are_worked_out_again(most, asked):
    recent, worked_out, last = Recent[int, int](most), [], []
    for key in asked:
        assert recent.answer(key, lambda key=key: worked_out.append(key) or key * key) == key * key
        assert (key in last) is not (worked_out[-1:] == [key])
        worked_out.clear()
        last = [*(each for each in last if each != key), key][-most:]
