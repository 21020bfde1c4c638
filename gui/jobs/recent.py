"""A table that forgets what was not used for the longest time; no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The last few values that were put or found."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Key, Value] = {}

    def find(self, key: Key) -> Value | None:
        """The value of a key, which now is the one used last."""
        value = self._values.pop(key, None)
        if value is not None:
            self._values[key] = value
        return value

    def put(self, key: Key, value: Value) -> None:
        """Remember a value; the oldest is forgotten where there are too many."""
        self._values.pop(key, None)
        self._values[key] = value
        while len(self._values) > self._most:
            del self._values[next(iter(self._values))]

    def __getitem__(self, key: Key) -> Value:
        return self._values[key]

    def keys(self) -> frozenset[Key]:
        """What is remembered now."""
        return frozenset(self._values)

    def forget(self, key: Key) -> None:
        """Remember a key no more."""
        self._values.pop(key, None)

    def items(self) -> Iterator[tuple[Key, Value]]:
        """All of them, from the one that will be forgotten next."""
        yield from tuple(self._values.items())

    def __len__(self) -> int:
        return len(self._values)
