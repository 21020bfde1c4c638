"""Keeps every worker of a crew busy, with few batches on their way, until all cells are done."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait

from core.base.errors import OptionError
from core.base.frozen import Changing, Frozen, field, replace
from core.sweep.crew import Crew, Fate, Seat
from core.sweep.lanes import Lane
from core.sweep.work import Ask, Batch, Found, lost

_AHEAD = 2
"""Batches of a worker: the one that it is at, and the next."""
_LOOK_S = 0.5
"""How often is looked for new workers, and told of nothing new, while none answers."""
_MOST_TRIES = 3
"""Of a cell whose worker does not come to an end."""
_MOST_A_SECOND = 100
"""Batches that come back: where there are many workers, each has longer ones."""
_MOST_LOSSES = 100
"""Batches in a row that are lost on their way."""


class _Sent(Frozen, kw_only=False):
    seat: Seat
    batch: Batch
    lane: Lane | None
    tries: int = 0


class Drive(Changing):
    """One pass over all lanes."""

    crew: Crew
    lanes: Iterator[tuple[Lane, Batch]]
    """With each lane the batch, still empty, that its cells travel in."""
    take: Callable[[str, Sequence[Ask]], tuple[Ask, ...]] = lambda _, asks: tuple(asks)
    """Those of some cells of a model that are this sweep's to compute."""
    _own: dict[Seat, tuple[Lane, Batch]] = field(default_factory=dict)
    _orphans: deque[tuple[Lane, Batch]] = field(default_factory=deque)
    _again: deque[tuple[Batch, int]] = field(default_factory=deque)
    """What is tried again, and how often it was tried alone."""
    _running: dict[Future[tuple[Found, ...]], _Sent] = field(default_factory=dict)
    _losses: int = 0

    def run(self) -> Iterator[list[tuple[Batch, tuple[Found, ...]]]]:
        """All batches as they are done, several at a time where they come together; none where
        nobody has answered for a while, so that whoever waits can go."""
        self._deal()
        while self._running:
            done, _ = wait(self._running, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            yield [result for future in done for result in self._finished(future)]
            self._deal()

    def _finished(
        self, future: Future[tuple[Found, ...]]
    ) -> Iterable[tuple[Batch, tuple[Found, ...]]]:
        sent = self._running.pop(future)
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:
            return self._failed(sent, error)
        self._losses = 0
        found = future.result()
        if sent.lane is not None:
            sent.lane.learn([each.seconds_taken for each in found])
        return [(sent.batch, found)]

    def _failed(
        self, sent: _Sent, error: BaseException
    ) -> Iterable[tuple[Batch, tuple[Found, ...]]]:
        """Try again, and at last say that it cannot be done."""
        batch, asks = sent.batch, sent.batch.asks
        if self.crew.fate(error) is Fate.LOST:
            self._losses += 1
            if self._losses > _MOST_LOSSES:
                raise OptionError("batches are lost again and again: the workers cannot be reached")
            self._again.append((batch, sent.tries))
        elif len(asks) > 1 or sent.tries + 1 < _MOST_TRIES:
            tries = sent.tries + (len(asks) == 1)
            self._again.extend((replace(batch, asks=(ask,)), tries) for ask in asks)
        else:
            found = Found(settings=asks[0].settings, outcome=lost(error), seconds_taken=0.0)
            return [(batch, (found,))]
        return []

    def _deal(self) -> None:
        """Give every worker what it has room for."""
        seats = self.crew.seats()
        for seat in [seat for seat in self._own if seat not in seats]:
            own = self._own.pop(seat)
            self._orphans.extend([own] if own[0].asks else [])
        under_way = Counter(sent.seat for sent in self._running.values())
        for seat in seats:
            for place in range(under_way[seat], _AHEAD):
                sent = self._next(seat, is_alone=place == 0)
                if sent is None:
                    break
                self._running[self.crew.submit(seat, sent.batch)] = sent
                if sent.lane is None:
                    break

    def _next(self, seat: Seat, *, is_alone: bool) -> _Sent | None:
        # What may bring a worker down is alone with it.
        if is_alone and self._again:
            batch, tries = self._again.popleft()
            return _Sent(seat, batch, None, tries)
        while True:
            if seat not in self._own or not self._own[seat][0].asks:
                fresh = self._orphans.popleft() if self._orphans else next(self.lanes, None)
                fresh = fresh or self._half_of_another()
                if fresh is None:
                    return None
                self._own[seat] = fresh
            lane, batch = self._own[seat]
            seconds = max(self.crew.batch_s, len(self._own) / _MOST_A_SECOND)
            if asks := self.take(batch.model, lane.batch(seconds)):
                return _Sent(seat, replace(batch, asks=asks), lane)

    def _half_of_another(self) -> tuple[Lane, Batch] | None:
        """What somebody else would have come to last."""
        if not self._own:
            return None
        lane, batch = max(
            self._own.values(), key=lambda own: len(own[0].asks) * (own[0].cell_s or 1.0)
        )
        half = lane.halved()
        return None if half is None else (half, batch)
