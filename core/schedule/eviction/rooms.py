"""The room at all binding times from some time on, in one number.

So one subtraction takes bytes at all times of a life, one comparison says whether they were there,
and partial choices that leave the same room have equal keys. The number has a field for each time,
the earliest in the lowest digits; the topmost digit of a field, its guard, falls as soon as more is
taken than there was.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.frozen import NamedTuple

Rooms = int
"""What is free; only what is in this file looks into it."""


class Share(NamedTuple):
    """Bytes at the first of the times that rooms are of."""

    taken: int
    guards: int

    def taken_from(self, rooms: Rooms) -> Rooms | None:
        """What is left; None where there is less than that."""
        left = rooms - self.taken
        return left if left & self.guards == self.guards else None


class Packing(NamedTuple):
    """How rooms become one number."""

    width: int
    """Digits of a field, its guard included."""
    mask: int
    """Digits of the first field, its guard left out."""

    @classmethod
    def up_to(cls, most_bytes: int) -> Packing:
        """One in which neither a room nor all that may be taken of it reaches the guard."""
        digits = most_bytes.bit_length()
        return cls(digits + 1, (1 << digits) - 1)

    def rooms(self, free_bytes: Sequence[int]) -> Rooms:
        """So much at each time."""
        return self._packed([self.mask + 1 + size for size in free_bytes])

    def share(self, taken_bytes: Sequence[int]) -> Share:
        """So much at each of the first times."""
        guards = self._packed([self.mask + 1] * len(taken_bytes))
        return Share(self._packed(taken_bytes), guards)

    def first(self, rooms: Rooms) -> int:
        """Bytes at the first time."""
        return rooms & self.mask

    def later(self, rooms: Rooms) -> Rooms:
        """From the second time on."""
        return rooms >> self.width

    def _packed(self, numbers: Sequence[int]) -> Rooms:
        return sum(number << place * self.width for place, number in enumerate(numbers))
