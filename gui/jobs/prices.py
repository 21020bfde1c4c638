"""Ranges, what edits cost and what is better come after the answer: whose that is, what to ask."""

from __future__ import annotations

from collections.abc import Callable

from core.base.frozen import replace
from core.ir.edits import EditFate
from gui.document.answer import Answer
from gui.document.decisions import priced_places
from gui.document.document import Document
from gui.document.trial import Trial
from gui.jobs.messages import Cancel, Improved, Later, Price, Priced, Ranged, SearchedAnew, Tried
from gui.jobs.recent import Answers
from gui.present.memory.ahead import moved_between
from gui.present.runs.best import is_growing
from gui.state.store import Store


class Prices:
    """Puts ranges, prices and better schedules to the answers that they belong to, and has them
    worked out again where need be."""

    def __init__(
        self, store: Store, answers: Answers, send: Callable[[Price | Cancel], None]
    ) -> None:
        self._store = store
        self._answers = answers
        self._send = send
        self._tried: tuple[int, Document] | None = None
        """Whose prices may come, and under which number."""
        self._seconds_before = 0.0
        """What its answer had taken when the search went on."""
        self._trials: tuple[Document, ...] = ()
        """What is being tried under that number."""
        self._offered: Answer | None = None
        """The last better one; it may wait to be shown."""

    def expect(self, answer: Answer) -> None:
        """Its prices follow, unless something else is asked."""
        self._tried, self._seconds_before = (answer.number, answer.document), answer.seconds
        self._trials = ()

    def forget(self) -> None:
        """Something else is asked: no more of them will come."""
        self._tried, self._trials = None, ()

    def ask(self, answer: Answer) -> None:
        """Have them tried, where something else was asked before they came."""
        is_tried = self._tried is not None and self._tried[1] == answer.document
        grows = not self._store.growth.is_stopped
        is_whole = not (_lacks_prices(answer) or answer.awaits_spread)
        lacks = not is_tried and (not is_whole or (grows and is_growing(answer)))
        if lacks or self._wants_trials:
            self.expect(answer)
            self._trials = self._store.trials.missing
            number, document = answer.number, answer.document
            self._send(Price(number=number, document=document, grows=grows, trials=self._trials))

    def heed_trials(self) -> None:
        """Have tried what somebody looks at now."""
        if self._store.answer is not None and self._store.is_current and self._wants_trials:
            self.ask(self._store.answer)

    @property
    def _wants_trials(self) -> bool:
        missing = self._store.trials.missing
        return bool(missing) and not set(missing) <= set(self._trials)

    def heed_growth(self) -> None:
        """Have the front of what is shown go on, or stop that."""
        self.forget()
        if self._store.growth.is_stopped:
            self._send(Cancel())
        if self._store.answer is not None and self._store.is_current:
            self.ask(self._store.answer)

    def take(self, news: Later) -> None:
        """Keep what came with the answer, and say it where that is shown."""
        if self._tried is None or self._tried[0] != news.number:
            return
        if isinstance(news, Tried):
            self._store.trials.put(self._trials[news.place], _with_moved(news, self._store.answer))
            return
        document, shown = self._tried[1], self._store.answer
        is_shown = shown is not None and shown.document == document
        answer = shown if is_shown else self._answers.find(document)
        if answer is None:
            return
        if is_shown and isinstance(news, Improved):
            # What is kept for undo is what was seen.
            self._improve(self._with(answer, news), answer)
            return
        if self._store.better.answer is not None and isinstance(news, Ranged | Priced):
            # They are about what waits, and not about what is shown.
            return
        later = self._with(answer, news)
        if (later.scheduled, later.spread) != (answer.scheduled, answer.spread):
            self._answers.put(later)
            if is_shown:
                self._store.set_answer(later)

    def _improve(self, later: Answer, shown: Answer) -> None:
        newest = self._store.better.answer or shown
        if (later.scheduled, later.spread) != (newest.scheduled, newest.spread):
            self._offered = later
            self._store.better.offer(later)
            self.heed_better()

    def heed_better(self) -> None:
        """Keep what was offered once it is shown."""
        offered, shown = self._offered, self._store.answer
        if offered is not None and shown is not None and offered.scheduled is shown.scheduled:
            self._answers.put(offered)
            self._offered = None

    def _with(self, answer: Answer, news: Ranged | Priced | SearchedAnew | Improved) -> Answer:
        if isinstance(news, Ranged):
            return replace(answer, spread=news.spread)
        if isinstance(news, Priced):
            return replace(answer, scheduled=replace(answer.scheduled, edits=news.edits))
        if isinstance(news, SearchedAnew):
            around = answer.scheduled.around
            told = None if around is None else replace(around, anew=news.anew)
            return replace(answer, scheduled=replace(answer.scheduled, around=told))
        # Prices stay with edits that became the same.
        priced = {(each.edit, each.fate, each.applied): each for each in answer.scheduled.edits}
        edits = tuple(
            priced.get((each.edit, each.fate, each.applied), each) for each in news.scheduled.edits
        )
        scheduled = replace(news.scheduled, edits=edits)
        seconds = self._seconds_before + news.seconds
        return replace(
            answer,
            scheduled=scheduled,
            analysis=news.analysis,
            seconds=seconds,
            together=news.together,
            spread=news.spread,
        )


def _with_moved(news: Tried, shown: Answer | None) -> Trial | None:
    """A trial, and what would lie elsewhere than on the screen."""
    if news.trial is None or news.layout is None or shown is None:
        return news.trial
    return replace(news.trial, moved=moved_between(shown.scheduled.layout, news.layout))


def _lacks_prices(answer: Answer) -> bool:
    """Whether what edits cost is still to be tried."""
    outcomes = answer.scheduled.edits
    return not answer.document.ignores_edits and any(
        outcomes[place].price is None
        and outcomes[place].fate not in (EditFate.OFF, EditFate.ORPHAN)
        for place in priced_places(answer.document.edits)
    )
