"""What was worked out not long ago, so that it can be given again at once; no Qt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from core.api import networks
from gui.document.answer import Answer
from gui.document.document import Document

MOST_ANSWERS = 20
MOST_RUNS = 4
"""Each has the constants of a network with it."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """A table that forgets what was not used for the longest time."""

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


class Answers:
    """The last answers, by what was asked."""

    def __init__(self) -> None:
        self._answers: Recent[Document, Answer] = Recent(MOST_ANSWERS)

    def find(self, document: Document) -> Answer | None:
        """The answer to a document, where it was given not long ago."""
        return self._answers.find(document)

    def put(self, answer: Answer) -> None:
        """Remember an answer; those of networks that were not used for long are forgotten."""
        self._answers.put(answer.document, answer)
        runs: dict[int, networks.Run] = {}
        for document, kept in reversed(tuple(self._answers.items())):
            run = kept.scheduled.run
            runs[id(run)] = run
            if len(runs) > MOST_RUNS:
                runs.popitem()
                self._answers.forget(document)

    def forget(self, document: Document) -> None:
        """Give this answer no more."""
        self._answers.forget(document)
