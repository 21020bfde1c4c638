"""The answers that were given last, so that they can be given again at once; no Qt."""

from __future__ import annotations

from core.api import networks
from core.base.memo import Memo
from gui.document.answer import Answer
from gui.document.document import Document

MOST_ANSWERS = 20
MOST_RUNS = 4
"""Each has the constants of a network with it."""


class Answers:
    """The last answers, by what was asked."""

    def __init__(self) -> None:
        self._answers: Memo[Document, Answer] = Memo(MOST_ANSWERS)

    def find(self, document: Document) -> Answer | None:
        """The answer to a document, where it was given not long ago."""
        return self._answers.find(document)

    def put(self, answer: Answer) -> None:
        """Remember an answer; those of networks that were not used for long are forgotten."""
        self._answers.keep(answer.document, answer)
        runs: dict[int, networks.Run] = {}
        for document, kept in reversed([*self._answers.items()]):
            run = kept.scheduled.run
            runs[id(run)] = run
            if len(runs) > MOST_RUNS:
                runs.popitem()
                self._answers.forget(document)

    def forget(self, document: Document) -> None:
        """Give this answer no more."""
        self._answers.forget(document)
