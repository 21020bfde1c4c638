"""What is remembered for one size is what would have been answered for another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.schedule.reach import Answers, Reach

SIZES = st.integers(0, 200)
WANTED = st.lists(st.floats(0, 120), min_size=1, max_size=6)


def answer(wanted: list[float], room: Reach) -> tuple[float, ...]:
    """Some answer in which a size is asked in every way that there is."""
    found: list[float] = []
    for number, each in enumerate(wanted):
        whole = int(each)
        match number % 3:
            case 0:
                found.append(room.holds(each))
            case 1:
                found.append(room.holds_more_than(whole))
            case _ if not found[0]:
                found.append(each if room.half_holds(each) else room.half_bytes)
            case _:
                found.append(room.half_holds(each))
    return tuple(found)


@given(WANTED, st.lists(SIZES, min_size=1, max_size=20))
def test_a_remembered_answer_is_the_one_that_would_be_given(wanted, sizes):
    answers: Answers[tuple[float, ...]] = Answers()
    for size in sizes:
        expected, room = answer(wanted, Reach(size)), Reach(size)
        known = answers.find(tuple(wanted), room)
        assert known in (None, expected)
        if known is None:
            answers.keep(tuple(wanted), answer(wanted, room), room)
            assert answers.find(tuple(wanted), Reach(size)) == expected


@given(WANTED, SIZES)
def test_each_way_to_ask_is_the_comparison_that_it_says(wanted, size):
    for each in wanted:
        assert Reach(size).holds(each) == (each <= size)
        assert Reach(size).holds_more_than(int(each)) == (int(each) < size)
        assert Reach(size).half_holds(each) == (each <= size // 2)


def test_what_is_only_compared_is_known_for_all_sizes_that_compare_alike():
    answers: Answers[bool] = Answers()
    room = Reach(100)
    answers.keep("fits", room.holds(40) and not room.holds(300), room)
    assert answers.find("fits", Reach(40))
    assert answers.find("fits", Reach(299))
    assert answers.find("fits", Reach(39)) is None
    assert answers.find("fits", Reach(300)) is None
