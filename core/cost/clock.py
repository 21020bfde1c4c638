"""When commands run: operations one after the other, and transfers beside them.

Either engine holds a few commands at most. Whoever gives it one more has to wait, and all that
comes later waits as well.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from core.target.family import Concurrency


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Cycles by command; commands that keep no engine busy begin and end at once."""

    free: tuple[float, ...]
    """When the engine has done what it had to do before."""
    start: tuple[float, ...]
    end: tuple[float, ...]
    end_of_all: float


@dataclass(slots=True)
class _Queue:
    """What an engine was given, one thing after the other."""

    free: float
    most: int
    """That it can have in hand; who gives it more has to wait."""
    ends: list[float] = field(default_factory=list)

    def run(self, ready: float, cycles: float) -> tuple[float, float, float]:
        before = self.free
        start = max(ready, before)
        self.free = start + cycles
        self.ends.append(self.free)
        return before, start, self.free

    def when_left(self, outstanding: int) -> float:
        """When no more than so many are unfinished."""
        if len(self.ends) <= outstanding:
            return 0.0
        return self.ends[len(self.ends) - 1 - outstanding]


def clock(concurrency: Concurrency, commands: Iterable[Told], begin: float = 0.0) -> Clock:
    """From when to when each command runs, if the first one is read at the beginning."""
    operations = _Queue(begin, concurrency.kernels)
    transfers = _Queue(begin, concurrency.transfers)
    queues = {
        Turn.OPERATION: operations,
        Turn.TRANSFER: transfers,
        Turn.AWAIT_OPERATIONS: operations,
        Turn.AWAIT_TRANSFERS: transfers,
    }
    now = begin
    rows: list[tuple[float, float, float]] = []
    for turn, cycles, outstanding in commands:
        if turn is Turn.OPERATION or turn is Turn.TRANSFER:
            queue = queues[turn]
            now = max(now, queue.when_left(queue.most - 1))
            rows.append(queue.run(now, cycles))
        elif turn is Turn.COPY:
            before = operations.free
            _, start, operations.free = transfers.run(max(now, before), cycles)
            rows.append((before, start, operations.free))
        elif turn is Turn.NOTHING:
            rows.append((now, now, now))
        else:
            now = max(now, queues[turn].when_left(outstanding))
            rows.append((now, now, now))
    return Clock(
        free=tuple(row[0] for row in rows),
        start=tuple(row[1] for row in rows),
        end=tuple(row[2] for row in rows),
        end_of_all=max(operations.free, transfers.free),
    )
