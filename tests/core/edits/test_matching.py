"""Operators of two schedules are paired in order: all that are equal, and none that is gone."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from core.base.geometry import Shape4
from core.edits.matching import match
from core.edits.told import Sign


def sign(depth: int, *, name: str = "", kernel: int = 1, height: int = 4) -> Sign:
    shape = Shape4(1, height, 4, depth)
    return Sign(
        name=name,
        made=name,
        kernel=(kernel, kernel, 1, 1, 1, 1),
        ifm=(shape,),
        ofm=(shape,),
        has_weights=True,
    )


SIGNS = st.lists(st.builds(sign, st.integers(1, 3), kernel=st.integers(1, 2)), max_size=12)


@given(SIGNS)
def test_a_schedule_is_matched_with_itself_as_a_whole(signs):
    found = match(signs, signs)
    assert found.pairs == tuple((at, at) for at in range(len(signs)))
    assert not found.ambiguous


@given(SIGNS, SIGNS)
@example([sign(1), sign(1), sign(2)], [sign(1), sign(2), sign(1)])
def test_pairs_are_in_the_order_of_both_and_can_be_the_same(theirs, ours):
    found = match(theirs, ours)
    # What is alone in its shapes and kernel on both sides is known wherever it runs.
    ordered = [
        (one, other)
        for one, other in found.pairs
        if theirs.count(theirs[one]) > 1 or ours.count(ours[other]) > 1
    ]
    for (one, other), (later, latter) in pairwise(ordered):
        assert one < later
        assert other < latter
    for one, other in found.pairs:
        assert theirs[one].ofm == ours[other].ofm
    assert found.ambiguous <= {one for one, _ in found.pairs}


@given(st.integers(2, 12), st.data())
def test_those_with_names_are_found_whatever_is_gone(count, data):
    signs = [sign(8, name=f"op {at}") for at in range(count)]
    gone = data.draw(st.integers(0, count - 1))
    ours = [each for at, each in enumerate(signs) if at != gone]
    found = match(signs, ours)
    assert found.pairs == tuple((at + (at >= gone), at) for at in range(count - 1))
    assert not found.ambiguous


def test_one_that_moved_is_known_by_its_shapes_if_no_other_has_them():
    assert match([sign(2), sign(3), sign(1)], [sign(1), sign(2), sign(3)]).pairs == (
        (0, 1),
        (1, 2),
        (2, 0),
    )
    twice = match([sign(2), sign(3), sign(1)], [sign(1), sign(2), sign(3), sign(1)])
    assert twice.pairs == ((0, 1), (1, 2), (2, 3))


def test_of_equal_ones_it_is_said_that_others_would_do():
    found = match([sign(1), sign(2), sign(2), sign(3)], [sign(1), sign(2), sign(3)])
    assert found.pairs == ((0, 0), (1, 1), (3, 2))
    assert found.ambiguous == {1}


def test_another_number_of_elements_is_another_operator():
    assert match([sign(8, name="a")], [sign(16, name="a")]).pairs == ()
    turned = sign(8, name="a", height=4), sign(4, name="a", height=8)
    assert match([turned[0]], [turned[1]]).pairs == ((0, 0),)
