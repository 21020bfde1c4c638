"""What a byte is worth at each binding time: prices that bound what any choice can be worth.

Sell the room instead of giving it: a rival then stays if it is worth more than the room that it
takes. What all such rivals gain and the price of all the room are together never below the worth
of a choice that fits, whatever the prices are. Prices rise where too much room is taken and fall
where some is left over, until this bound is small.
"""

from __future__ import annotations

import math
from itertools import accumulate

from core.schedule.eviction.rivalry import Rivalry

_SHORTEST = 0.01
"""Pace at which the descent ends."""
_MEMORY = 0.7
"""Part of the last direction that is kept: steps that go to and fro cancel out."""
_FINENESS = 32
"""Binary digits of a price behind the point."""


def prices_of(rivalry: Rivalry, known_worth: int, patience: int) -> tuple[int, ...]:
    """Worth of a byte at each binding time; more patience finds better ones, and takes longer."""
    unit = rivalry.unit
    descent = _Descent(rivalry, known_worth / unit, patience)
    while descent.pace > _SHORTEST and descent.lowest > descent.goal:
        descent.step()
    return tuple(int(price * (1 << _FINENESS)) * unit >> _FINENESS for price in descent.best)


class _Descent:
    """Prices in worth for a byte, and the lowest bound so far."""

    def __init__(self, rivalry: Rivalry, goal: float, patience: int) -> None:
        self._rooms = rivalry.rooms
        self._rivals = [
            (rival.worth / rivalry.unit, rival.size_bytes, rival.first, rival.last + 1)
            for rival in rivalry.rivals
        ]
        self._patience = patience
        self._idle = 0
        self._prices = [0.0] * len(rivalry.rooms)
        self._direction = self._prices
        self.goal = goal
        """Accesses of a choice that is known: no bound is lower."""
        self.best = self._prices
        self.lowest = math.inf
        self.pace = 1.0

    def step(self) -> None:
        """Change the prices once; in shorter steps where that brings nothing."""
        bound, excess = self._relax()
        self._idle += 1
        if bound < self.lowest * (1 - 1e-6):
            self.best, self._idle = self._prices, 0
        self.lowest = min(self.lowest, bound)
        if self._idle >= self._patience:
            self.pace, self._idle = self.pace / 2, 0
            self._prices, self._direction = self.best, [0.0] * len(excess)
            return
        triples = zip(excess, self._direction, self._prices, strict=True)
        # A price of nothing cannot fall.
        direction = [
            turn if (turn := over + _MEMORY * last) > 0 or price > 0 else 0.0
            for over, last, price in triples
        ]
        length = sum(part * part for part in direction)
        step = self.pace * (bound - self.goal) / length if length else 0.0
        self._direction = direction
        pairs = zip(self._prices, direction, strict=True)
        self._prices = [max(0.0, price + step * part) for price, part in pairs]

    def _relax(self) -> tuple[float, list[int]]:
        """The bound that these prices give, and the bytes that are taken too much at each time."""
        paid = [0.0, *accumulate(self._prices)]
        bound = sum(price * room for price, room in zip(self._prices, self._rooms, strict=True))
        changes = [0] * (len(self._rooms) + 1)
        for worth, size, first, end in self._rivals:
            gain = worth - size * (paid[end] - paid[first])
            if gain > 0:
                bound += gain
                changes[first] += size
                changes[end] -= size
        pairs = zip(accumulate(changes), self._rooms, strict=False)
        return bound, [used - room for used, room in pairs]
