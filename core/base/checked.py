"""Values that are looked at when they are made: what a field cannot hold is an OptionError.

Nothing is converted: texts become members of an enumeration where they are read, by whoever knows
whose they are, and a text in the place of one is a slip.
"""

from __future__ import annotations

import difflib
import enum
import inspect
import math
import reprlib
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Annotated, Any, ParamSpec, TypeVar

from core.base.errors import OptionError
from core.base.frozen import Frozen, NamedTuple, field_names

Given = ParamSpec("Given")
Result = TypeVar("Result")
_ANY_COUNT = 8
"""So many members of an enumeration are named where none is near."""


class Bounds(NamedTuple):
    """Which whole numbers a field can hold."""

    least: int = 0
    most: int | None = None
    is_power_of_two: bool = False

    def holds(self, number: int) -> bool:
        """Whether a number is one of these."""
        is_power = not self.is_power_of_two or number.bit_count() == 1
        return self.least <= number and (self.most is None or number <= self.most) and is_power

    def __str__(self) -> str:
        most = "or more" if self.most is None else f"to {self.most}"
        kind = "a power of two" if self.is_power_of_two else "a whole number"
        return f"{kind}, {self.least} {most}"


class AboveZero(NamedTuple):
    """Finite numbers above 0."""

    def holds(self, number: float) -> bool:
        """Whether a number is one of these."""
        return math.isfinite(number) and number > 0

    def __str__(self) -> str:
        return "a finite number above 0"


Positive = Annotated[float, AboveZero()]
Count = Annotated[int, Bounds()]
"""How many of something."""


class Checked(Frozen):
    """A value whose fields hold what they say."""

    def __post_init__(self) -> None:
        for name, kind in _fields(type(self)):
            value = getattr(self, name)
            if type(value) not in kind.types:
                demand(name, kind, value)


class Kind(NamedTuple):
    """What a field can hold."""

    types: frozenset[type]
    """Values of just these need no further look."""
    holds: Callable[[Any], bool]
    words: Callable[[Any], str]
    """What it has to be, told of what it is."""
    item: Kind | None = None
    """What each part of a tuple is."""


def demand(name: str, kind: Kind, value: object) -> None:
    """Refuse a value that is not of a kind."""
    if type(value) in kind.types or kind.holds(value):
        return
    if kind.item is not None and isinstance(value, tuple):
        for at, each in enumerate(value):
            demand(f"{name}[{at}]", kind.item, each)
    raise OptionError(f"{name} has to be {kind.words(value)}, and not {reprlib.repr(value)}")


def door(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function that anybody may call: what it cannot be given is an OptionError."""
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*given: Given.args, **named: Given.kwargs) -> Result:
        kinds = kinds_of(function)
        for name, value in signature.bind(*given, **named).arguments.items():
            if name in kinds:
                demand(name, kinds[name], value)
        return function(*given, **named)

    return checked


@cache
def kinds_of(function: Callable[..., Any]) -> Mapping[str, Kind]:
    """What can be given to a function, as far as that is told by looking at one value."""
    hints = typing.get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    return {name: kind_of(hint) for name, hint in hints.items() if _is_plain(hint)}


def _is_plain(hint: Any) -> bool:
    """Whether it is a class of values, or made of such."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return all(map(_is_plain, arguments))
    if typing.get_origin(hint) is tuple:
        return arguments[1:] == (...,) and _is_plain(arguments[0])
    is_class = isinstance(hint, type) and typing.get_origin(hint) is None
    return is_class and hint is not object and not getattr(hint, "_is_protocol", False)


@cache
def _fields(owner: type[Frozen]) -> tuple[tuple[str, Kind], ...]:
    hints = typing.get_type_hints(owner, include_extras=True)
    return tuple((name, kind_of(hints[name])) for name in field_names(owner))


@cache
def kind_of(hint: Any) -> Kind:
    """The kind that an annotation stands for."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _bounded(*arguments)
    if origin in (typing.Union, types.UnionType):
        return _either([kind_of(each) for each in arguments])
    if origin is tuple:
        return _several(kind_of(arguments[0]))
    return _kind_of_class(getattr(hint, "__supertype__", hint))


def _kind_of_class(found: type) -> Kind:
    if issubclass(found, enum.Enum):
        return Kind(frozenset({found}), lambda _: False, lambda value: _member(found, value))
    if found in _PLAIN:
        return Kind(_PLAIN[found].types, lambda _: False, lambda _: _PLAIN[found].words)
    if issubclass(found, tuple):
        parts = {name: kind_of(hint) for name, hint in typing.get_type_hints(found).items()}

        def holds(value: object) -> bool:
            return type(value) is found and all(
                type(part) in kind.types or kind.holds(part)
                for part, kind in zip(value, parts.values(), strict=True)
            )

        return Kind(frozenset(), holds, lambda _: f"{_called(found)} of whole numbers")
    return Kind(
        frozenset({found}), lambda value: isinstance(value, found), lambda _: _called(found)
    )


class _Plain(NamedTuple):
    types: frozenset[type]
    words: str


_PLAIN: Mapping[type, _Plain] = {
    bool: _Plain(frozenset({bool}), "True or False"),
    int: _Plain(frozenset({int}), "a whole number"),
    float: _Plain(frozenset({float, int}), "a number"),
    str: _Plain(frozenset({str}), "a text"),
    bytes: _Plain(frozenset({bytes}), "bytes"),
    types.NoneType: _Plain(frozenset({types.NoneType}), "None"),
}


def _called(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def _bounded(hint: type, bounds: Bounds | AboveZero) -> Kind:
    usual = _PLAIN[hint].types
    return Kind(
        frozenset(),
        lambda value: type(value) in usual and bounds.holds(value),
        lambda _: str(bounds),
    )


def _either(kinds: list[Kind]) -> Kind:
    return Kind(
        frozenset().union(*(kind.types for kind in kinds)),
        lambda value: any(kind.holds(value) for kind in kinds),
        lambda value: ", or ".join(dict.fromkeys(kind.words(value) for kind in kinds)),
    )


def _several(kind: Kind) -> Kind:
    def holds(value: object) -> bool:
        return isinstance(value, tuple) and all(
            type(each) in kind.types or kind.holds(each) for each in value
        )

    return Kind(frozenset(), holds, lambda _: "a tuple", kind)


def _member(kind: type[enum.Enum], value: object) -> str:
    """A member of an enumeration: the one that is near, or all where there are few."""
    names = dict(_names(kind))
    near = difflib.get_close_matches(str(value).lower(), names, n=1, cutoff=0.4)
    if near:
        return str(names[near[0]])
    known = [str(each) for each in kind]
    return f"one of {', '.join(known)}" if len(known) <= _ANY_COUNT else _called(kind)


def _names(kind: type[enum.Enum]) -> Iterator[tuple[str, enum.Enum]]:
    for member in kind:
        yield str(member.value).lower(), member
        yield member.name.lower(), member
