"""The sweep, worked out beforehand: everything that does not depend on the partial choice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from core.base.frozen import Frozen
from core.schedule.eviction.rivalry import Rival, Rivalry
from core.schedule.eviction.rooms import Packing, Rooms, Share


class Arrival(Frozen):
    """The begin of a binding time: only who waits for it can still take room there."""

    price: int
    waiting_bytes: int


class Turn(Frozen):
    """The decision about one rival; rooms begin with the first binding time of its life."""

    arrivals: tuple[Arrival, ...]
    """Binding times that begin between the turn before and this one."""
    bit: int
    """Stands for the rival among those that stay."""
    own: Share
    """Its bytes."""
    rest: Share
    """At the times of its life, the bytes of all that are still to be decided, it included."""
    loss_of_staying: int
    loss_of_going: int
    size_bytes: int
    waiting_bytes: int
    """Bytes of those behind it whose lives begin with the same binding time."""
    price: int
    """Price of this binding time."""

    def loss_of_going_with(self, first_bytes: int) -> int:
        """What is lost if it goes, where so much is free at this binding time.

        That includes what it leaves there and nobody behind it can take.
        """
        spare = first_bytes - self.waiting_bytes
        if spare <= 0:
            return self.loss_of_going
        return self.loss_of_going + self.price * min(spare, self.size_bytes)


class Plan(Frozen):
    """All decisions, in their order."""

    turns: tuple[Turn, ...]
    arrivals: tuple[Arrival, ...]
    """Binding times that begin behind the last turn."""
    packing: Packing
    rooms: Rooms
    """Before the first turn."""
    bound: int
    """No choice is worth more."""


def plan_of(rivalry: Rivalry, prices: Sequence[int]) -> Plan:
    """The plan at these prices; whatever they are, its bound is true."""
    rivals, rooms = rivalry.rivals, rivalry.rooms
    packing = Packing.up_to(max(sum(rival.size_bytes for rival in rivals), *rooms))
    waiting = [0] * len(rooms)
    for rival in rivals:
        waiting[rival.first] += rival.size_bytes
    arrivals = tuple(
        Arrival(price=price, waiting_bytes=size)
        for price, size in zip(prices, waiting, strict=True)
    )
    gains = _gains(rivals, prices)
    price_of_all = sum(price * room for price, room in zip(prices, rooms, strict=True))
    return Plan(
        turns=_turns(rivals, gains, arrivals, packing),
        arrivals=arrivals[rivals[-1].first + 1 :],
        packing=packing,
        rooms=packing.rooms(rooms),
        bound=price_of_all + sum(gain for gain in gains if gain > 0),
    )


def _gains(rivals: Sequence[Rival], prices: Sequence[int]) -> list[int]:
    """What each rival is worth beyond the price of the room that it takes."""
    paid = [0, *accumulate(prices)]
    return [
        rival.worth - rival.size_bytes * (paid[rival.last + 1] - paid[rival.first])
        for rival in rivals
    ]


def _turns(
    rivals: Sequence[Rival], gains: Sequence[int], arrivals: tuple[Arrival, ...], packing: Packing
) -> tuple[Turn, ...]:
    waiting = [arrival.waiting_bytes for arrival in arrivals]
    rest = [0] * len(arrivals)
    for rival in rivals:
        for time in rival.times:
            rest[time] += rival.size_bytes
    turns: list[Turn] = []
    begun = 0
    for place, (rival, gain) in enumerate(zip(rivals, gains, strict=True)):
        waiting[rival.first] -= rival.size_bytes
        turns.append(
            Turn(
                arrivals=arrivals[begun + 1 : rival.first + 1],
                bit=1 << place,
                own=packing.share([rival.size_bytes] * len(rival.times)),
                rest=packing.share([rest[time] for time in rival.times]),
                loss_of_staying=max(0, -gain),
                loss_of_going=max(0, gain),
                size_bytes=rival.size_bytes,
                waiting_bytes=waiting[rival.first],
                price=arrivals[rival.first].price,
            )
        )
        begun = rival.first
        for time in rival.times:
            rest[time] -= rival.size_bytes
    return tuple(turns)
