"""Answers that are remembered while few others are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.base.memo import Memo, of_the_very


@given(st.integers(1, 4), st.lists(st.integers(0, 6), max_size=40))
def test_the_last_answers_are_known_and_all_others_are_worked_out_again(most, asked):
    recent, worked_out, last = Memo[int, int](most), [], []
    for key in asked:
        assert recent.answer(key, lambda key=key: worked_out.append(key) or key * key) == key * key
        assert (key in last) is not (worked_out[-1:] == [key])
        worked_out.clear()
        last = [*(each for each in last if each != key), key][-most:]


def test_of_the_very_same_object_what_was_worked_out_is_remembered_and_of_its_twin_it_is_not():
    worked_out = []

    @of_the_very(2)
    def joined(words, *, by):
        worked_out.append((words, by))
        return by.join(words)

    one, twin = ["a", "b"], ["a", "b"]
    assert [joined(one, by="-"), joined(twin, by="-"), joined(one, by="-")] == ["a-b"] * 3
    assert len(worked_out) == 2
    assert joined(one, by="+") == "a+b"
    assert joined(twin, by="-") == "a-b"
    assert joined(one, by="-") == "a-b"
    assert len(worked_out) == 4, "only the last two are at hand"
