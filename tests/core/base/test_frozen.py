"""Values: given by name, never changed, equal by what they hold."""

from __future__ import annotations

import pickle
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given

from core.base.frozen import Frozen, compared, field, field_names, members, needed_names, replace
from tests.core.base.values import VALUES, Leaf, Node, is_same


class Box(Frozen, dict=True):
    width: int
    height: int = 1
    marks: dict[str, int] = field(default_factory=dict)

    @cached_property
    def area(self) -> int:
        return self.width * self.height


class Labelled(Box):
    label: str


class Point(Frozen, kw_only=False, order=True):
    x: int
    y: int = 0


def test_fields_are_given_by_name_unless_a_class_says_otherwise():
    with pytest.raises(TypeError):
        Box(1)
    with pytest.raises(TypeError):
        Box(height=1)
    with pytest.raises(TypeError):
        Box(width=1, depth=2)
    assert Point(1) < Point(1, 2) < Point(2)


@pytest.mark.parametrize(
    "change", [lambda box: setattr(box, "width", 2), lambda box: delattr(box, "width")]
)
def test_nobody_changes_a_value(change):
    box = Box(width=1)
    with pytest.raises(AttributeError):
        change(box)
    assert box == Box(width=1)


def test_a_replaced_value_forgets_what_followed_from_the_old_one():
    box = Box(width=2, height=3)
    assert box.area == 6
    assert replace(box, width=4).area == 12
    with pytest.raises(TypeError):
        replace(box, depth=1)


def test_defaults_that_can_be_filled_are_of_one_value_alone():
    one, other = Box(width=1), Box(width=1)
    one.marks["a"] = 1
    assert not other.marks


def test_what_is_needed_is_what_has_no_default():
    assert field_names(Labelled) == ("width", "height", "marks", "label")
    assert needed_names(Labelled) == {"width", "label"}
    assert needed_names(Point) == {"x"}
    assert members(Point(1, 2)) == {"x": 1, "y": 2}


def test_fields_that_do_not_compare_are_passed_over():
    assert dict(compared(Node(label=1, cache=2))) == {"label": 1, "parts": ()}
    assert Node(label=1, cache=2) == Node(label=1, cache=3)


def test_values_of_other_types_are_others():
    assert Leaf(number=1) != Point(1)
    assert len({Leaf(number=1), Leaf(number=1), Leaf(number=2)}) == 2


@given(VALUES)
def test_a_value_comes_back_from_another_process(value: Any):
    try:
        data = pickle.dumps(value)
    except TypeError:
        return  # Mapping proxies are kept by no pickle.
    assert is_same(pickle.loads(data), value)


class Place(Frozen, eq=False):
    """Equal wherever it was seen."""

    number: int
    seen_by: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)


def test_what_is_equal_by_an_equality_of_its_own_is_not_unequal():
    one, same, other = Place(number=1), Place(number=1, seen_by="x"), Place(number=2)
    assert one == same
    assert not one != same  # noqa: SIM202 - it is what is asked
    assert one != other
