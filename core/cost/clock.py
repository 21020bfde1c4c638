"""When commands run: operations one after the other, and transfers beside them.

Either engine holds a few commands at most. Whoever gives it one more has to wait, and all that
comes later waits as well. A memory has the bytes of one second only once: while an operation reads
from where a transfer reads too, the transfer goes on with what the operation leaves.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Cycles by command; commands that keep no engine busy begin and end at once."""

    free: tuple[float, ...]
    """When the engine has done what it had to do before."""
    start: tuple[float, ...]
    end: tuple[float, ...]
    end_of_all: float


class _Row(NamedTuple):
    free: float
    start: float
    end: float


@dataclass(slots=True)
class _Operations:
    """What runs one after the other, and which memories it keeps busy."""

    free: float
    most: int
    """Unfinished ones; who gives one more has to wait."""
    ends: list[float] = field(default_factory=list)
    reading: dict[Area, list[tuple[float, float, float]]] = field(default_factory=dict)
    """By memory: from when to when, and for which part of that time, operations read there."""

    def run(self, ready: float, told: Told) -> _Row:
        before = self.free
        start = max(ready, before)
        self.free = start + told.cycles
        self.ends.append(self.free)
        for area, busy in told.busy:
            if busy and told.cycles:
                spans = self.reading.setdefault(area, [])
                spans.append((start, self.free, min(busy / told.cycles, 1.0)))
        return _Row(before, start, self.free)

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        return self.ends[len(self.ends) - 1 - outstanding] if len(self.ends) > outstanding else 0.0


@dataclass(slots=True)
class _Transfers:
    """What runs beside operations; when it ends is known once those beside it are."""

    begin: float
    most: int
    reading: Mapping[Area, Sequence[tuple[float, float, float]]]
    given: list[tuple[float, Told]] = field(default_factory=list)
    """When each could start, but for the one before it."""
    rows: list[_Row] = field(default_factory=list)
    """Of those that something has waited for."""
    _seen: dict[Area, int] = field(default_factory=dict)

    def run(self, ready: float, told: Told) -> None:
        self.given.append((ready, told))

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        wanted = len(self.given) - outstanding
        while len(self.rows) < wanted:
            self._settle()
        return self.rows[wanted - 1].end if wanted > 0 else 0.0

    def _settle(self) -> None:
        ready, told = self.given[len(self.rows)]
        before = self.rows[-1].end if self.rows else self.begin
        start = max(ready, before)
        self.rows.append(_Row(before, start, self._end(start, told)))

    def _end(self, start: float, told: Told) -> float:
        """When all is brought that operations leave time for."""
        spans = self.reading.get(told.source, ()) if told.source is not None else ()
        at, now, left = self._first_beside(start, told.source), start, told.cycles
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

    def _first_beside(self, start: float, source: Area | None) -> int:
        """The place of the first operation that reads there and has not ended."""
        if source is None:
            return 0
        spans, at = self.reading.get(source, ()), self._seen.get(source, 0)
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        self._seen[source] = at
        return at


def clock(concurrency: Concurrency, commands: Iterable[Told], begin: float = 0.0) -> Clock:
    """From when to when each command runs, if the first one is read at the beginning."""
    operations = _Operations(begin, concurrency.kernels)
    transfers = _Transfers(begin, concurrency.transfers, operations.reading)
    now = begin
    rows: list[_Row | int] = []
    for told in commands:
        match told.turn:
            case Turn.OPERATION:
                now = max(now, operations.when_left(operations.most - 1))
                rows.append(operations.run(now, told))
                continue
            case Turn.TRANSFER:
                now = max(now, transfers.when_left(transfers.most - 1))
                rows.append(len(transfers.given))
                transfers.run(now, told)
                continue
            case Turn.COPY:
                before = operations.free
                transfers.run(max(now, before), told)
                operations.free = transfers.when_left(0)
                rows.append(_Row(before, transfers.rows[-1].start, operations.free))
                continue
            case Turn.AWAIT_OPERATIONS:
                now = max(now, operations.when_left(told.outstanding))
            case Turn.AWAIT_TRANSFERS:
                now = max(now, transfers.when_left(told.outstanding))
            case Turn.NOTHING:
                pass
        rows.append(_Row(now, now, now))
    last = transfers.when_left(0) if transfers.given else begin
    settled = [transfers.rows[row] if isinstance(row, int) else row for row in rows]
    return Clock(
        free=tuple(row.free for row in settled),
        start=tuple(row.start for row in settled),
        end=tuple(row.end for row in settled),
        end_of_all=max(operations.free, last),
    )
