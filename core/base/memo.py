"""Answers that are remembered by what was asked, so that nobody works them out again.

A question is a value that names all that its answer depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from core.base.frozen import Changing, field

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")
Subject = TypeVar("Subject")
Rest = ParamSpec("Rest")
_UNKNOWN: Any = object()


class Memo(Changing, Generic[Question, Answer], eq=False):
    """Answers by question."""

    most: int | None = None
    """So many are kept, those that somebody asked for last; or all."""
    _known: dict[Question, Answer] = field(default_factory=dict)

    def answer(self, question: Question, work_out: Callable[[], Answer]) -> Answer:
        """What is known, or else is worked out."""
        # A question can be large: it is looked for once, and not whether it is there first.
        answer: Answer = self._known.pop(question, _UNKNOWN)
        if answer is _UNKNOWN:
            answer = work_out()
        self._known[question] = answer
        self._forget_oldest()
        return answer

    def find(self, question: Question) -> Answer | None:
        """What is known, which now is what was asked for last."""
        answer: Answer = self._known.pop(question, _UNKNOWN)
        if answer is _UNKNOWN:
            return None
        self._known[question] = answer
        return answer

    def keep(self, question: Question, answer: Answer) -> None:
        """Remember an answer; the oldest is forgotten where there are too many."""
        self._known.pop(question, None)
        self._known[question] = answer
        self._forget_oldest()

    def _forget_oldest(self) -> None:
        while self.most is not None and len(self._known) > self.most:
            del self._known[next(iter(self._known))]

    def forget(self, question: Question) -> None:
        """Remember an answer no more."""
        self._known.pop(question, None)

    def __getitem__(self, question: Question) -> Answer:
        return self._known[question]

    def __len__(self) -> int:
        return len(self._known)

    def questions(self) -> frozenset[Question]:
        """What is remembered now."""
        return frozenset(self._known)

    def items(self) -> Iterator[tuple[Question, Answer]]:
        """All of them, from the one that will be forgotten next."""
        yield from tuple(self._known.items())


def of_the_very(
    most: int,
) -> Callable[
    [Callable[Concatenate[Subject, Rest], Answer]], Callable[Concatenate[Subject, Rest], Answer]
]:
    """Remember what was worked out last of so many objects: of the very same ones, as a network is
    too large to be compared; what is asked beside it is compared."""

    def remembering(
        work_out: Callable[Concatenate[Subject, Rest], Answer],
    ) -> Callable[Concatenate[Subject, Rest], Answer]:
        known: tuple[tuple[Subject, object, Answer], ...] = ()

        @wraps(work_out)
        def answer(subject: Subject, /, *rest: Rest.args, **named: Rest.kwargs) -> Answer:
            nonlocal known
            for about, asked, value in known:
                if about is subject and asked == (rest, named):
                    return value
            value = work_out(subject, *rest, **named)
            known = ((subject, (rest, named), value), *known)[:most]
            return value

        return answer

    return remembering
