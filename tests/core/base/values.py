"""Frozen values of every shape, and how to make one that differs in a single place."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from core.base.frozen import Frozen, compared, replace


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Leaf(Frozen):
    number: int = 0
    name: str = ""


class Node(Frozen, eq=False):
    UNCOMPARED = frozenset({"cache"})

    label: object
    parts: object = ()
    cache: object = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and dict(compared(self)) == dict(compared(other))

    def __hash__(self) -> int:
        return hash((self.label, self.parts))


NAMES = st.text("ab", min_size=1, max_size=3)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.floats(-2, 2, allow_nan=False).filter(lambda x: x != 0),
    st.text("a'\"\\\n,:=() ", max_size=4),
    st.binary(max_size=2),
    st.binary(min_size=31, max_size=34),
    st.sampled_from(Colour),
    st.builds(Leaf, number=st.integers(0, 1), name=NAMES),
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4).map(tuple),
        st.builds(Node, label=inner, parts=inner),
        st.dictionaries(NAMES, inner, max_size=3).map(MappingProxyType),
    )


VALUES = st.recursive(SCALARS, _containers, max_leaves=12)


def is_same(a: Any, b: Any) -> bool:
    """Equality that also asks for equal types, which Python's does not: True == 1 == 1.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, Frozen):
        names = dict(compared(a))
        return all(is_same(getattr(a, name), getattr(b, name)) for name in names)
    return bool(a == b)


def variants(value: Any) -> Iterator[Any]:
    """Copies of the value that differ from it in exactly one place."""
    if isinstance(value, Frozen):
        parts = dict(compared(value))
        yield from (replace(value, **{name: other}) for name, other in _changed(parts))
    elif isinstance(value, Mapping):
        yield MappingProxyType({**value, "zz": 1})
        yield from (MappingProxyType({**value, key: other}) for key, other in _changed(value))
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        yield from (value._replace(**{name: other}) for name, other in _changed(value._asdict()))
    elif isinstance(value, tuple):
        yield (*value, None)
        yield from (value[:place] + value[place + 1 :] for place in range(len(value)))
        for place, other in _changed(dict(enumerate(value))):
            yield (*value[:place], other, *value[place + 1 :])
    else:
        yield _other(value)


def _changed(parts: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return ((name, other) for name, part in parts.items() for other in variants(part))


def _other(value: Any) -> Any:
    match value:
        case None:
            return 0
        case bool():
            return not value
        case enum.Enum():
            members = list(type(value))
            return members[(members.index(value) + 1) % len(members)]
        case int() | float():
            return value + 1
        case str():
            return value + " "
        case bytes():
            return value + b"\0"
    raise AssertionError(f"nothing says how to change a {type(value).__name__}")
