"""The sweep, worked out beforehand: everything that does not depend on the partial choice.

The room at all binding times is one number with a field for each of them, the earliest in the
lowest digits, so that one subtraction takes a rival's bytes at all times of its life. The topmost
digit of a field, its guard, falls as soon as more is taken than there was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.schedule.eviction.rivalry import Rival, Rivalry


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """The begin of a binding time: only who waits for it can still take room there."""

    price: int
    waiting_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The decision about one rival; fields begin with the first binding time of its life."""

    arrivals: tuple[Arrival, ...]
    """Binding times that begin between the step before and this one."""
    bit: int
    """Stands for the rival among those that stay."""
    taken: int
    """Its bytes, in the fields of its life."""
    guards: int
    """Guards of these fields."""
    rest: int
    """Bytes of all that are still to be decided, it included."""
    loss_of_staying: int
    loss_of_going: int
    size_bytes: int
    waiting_bytes: int
    """Bytes of those behind it whose lives begin with the same binding time."""
    price: int
    """Price of this binding time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All decisions, in their order."""

    steps: tuple[Step, ...]
    arrivals: tuple[Arrival, ...]
    """Binding times that begin behind the last step."""
    room: int
    """The room before the first step."""
    bound: int
    """No choice is worth more."""
    width: int
    """Digits of a field."""
    field: int
    """Digits of the first field without its guard."""


def plan_of(rivalry: Rivalry, prices: Sequence[int]) -> Plan:
    """The plan at these prices; whatever they are, its bound is true."""
    rivals, rooms = rivalry.rivals, rivalry.rooms
    # Neither the room nor all rivals together reach the guard.
    width = max(sum(rival.size_bytes for rival in rivals), *rooms).bit_length() + 1
    guard = 1 << (width - 1)
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
        steps=_steps(rivals, gains, arrivals, width),
        arrivals=arrivals[rivals[-1].first + 1 :],
        room=sum(guard + room << time * width for time, room in enumerate(rooms)),
        bound=price_of_all + sum(gain for gain in gains if gain > 0),
        width=width,
        field=guard - 1,
    )


def _gains(rivals: Sequence[Rival], prices: Sequence[int]) -> list[int]:
    """What each rival is worth beyond the price of the room that it takes."""
    paid = [0, *accumulate(prices)]
    return [
        rival.worth - rival.size_bytes * (paid[rival.last + 1] - paid[rival.first])
        for rival in rivals
    ]


def _steps(
    rivals: Sequence[Rival], gains: Sequence[int], arrivals: Sequence[Arrival], width: int
) -> tuple[Step, ...]:
    taken = [_fields(rival, rival.size_bytes, width) for rival in rivals]
    rest = list(accumulate(reversed(taken)))[::-1]
    waiting = [arrival.waiting_bytes for arrival in arrivals]
    steps: list[Step] = []
    time = 0
    for place, (rival, gain) in enumerate(zip(rivals, gains, strict=True)):
        waiting[rival.first] -= rival.size_bytes
        shift = rival.first * width
        steps.append(
            Step(
                arrivals=tuple(arrivals[time + 1 : rival.first + 1]),
                bit=1 << place,
                taken=taken[place] >> shift,
                guards=_fields(rival, 1 << (width - 1), width) >> shift,
                rest=rest[place] >> shift,
                loss_of_staying=max(0, -gain),
                loss_of_going=max(0, gain),
                size_bytes=rival.size_bytes,
                waiting_bytes=waiting[rival.first],
                price=arrivals[rival.first].price,
            )
        )
        time = rival.first
    return tuple(steps)


def _fields(rival: Rival, number: int, width: int) -> int:
    """The number in each field of a rival's life, counted from the first binding time."""
    return sum(number << time * width for time in range(rival.first, rival.last + 1))
