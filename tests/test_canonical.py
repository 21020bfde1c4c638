"""Canonical text: equal exactly when values are, a line for each part, short parts together."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given

from core.base.errors import InternalError
from core.base.geometry import Shape4
from tests.canonical import canonical_text
from tests.core.base.values import VALUES, Colour, Leaf, Node, is_same, variants


@given(VALUES, VALUES)
def test_texts_are_equal_exactly_when_values_are(a, b):
    assert (canonical_text(a) == canonical_text(b)) == is_same(a, b)


@given(VALUES)
def test_any_single_difference_shows(value):
    assert canonical_text(value) not in {canonical_text(other) for other in variants(value)}


@given(VALUES)
def test_it_ends_with_one_line_end_and_has_no_blank_lines(value):
    text = canonical_text(value)
    assert text.endswith("\n")
    assert all(line.strip() for line in text[:-1].split("\n"))


def test_order_of_a_mapping_does_not_show():
    forward, backward = {"a": 1, "b": (2,)}, {"b": (2,), "a": 1}
    assert canonical_text(forward) == canonical_text(backward)


def test_fields_that_do_not_compare_do_not_show():
    assert canonical_text(Node(label=1, cache=2)) == canonical_text(Node(label=1, cache=3))


def test_long_bytes_show_their_length_and_differ():
    shown = canonical_text(bytes(1000))
    assert shown.startswith("bytes(1000):#")
    assert shown != canonical_text(bytes(999) + b"\1")


def test_the_layout():
    value = Node(
        label=(Leaf(number=1, name="short"), Shape4(1, 2, 3, 4), Colour.RED),
        parts=MappingProxyType({"b": b"\1\2", "a": ("x" * 50, "y" * 50)}),
    )
    assert canonical_text(value).splitlines() == [
        "Node",
        "  label: tuple[3]",
        "    0: Leaf(number=1, name='short')",
        "    1: (1, 2, 3, 4)",
        "    2: RED",
        "  parts: mappingproxy",
        "    a: tuple[2]",
        f"      0: {'x' * 50!r}",
        f"      1: {'y' * 50!r}",
        "    b: bytes(2):0102",
    ]


@pytest.mark.parametrize("value", [[1], {1}, object()])
def test_what_can_change_has_no_text(value):
    with pytest.raises(InternalError, match=f"{type(value).__name__} has no canonical text"):
        canonical_text((value,))


def test_a_text_that_is_longer_than_a_line_is_one_all_the_same():
    """Networks have such names: several operators' that were merged."""
    long = "a quote ' and \\ " * 20
    assert canonical_text(long) == f"{long!r}\n"
    assert canonical_text((long, 1)).splitlines() == ["tuple[2]", f"  0: {long!r}", "  1: 1"]
