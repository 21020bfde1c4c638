"""What edits cost comes after the answer: whose that is, and what is still to be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.ir.edits import EditFate
from gui.document.answer import Answer
from gui.document.decisions import priced_places
from gui.document.document import Document
from gui.jobs.messages import Price, Priced
from gui.jobs.recent import Answers
from gui.state.store import Store


class Prices:
    """Puts prices to the answers that they belong to, and has them tried again where need be."""

    def __init__(self, store: Store, answers: Answers, send: Callable[[Price], None]) -> None:
        self._store = store
        self._answers = answers
        self._send = send
        self._tried: tuple[int, Document] | None = None
        """Whose prices may come, and under which number."""

    def expect(self, answer: Answer) -> None:
        """Its prices follow, unless something else is asked."""
        self._tried = (answer.number, answer.document)

    def forget(self) -> None:
        """Something else is asked: no more of them will come."""
        self._tried = None

    def ask(self, answer: Answer) -> None:
        """Have them tried, where something else was asked before they came."""
        is_tried = self._tried is not None and self._tried[1] == answer.document
        if not is_tried and _lacks_prices(answer):
            self._tried = (answer.number, answer.document)
            self._send(Price(number=answer.number, document=answer.document))

    def take(self, news: Priced) -> None:
        """Keep what edits cost with the answer, and say it where that is shown."""
        if self._tried is None or self._tried[0] != news.number:
            return
        document, shown = self._tried[1], self._store.answer
        is_shown = shown is not None and shown.document == document
        answer = shown if is_shown else self._answers.find(document)
        if answer is not None:
            priced = replace(answer, scheduled=replace(answer.scheduled, edits=news.edits))
            self._answers.put(priced)
            if is_shown:
                self._store.set_answer(priced)


def _lacks_prices(answer: Answer) -> bool:
    """Whether what edits cost is still to be tried."""
    outcomes = answer.scheduled.edits
    return not answer.document.ignores_edits and any(
        outcomes[place].price is None
        and outcomes[place].fate not in (EditFate.OFF, EditFate.ORPHAN)
        for place in priced_places(answer.document.edits)
    )
