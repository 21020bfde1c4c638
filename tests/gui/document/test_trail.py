"""Back and forward through what was shown, as values."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gui.document.trail import MOST_SIGHTS, Sight, Trail, without_quiet


def sight(number: int) -> Sight:
    return Sight(looks={"timeline": {"zoom": number}}, span=None, panels=(), layout="")


@given(st.lists(st.integers(0, 5), max_size=20))
def test_back_to_the_first_and_forward_again_is_where_one_was(numbers):
    trail = Trail(present=sight(0))
    for number in numbers:
        trail = trail.seen(sight(number))
    end = trail
    while trail.past:
        assert trail.back().forward() == trail
        trail = trail.back()
    assert trail.present == sight(0)
    while trail.future:
        trail = trail.forward()
    assert trail == end


def test_another_way_leaves_what_lay_ahead_and_the_same_sight_is_no_step():
    trail = Trail(present=sight(0)).seen(sight(1)).back()
    assert trail.seen(sight(0)) is trail
    assert trail.seen(sight(2)).future == ()
    assert trail.renewed(sight(3)).future == trail.future


def test_no_more_is_kept_than_can_be_gone_back_through():
    trail = Trail(present=sight(0))
    for number in range(2 * MOST_SIGHTS):
        trail = trail.seen(sight(number))
    assert len(trail.past) == MOST_SIGHTS


def test_scrolling_is_no_step():
    look = {"zoom": 1, "scroll": 7, "maps.columns": "x"}
    assert without_quiet(look) == {"zoom": 1}
