"""How long before their operators weights are brought: as late as they are there in time.

One transfer runs after the other, so what lets one be there in time is that those before it were.
From the last one back, each begins so early that it has ended when its operator can begin and when
the next one begins. A far lead takes memory, and keeps the weights of others waiting; where all
transfers take longer than all operators, everything would be brought before anything runs. So
several longest leads are tried, and the clock says what each is worth.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from core.base.frozen import Frozen, NamedTuple
from core.base.ids import NpuOpId
from core.cost.clock import Told, Turn, clock
from core.target.family import Concurrency

MOST_STEPS = (1, 2, 4, 8, 16, 32, 64)
"""The longest leads that are tried. Without the last, mobilenet_v2 takes 1.26 of the cycles on the
Ethos-U55-256 and MoveNet 1.16; with one of 128 as well, none of eight networks changes on three
targets."""

Leads = dict[NpuOpId, int]
"""By operator: how many steps before its own its first slice may be brought beside."""


class Arrival(NamedTuple):
    """The transfer of a first slice that may come ahead."""

    op: NpuOpId
    told: Told


class Step(NamedTuple):
    """What the clock is told of an operator, or of a cascade."""

    arrival: Arrival | None
    told: tuple[Told, ...]
    """All else."""

    @property
    def own_cycles(self) -> float:
        """What runs."""
        return _span(self.told, Turn.OPERATION, Turn.COPY)

    @property
    def transfer_cycles(self) -> float:
        """What is brought."""
        ahead = 0.0 if self.arrival is None else self.arrival.told.cycles
        return ahead + _span(self.told, Turn.TRANSFER)


class Arrivals(Frozen, kw_only=False, dict=True):
    """The steps of an island."""

    steps: tuple[Step, ...]
    concurrency: Concurrency

    def cycles(self, leads: Leads) -> float:
        """What all of them take, if none of what comes ahead waits for room."""
        return clock(self.concurrency, self._told(leads)[0]).end_of_all

    def waits(self, leads: Leads) -> dict[NpuOpId, float]:
        """For how long operators wait for what is brought ahead."""
        told, first_of = self._told(leads)
        ticks = clock(self.concurrency, told)
        return {op: ticks.start[first] - ticks.free[first] for op, first in first_of.items()}

    @cached_property
    def latest(self) -> Leads:
        """The latest turns at which all weights are there in time.

        While an operator runs, the one behind it has been told, too. So the turn of a transfer that
        begins then is behind both: it begins no later, and until it does, it keeps nobody waiting.
        """
        own = [_span(step.told, Turn.OPERATION, Turn.COPY) for step in self.steps]
        beside = [_span(step.told, Turn.TRANSFER) for step in self.steps]
        lasts = map(max, own, beside)
        starts = [0.0, *accumulate(lasts)]
        leads: Leads = {}
        begin = math.inf
        for number in reversed(range(1, len(self.steps))):
            arrival = self.steps[number].arrival
            if arrival is None:
                continue
            begin = min(starts[number], begin) - arrival.told.cycles
            under = max(bisect_right(starts, begin, hi=number) - 1, 0)
            while beside[under] and begin < starts[under] + beside[under]:
                # Further slices of that operator have the turn.
                begin = starts[under] - arrival.told.cycles
                if not under:
                    break
                under = max(bisect_right(starts, begin, hi=number) - 1, 0)
            leads[arrival.op] = max(number - under - 1, 1)
        return leads

    def _told(self, leads: Leads) -> tuple[list[Told], dict[NpuOpId, int]]:
        """All commands, and by operator the first behind the wait for what is brought ahead."""
        ahead: dict[int, list[int]] = {}
        for number, step in enumerate(self.steps):
            if step.arrival is not None:
                first = number - leads.get(step.arrival.op, 1) + 1
                ahead.setdefault(max(first, 0), []).append(number)
        transfers, brought = 0, [0] * len(self.steps)
        told: list[Told] = []
        first_of: dict[NpuOpId, int] = {}
        for number, step in enumerate(self.steps):
            for later in ahead.get(number, ()):
                transfers += 1
                brought[later] = transfers
                told.append(_arrival(self.steps[later]).told)
            if step.arrival is not None:
                told.append(Told(Turn.AWAIT_TRANSFERS, outstanding=transfers - brought[number]))
                first_of[step.arrival.op] = len(told)
            transfers += sum(1 for each in step.told if each.turn is Turn.TRANSFER)
            told += step.told
        return told, first_of


def _arrival(step: Step) -> Arrival:
    assert step.arrival is not None
    return step.arrival


def _span(told: Sequence[Told], *turns: Turn) -> float:
    return math.fsum(each.cycles for each in told if each.turn in turns)
