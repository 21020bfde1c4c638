"""Values as what JSON can hold, and back; what comes back is looked at closely."""

from __future__ import annotations

import enum
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union

from core.api import edits, notes
from core.base.errors import InputError, OptionError
from core.base.frozen import Frozen, field_names, members, needed_names
from core.ir.edits import Edit
from core.ir.notes import Note

Plain = Any
"""What JSON can hold."""

Value = TypeVar("Value")


def to_plain(value: Any) -> Plain:
    """A value as JSON can hold it; members of named tuples are left out where they are as usual."""
    if isinstance(value, enum.Enum):
        return value.value
    if _is_named_tuple(type(value)):
        usual: Mapping[str, Any] = value._field_defaults
        return {
            name: to_plain(part)
            for name, part in value._asdict().items()
            if name not in usual or part != usual[name]
        }
    if isinstance(value, Edit | Note):
        return edits.to_plain(value) if isinstance(value, Edit) else notes.to_plain(value)
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, Frozen):
        return {name: to_plain(part) for name, part in members(value).items()}
    return value


def from_plain(kind: type[Value], plain: Plain, where: str) -> Value:
    """The value of a kind; an InputError says where it is not one.

    What is missing is as usual, and what nobody knows is passed over: both come of other versions.
    """
    found: Value = _read(kind, plain, where)
    return found


def _read(kind: Any, plain: Plain, where: str) -> Any:
    kind = getattr(kind, "__supertype__", kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in _COMPOSED:
        return _COMPOSED[origin](arguments, plain, where)
    if kind is Edit:
        return edits.from_plain(plain, where)
    if kind is Note:
        return notes.from_plain(plain, where)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _read_choice(kind, plain, where)
    if _is_named_tuple(kind) or _is_frozen(kind):
        return _read_members(kind, plain, where)
    return _read_scalar(kind, plain, where)


def _read_optional(kinds: tuple[Any, ...], plain: Plain, where: str) -> Any:
    """A value or None."""
    if plain is None and types.NoneType in kinds:
        return None
    kind = next(kind for kind in kinds if kind is not types.NoneType)
    return _read(kind, plain, where)


def _read_items(kinds: tuple[Any, ...], plain: Plain, where: str) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise InputError("is not a list", where)
    return tuple(_read(kinds[0], item, f"{where}[{at}]") for at, item in enumerate(plain))


def _read_named(kinds: tuple[Any, ...], plain: Plain, where: str) -> Mapping[str, Any]:
    """Values by names; those of any kind are looked at by whoever uses them."""
    if not isinstance(plain, dict):
        raise InputError("is not an object", where)
    if kinds[1] is Any:
        return plain
    return {name: _read(kinds[1], part, f"{where}.{name}") for name, part in plain.items()}


_COMPOSED: Mapping[Any, Callable[[tuple[Any, ...], Plain, str], Any]] = {
    Union: _read_optional,
    types.UnionType: _read_optional,
    tuple: _read_items,
    Mapping: _read_named,
}


def _read_choice(kind: type[enum.Enum], plain: Plain, where: str) -> enum.Enum:
    for choice in kind:
        if type(choice.value) is type(plain) and choice.value == plain:
            return choice
    known = ", ".join(str(choice.value) for choice in kind)
    raise InputError(f"{_short(plain)} is none of {known}", where)


def _read_members(kind: Any, plain: Plain, where: str) -> Any:
    if not isinstance(plain, dict):
        raise InputError("is not an object", where)
    needed = _needed(kind)
    hints = _hints(kind)
    missing = sorted(needed - plain.keys())
    if missing:
        raise InputError(f"has no {missing[0]}", where)
    parts = {
        name: _read(hints[name], plain[name], f"{where}.{name}") for name in hints if name in plain
    }
    try:
        return kind(**parts)
    except OptionError as error:
        raise InputError(str(error), where) from error


@cache
def _hints(kind: Any) -> Mapping[str, Any]:
    """Members, and of what kind each is."""
    hints = typing.get_type_hints(kind)
    return {
        name: hints[name] for name in (kind._fields if _is_named_tuple(kind) else field_names(kind))
    }


@cache
def _needed(kind: Any) -> frozenset[str]:
    """Names of members that nothing is usual for."""
    if _is_named_tuple(kind):
        return frozenset(kind._fields).difference(kind._field_defaults)
    return needed_names(kind)


_SCALARS: Mapping[Any, Callable[[Any], bool]] = {
    bool: lambda plain: isinstance(plain, bool),
    int: lambda plain: isinstance(plain, int) and not isinstance(plain, bool),
    float: lambda plain: (
        isinstance(plain, int | float) and not isinstance(plain, bool) and math.isfinite(plain)
    ),
    str: lambda plain: isinstance(plain, str),
}
_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def _read_scalar(kind: Any, plain: Plain, where: str) -> Any:
    if not _SCALARS[kind](plain):
        raise InputError(f"{_short(plain)} is not {_NAMES[kind]}", where)
    return kind(plain)


def _is_named_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


def _is_frozen(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Frozen)


def _short(plain: Plain) -> str:
    text = repr(plain)
    return text if len(text) <= 40 else f"{text[:37]}..."
