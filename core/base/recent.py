"""Answers that are remembered as long as few others are asked for after them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from core.base.frozen import Changing, field

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Subject = TypeVar("Subject")
Rest = ParamSpec("Rest")
_UNKNOWN: Any = object()


class Recent(Changing, Generic[Key, Value], eq=False):
    """The answers that somebody asked for last."""

    most: int
    """So many are kept."""
    _known: dict[Key, Value] = field(default_factory=dict)

    def answer(self, key: Key, work_out: Callable[[], Value]) -> Value:
        """What is known under a key, or else is worked out for it."""
        # What is asked can be large: it is looked for once, and not whether it is there first.
        value: Value = self._known.pop(key, _UNKNOWN)
        if value is _UNKNOWN:
            value = work_out()
        self._known[key] = value
        while len(self._known) > self.most:
            del self._known[next(iter(self._known))]
        return value


def of_the_very(
    most: int,
) -> Callable[
    [Callable[Concatenate[Subject, Rest], Value]], Callable[Concatenate[Subject, Rest], Value]
]:
    """Remember what was worked out last of so many objects: of the very same ones, as a network is
    too large to be compared; what is asked beside it is compared."""

    def remembering(
        work_out: Callable[Concatenate[Subject, Rest], Value],
    ) -> Callable[Concatenate[Subject, Rest], Value]:
        known: tuple[tuple[Subject, object, Value], ...] = ()

        @wraps(work_out)
        def answer(subject: Subject, /, *rest: Rest.args, **named: Rest.kwargs) -> Value:
            nonlocal known
            for about, asked, value in known:
                if about is subject and asked == (rest, named):
                    return value
            value = work_out(subject, *rest, **named)
            known = ((subject, (rest, named), value), *known)[:most]
            return value

        return answer

    return remembering
