"""When commands run: operations one after the other, and transfers beside them.

Either engine holds a few commands at most. Whoever gives it one more has to wait, and all that
comes later waits as well. A memory has the bytes of one second only once: while an operation reads
from where a transfer reads too, the transfer goes on with what the operation leaves.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from core.base.frozen import Changing, Frozen, NamedTuple, field
from core.target.family import Concurrency
from core.target.target import Area


class Turn(enum.Enum):
    """What a command asks for."""

    OPERATION = "operation"
    TRANSFER = "transfer"
    COPY = "copy of a map"
    """It keeps both engines busy, as the cost model has it."""
    AWAIT_OPERATIONS = "wait for operations"
    AWAIT_TRANSFERS = "wait for transfers"
    NOTHING = "nothing"


class Told(NamedTuple):
    """One command, as far as time goes."""

    turn: Turn
    cycles: float = 0.0
    outstanding: int = 0
    """Of what it waits for, what may stay unfinished."""
    busy: tuple[tuple[Area, float], ...] = ()
    """Of an operation: cycles in which memories serve it."""
    source: Area | None = None
    """Of a transfer: where it reads."""
    latency: float = 0.0
    """Until its first bytes are there; an operation asks for them when the one before it begins. A
    transfer leaves the memory to others meanwhile."""


class Clock(Frozen):
    """Cycles by command; commands that keep no engine busy begin and end at once."""

    free: tuple[float, ...]
    """When the engine has done what it had to do before."""
    start: tuple[float, ...]
    end: tuple[float, ...]
    end_of_all: float


_OPERATION, _TRANSFER, _COPY = Turn.OPERATION, Turn.TRANSFER, Turn.COPY
_AWAIT_OPERATIONS, _AWAIT_TRANSFERS = Turn.AWAIT_OPERATIONS, Turn.AWAIT_TRANSFERS

_Row = tuple[float, float, float]
"""When the engine was free, when the command began, and when it ended."""

_Reading = dict[Area, list[tuple[float, float, float]]]
"""By memory: from when to when, and for which part of that time, operations read there."""


class _Operations(Changing):
    """What runs one after the other, and which memories it keeps busy."""

    free: float
    most: int
    """Unfinished ones; who gives one more has to wait."""
    ends: list[float] = field(default_factory=list)
    reading: _Reading = field(default_factory=dict)
    began: float = 0.0
    """When the last of them did."""

    def run(self, ready: float, told: Told) -> _Row:
        before, cycles = self.free, told.cycles
        start = max(ready, before)
        if told.latency:
            start = max(start, self.began + told.latency)
        self.began = start
        self.free = end = start + cycles
        self.ends.append(end)
        if cycles:
            for area, busy in told.busy:
                if busy:
                    spans = self.reading.setdefault(area, [])
                    spans.append((start, end, min(busy / cycles, 1.0)))
        return before, start, end

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        left = len(self.ends) - outstanding
        return self.ends[left - 1] if left > 0 else 0.0


class _Transfers(Changing):
    """What runs beside operations; when it ends is known once those beside it are."""

    free: float
    most: int
    reading: _Reading
    given: list[tuple[float, Told]] = field(default_factory=list)
    """When each could start, but for the one before it."""
    rows: list[_Row] = field(default_factory=list)
    """Of those that something has waited for."""
    _seen: dict[Area, int] = field(default_factory=dict)
    """By memory: operations that ended before the transfers that came last."""

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        wanted = len(self.given) - outstanding
        for ready, told in self.given[len(self.rows) : wanted]:
            before, start = self.free, max(ready, self.free)
            self.free = self._end(start, told)
            self.rows.append((before, start, self.free))
        return self.rows[wanted - 1][2] if wanted > 0 else 0.0

    def _end(self, start: float, told: Told) -> float:
        """When all is brought that operations leave time for."""
        source, now, left = told.source, start + told.latency, told.cycles - told.latency
        spans = self.reading.get(source) if source is not None else None
        if source is None or spans is None:
            return now + left
        at = self._seen.get(source, 0)
        while at < len(spans) and spans[at][1] <= now:
            at += 1
        self._seen[source] = at
        while at < len(spans):
            begins, ends, share = spans[at]
            if left <= begins - now:
                break
            left -= max(begins - now, 0.0)
            now = max(begins, now)
            rest = (ends - now) * (1.0 - share)
            if left <= rest:
                return now + left / (1.0 - share) if left else now
            left -= rest
            now, at = ends, at + 1
        return now + left


def clock(concurrency: Concurrency, commands: Iterable[Told], begin: float = 0.0) -> Clock:
    """From when to when each command runs, if the first one is read at the beginning."""
    operations = _Operations(begin, concurrency.kernels, began=begin)
    transfers = _Transfers(begin, concurrency.transfers, operations.reading)
    now = begin
    rows: list[_Row | int] = []
    for told in commands:
        turn = told.turn
        if turn is _OPERATION:
            now = max(now, operations.when_left(operations.most - 1))
            rows.append(operations.run(now, told))
            continue
        if turn is _TRANSFER:
            now = max(now, transfers.when_left(transfers.most - 1))
            rows.append(len(transfers.given))
            transfers.given.append((now, told))
            continue
        if turn is _COPY:
            before = operations.free
            transfers.given.append((max(now, before), told))
            operations.free = transfers.when_left(0)
            rows.append((before, transfers.rows[-1][1], operations.free))
            continue
        if turn is _AWAIT_OPERATIONS:
            now = max(now, operations.when_left(told.outstanding))
        elif turn is _AWAIT_TRANSFERS:
            now = max(now, transfers.when_left(told.outstanding))
        rows.append((now, now, now))
    last = transfers.when_left(0) if transfers.given else begin
    settled = [transfers.rows[row] if isinstance(row, int) else row for row in rows]
    free, start, end = zip(*settled, strict=True) if settled else ((), (), ())
    return Clock(free=free, start=start, end=end, end_of_all=max(operations.free, last))
