"""Values as bytes and back: a table for each type that a value is made of, a column for each field.

What bytes may hold follows from the types of the fields alone: numbers, words, members of
enumerations, tuples, and values of these. Nothing else can come out of them, and nothing is run,
whoever has written them. What is one value in several places is stored once, and is one again.
Types of which one is a part of itself cannot be stored.
"""

from __future__ import annotations

import enum
import math
import operator
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, reduce
from itertools import chain, islice
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from core.base.errors import InputError
from core.base.frozen import Frozen, NamedTuple, field_names

Value = TypeVar("Value")

Hint = Any
"""What an annotation says of a field."""
_SCALARS: dict[Hint, Hint] = {bool: bool, int: int, float: float | int, str: str}
"""What a field may hold that is said to be one of these: whole numbers are floats, too."""
_PLACE = Annotated[int, msgspec.Meta(ge=0)]
"""Of a value in its table."""


class _Table(NamedTuple):
    """How all values of one type are stored."""

    parts: tuple[Hint, ...]
    """Of what is in each column."""
    split: Callable[[Sequence[Any]], Iterable[Iterable[Any]]]
    """The columns of values."""
    join: Callable[[Sequence[Sequence[Any]]], Sequence[Any]]
    """The values of columns; a ValueError where they are not equally long."""
    members: tuple[enum.Enum, ...] = ()
    """Values that are there without columns."""


class Columns(Generic[Value]):
    """How a value of one type is stored."""

    def __init__(self, kind: type[Value]) -> None:
        self._kind = kind

    def pack(self, value: Value) -> bytes:
        """The bytes of a value; an InputError where a number or a word has no place in them."""
        rows = {hint: _Rows(_table(hint).members) for hint in self._order}
        rows[self._kind].place(value)
        packed = []
        for hint in self._order:
            table = _table(hint)
            for part, column in zip(table.parts, table.split(rows[hint].values), strict=True):
                inner, _ = _without_none(part)
                place = rows[inner].place if inner in rows else None
                packed.append(list(column if place is None else map(place, column)))
        try:
            return msgspec.msgpack.encode(packed)
        except (OverflowError, UnicodeEncodeError) as error:
            raise InputError(f"cannot be stored: {error}") from error

    def unpack(self, data: bytes, counts: Mapping[Hint, int]) -> Value:
        """The value that has these bytes; an InputError where none has.

        An id whose type is counted is below that: it is the position of something that is there.
        """
        values: dict[Hint, Sequence[Any]] = {}
        try:
            packed = msgspec.msgpack.decode(data, type=list[msgspec.Raw])
            # What others lead to comes after them.
            for hint in reversed(self._order):
                table = _table(hint)
                columns = [packed.pop() for _ in table.parts][::-1]
                found = [
                    _column(column, part, values, counts)
                    for column, part in zip(columns, table.parts, strict=True)
                ]
                values[hint] = table.members or table.join(found)
            (value,) = values[self._kind]
        except (msgspec.MsgspecError, LookupError, ValueError) as error:
            raise InputError(f"is damaged: {error}") from error
        if packed:
            raise InputError("is damaged: there is more than belongs to it")
        return typing.cast("Value", value)

    @cached_property
    def _order(self) -> tuple[Hint, ...]:
        """All types that it is made of, each before those of its parts."""
        done: dict[Hint, None] = {}
        _walk(self._kind, done, ())
        return tuple(reversed(done))


class _Rows:
    """Values of one type, each once."""

    def __init__(self, members: Iterable[Any]) -> None:
        self.values: list[Any] = []
        self._places: dict[int, int] = {}
        for member in members:
            self.place(member)

    def place(self, value: Any) -> int | None:
        """Where it is, now if it was not before; nothing is nowhere."""
        if value is None:
            return None
        place = self._places.setdefault(id(value), len(self.values))
        if place == len(self.values):
            self.values.append(value)
        return place


def _walk(hint: Hint, done: dict[Hint, None], above: tuple[Hint, ...]) -> None:
    if hint in above:
        raise TypeError(f"{hint} is a part of itself")
    for part in _table(hint).parts:
        inner, _ = _without_none(part)
        if inner not in _SCALARS and inner not in done:
            _walk(inner, done, (*above, hint))
    done[hint] = None


def _column(
    raw: msgspec.Raw, part: Hint, values: Mapping[Hint, Sequence[Any]], counts: Mapping[Hint, int]
) -> Sequence[Any]:
    """What is in a column, where the tables are known that it leads to."""
    inner, may_be_none = _without_none(part)
    cell = _SCALARS.get(inner, _PLACE)
    count = next((counts[each] for each in _alternatives(part) if each in counts), None)
    if count is not None:
        cell = Annotated[int, msgspec.Meta(ge=0, lt=count)]
    column: list[Any] = _decoder(cell | None if may_be_none else cell).decode(raw)
    if inner is float and not all(math.isfinite(each) for each in column if each is not None):
        raise ValueError("a number is not finite")
    if inner in _SCALARS:
        return column
    table = values[inner]
    return [None if place is None else table[place] for place in column]


@lru_cache(256)
def _decoder(cell: Hint) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(list[cell])


@cache
def _without_none(hint: Hint) -> tuple[Hint, bool]:
    """A type but for None, and whether it may be None."""
    rest = tuple(part for part in _alternatives(hint) if part is not types.NoneType)
    inner: Hint = reduce(operator.or_, rest)
    while isinstance(inner, typing.NewType):
        inner = inner.__supertype__
    return inner, rest != _alternatives(hint)


def _alternatives(hint: Hint) -> tuple[Hint, ...]:
    is_union = _origin(hint) in (types.UnionType, typing.Union)
    return typing.get_args(hint) if is_union else (hint,)


def _origin(hint: Hint) -> Hint:
    return typing.get_origin(hint)


@cache
def _table(hint: Hint) -> _Table:
    """How values of a type are stored."""
    if len(_alternatives(hint)) > 1:
        return _choice(_alternatives(hint))
    if _origin(hint) is tuple:
        parts = typing.get_args(hint)
        return _sequence(parts[0]) if parts[1:] == (...,) else _tuple(parts, tuple)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _Table((), lambda _: (), lambda _: (), members=tuple(hint))
    if isinstance(hint, type) and issubclass(hint, Frozen):
        return _value(hint)
    if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_make"):
        return _tuple(tuple(typing.get_type_hints(hint).values()), hint._make)
    raise TypeError(f"{hint} has no columns")


def _value(kind: type[Frozen]) -> _Table:
    hints, names = typing.get_type_hints(kind), field_names(kind)

    def split(values: Sequence[Any]) -> Iterator[Iterable[Any]]:
        for name in names:
            yield (getattr(value, name) for value in values)

    def join(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
        rows = zip(*columns, strict=True)
        return [kind(**dict(zip(names, row, strict=True))) for row in rows]

    return _Table(tuple(hints[name] for name in names), split, join)


def _tuple(parts: tuple[Hint, ...], make: Callable[[Iterable[Any]], Any]) -> _Table:
    """Tuples of which all are equally long."""

    def split(values: Sequence[Any]) -> Iterator[Iterable[Any]]:
        for place in range(len(parts)):
            yield (value[place] for value in values)

    return _Table(parts, split, lambda columns: [make(row) for row in zip(*columns, strict=True)])


def _sequence(part: Hint) -> _Table:
    """Tuples of any length: how long each is, and what is in all of them."""

    def join(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
        lengths, items = columns
        if min(lengths, default=0) < 0 or sum(lengths) != len(items):
            raise ValueError("parts are missing, or too many")
        left = iter(items)
        return [tuple(islice(left, length)) for length in lengths]

    return _Table((int, part), lambda values: (map(len, values), chain(*values)), join)


def _choice(parts: tuple[Hint, ...]) -> _Table:
    """One of several types: which it is, and a column for each of them."""
    numbers = {part: number for number, part in enumerate(parts)}

    def split(values: Sequence[Any]) -> Iterator[Iterable[Any]]:
        yield (numbers[type(value)] for value in values)
        for part in parts:
            yield (value for value in values if type(value) is part)

    def join(columns: Sequence[Sequence[Any]]) -> Sequence[Any]:
        which, *columns = columns
        if Counter(which) != Counter({at: len(each) for at, each in enumerate(columns)}):
            raise ValueError("choices are missing, or too many")
        left = [iter(each) for each in columns]
        return [next(left[number]) for number in which]

    return _Table((int, *parts), split, join)
