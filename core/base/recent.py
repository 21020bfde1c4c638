"""Answers that are remembered as long as few others are asked for after them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from core.base.frozen import Changing, field

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Changing, Generic[Key, Value], eq=False):
    """The answers that somebody asked for last."""

    most: int
    """So many are kept."""
    _known: dict[Key, Value] = field(default_factory=dict)

    def answer(self, key: Key, work_out: Callable[[], Value]) -> Value:
        """What is known under a key, or else is worked out for it."""
        value = self._known.pop(key) if key in self._known else work_out()
        self._known[key] = value
        while len(self._known) > self.most:
            del self._known[next(iter(self._known))]
        return value
