"""Values as columns: each comes back as it was, and out of any bytes comes a value of its types."""

from __future__ import annotations

import enum
from contextlib import suppress
from typing import Any, NamedTuple, NewType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.columns import Columns
from core.base.errors import InputError
from core.base.frozen import Frozen

LeafId = NewType("LeafId", int)
"""Position of a leaf of some tree."""


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(NamedTuple):
    size: float
    colour: Colour | None


class Twig(Frozen):
    leaves: tuple[Leaf, ...]
    name: str
    ends: tuple[int, bool]
    of: LeafId | None


class Tree(Frozen):
    parts: tuple[Twig | Leaf | int | Colour, ...]
    first: Twig | None = None


TREES = Columns(Tree)
LEAVES = 9
NUMBERS = st.integers(-(1 << 63), (1 << 64) - 1)
LEAF = st.builds(
    Leaf,
    NUMBERS | st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(Colour) | st.none(),
)
TWIG = st.builds(
    Twig,
    leaves=st.lists(LEAF).map(tuple),
    name=st.text(st.characters(codec="utf-8")),
    ends=st.tuples(NUMBERS, st.booleans()),
    of=st.integers(0, LEAVES - 1) | st.none(),
)
TREE = st.builds(
    Tree,
    parts=st.lists(TWIG | LEAF | NUMBERS | st.sampled_from(Colour)).map(tuple),
    first=TWIG | st.none(),
)


def unpacked(data: bytes) -> Tree:
    return TREES.unpack(data, {LeafId: LEAVES})


@given(TREE)
def test_a_value_comes_back_to_the_type_of_each_number(tree: Tree):
    found = unpacked(TREES.pack(tree))
    assert found == tree
    # 1, 1.0 and True are equal, and told otherwise.
    assert repr(found) == repr(tree)


@given(TWIG)
def test_what_is_one_value_in_several_places_is_one_again(twig: Twig):
    found = unpacked(TREES.pack(Tree(parts=(twig, twig), first=twig)))
    assert found.parts[0] is found.parts[1] is found.first


def are_of_their_types(tree: Tree) -> bool:
    """What `Tree` says, in other words."""
    twigs = [part for part in tree.parts if isinstance(part, Twig)]
    twigs += [] if tree.first is None else [tree.first]
    leaves = [part for part in tree.parts if isinstance(part, Leaf)]
    leaves += [leaf for twig in twigs for leaf in twig.leaves]
    return (
        all(type(part) in (Twig, Leaf, int, Colour) for part in tree.parts)
        and all(type(twig.name) is str and len(twig.ends) == 2 for twig in twigs)
        and all([*map(type, twig.ends)] == [int, bool] for twig in twigs)
        and all(twig.of is None or twig.of in range(LEAVES) for twig in twigs)
        and all(type(leaf) is Leaf and type(leaf.size) in (int, float) for leaf in leaves)
        and all(leaf.colour is None or leaf.colour in Colour for leaf in leaves)
    )


def changed(value: Any, draw: st.DrawFn) -> Any:
    """Plain data with another value somewhere."""
    if isinstance(value, list) and value and draw(st.integers(0, 9)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], changed(value[at], draw), *value[at + 1 :]]
    return draw(
        st.sampled_from([None, True, -1, 0, 1, 7, 1 << 63, 0.5, float("nan"), "x", b"x", [], {}])
    )


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = TREES.pack(draw(TREE))
    if draw(st.booleans()):
        return msgspec.msgpack.encode(changed(msgspec.msgpack.decode(data), draw))
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]


@given(damaged() | st.binary())
def test_of_other_bytes_nothing_is_made_but_values_of_these_types(data: bytes):
    with suppress(InputError):
        assert are_of_their_types(unpacked(data))


@pytest.mark.parametrize("leaf", [LEAVES, -1, 1 << 63])
def test_an_id_leads_to_what_is_there(leaf: int):
    twig = Twig(leaves=(), name="", ends=(0, True), of=LeafId(leaf))
    with pytest.raises(InputError):
        unpacked(TREES.pack(Tree(parts=(twig,))))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_are_finite(number: float):
    with pytest.raises(InputError, match="not finite"):
        unpacked(TREES.pack(Tree(parts=(Leaf(number, None),))))


@pytest.mark.parametrize("name", ["\ud800", "a\udcff"])
def test_words_that_are_no_text_are_told(name: str):
    with pytest.raises(InputError, match="cannot be stored"):
        TREES.pack(Tree(parts=(Twig(leaves=(), name=name, ends=(0, True), of=None),)))


def test_a_number_without_a_place_is_told():
    with pytest.raises(InputError, match="cannot be stored"):
        TREES.pack(Tree(parts=(1 << 64,)))


class Ring(Frozen):
    parts: tuple[Ring, ...]


class Strange(Frozen):
    what: dict[str, int]


@pytest.mark.parametrize("kind", [Ring, Strange])
def test_what_has_no_columns_is_told(kind: type[Frozen]):
    with pytest.raises(TypeError):
        Columns(kind).pack(kind(**dict.fromkeys(kind.__struct_fields__, ())))
